"""One module a detector; ``darnel.audit.registry`` knows them by name."""
