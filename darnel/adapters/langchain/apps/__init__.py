"""LangChain applications, unmodified: chains, retrievers, graphs, agents and functions around them."""
