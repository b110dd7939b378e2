"""LlamaIndex applications as people write them. Each module has ``make()``, which returns the application."""
