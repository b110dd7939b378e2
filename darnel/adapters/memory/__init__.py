"""A corpus in this process's memory: for your own tests, and for retriever-only runs over a file."""

from darnel.adapters.memory.corpus import MemoryCorpus
from darnel.adapters.memory.open import memory_target
from darnel.adapters.memory.rankers import RANKERS, BM25Ranker, CappedCountRanker, DenseRanker, Ranker

__all__ = ["RANKERS", "BM25Ranker", "CappedCountRanker", "DenseRanker", "MemoryCorpus", "Ranker", "memory_target"]
