"""Chat models for labs and tests: scripted ones that need nothing, and any of LangChain's by its configuration string."""
