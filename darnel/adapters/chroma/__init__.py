"""Chroma: an embedded folder, a ``chroma run`` server, or a client or collection of the application's."""

from darnel.adapters.chroma.connect import chroma_target, open_chroma
from darnel.adapters.chroma.corpus import ChromaCorpus

__all__ = ["ChromaCorpus", "chroma_target", "open_chroma"]
