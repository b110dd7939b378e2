"""Applications that answer from passages that they are given, for mode B."""
