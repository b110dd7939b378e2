"""LangChain: any ``VectorStore`` that keeps the ids it is given, reads them back and deletes by id."""

from darnel.adapters.langchain.corpus import LangChainCorpus
from darnel.adapters.langchain.open import langchain_target, open_langchain

__all__ = ["LangChainCorpus", "langchain_target", "open_langchain"]
