"""LlamaIndex: a vector store index, its retriever, or its vector store, as an application already has them."""

from darnel.adapters.llamaindex.asking import is_snapshot
from darnel.adapters.llamaindex.connect import llamaindex_target, open_llamaindex
from darnel.adapters.llamaindex.corpus import LlamaIndexCorpus

__all__ = ["LlamaIndexCorpus", "is_snapshot", "llamaindex_target", "open_llamaindex"]
