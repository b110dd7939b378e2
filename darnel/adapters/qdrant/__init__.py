"""Qdrant: a local folder, a server over REST or gRPC, or a client of the application's with its collection."""

from darnel.adapters.qdrant.connect import open_qdrant, qdrant_target
from darnel.adapters.qdrant.corpus import QdrantCorpus
from darnel.adapters.qdrant.options import QdrantOptions

__all__ = ["QdrantCorpus", "QdrantOptions", "open_qdrant", "qdrant_target"]
