"""Applications as they are found in the wild, over one small corpus; none of them knows of the kit that tests it."""
