"""The model and the mode-A run. Knows no store, no framework, no terminal."""
