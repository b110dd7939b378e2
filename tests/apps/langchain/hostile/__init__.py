"""Applications that do what none should."""
