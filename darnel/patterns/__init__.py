"""Patterns: recipes that turn a query into the text of plants. One module per family."""
