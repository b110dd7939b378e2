"""Unmodified LlamaIndex applications: engines, chat engines, retrievers of retrievers, agents and functions."""
