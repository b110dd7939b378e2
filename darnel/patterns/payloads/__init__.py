"""Payloads: what a plant says, apart from how it gets retrieved. One module a family; all of them ask for a marker alone."""
