"""darnel's injectors behind the interfaces of other test kits, each importing its kit only when used."""
