"""What darnel knows of single stores: how to read them exactly, count them, scan them and delete by id.

One module a store, found by class; a store that has none is read through ``get_by_ids`` alone.
"""
