"""Preflight lines for a LangChain vector store."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from darnel.adapters.checks import vector_checks
from darnel.adapters.langchain.corpus import GIVE_EMBEDDER, LangChainCorpus
from darnel.core.corpus import Check, CorpusReader, Record
from darnel.embedders.base import Embedder


def langchain_checks(corpus: LangChainCorpus, reader: CorpusReader | None, given: Embedder | None) -> Iterator[Check]:
    """Everything that can be told of a store without writing to it."""
    name = type(corpus.store).__name__
    if reader is None:
        detail = f"{name} is not one that darnel can count or read whole; plants are proved by id and by search only"
        yield Check("store", None, detail, "The result carries no digest of the corpus.")
    else:
        yield Check("store", True, f"{name}, read whole")
    certain = "by the class" if corpus.proved else "the first plant of a run proves it, before the others go in"
    yield Check("ids kept, read back, deleted", True, certain)
    if corpus.access.host is None:
        yield Check("host", None, f"where {name} writes to cannot be told", "Make sure that it is a system of yours.")
    yield from _asking_checks(corpus)
    if given is not None and corpus.embedder is not given:
        detail = f"the store's own is used ({corpus.embedder.name if corpus.embedder else '?'}), not {given.name}"
        yield Check("embedder given", None, detail, "Leave out --embedder.")
    if not corpus.access.embeds:
        yield Check("store's embedder", False, f"{name} has none", GIVE_EMBEDDER[0].upper() + GIVE_EMBEDDER[1:] + ".")
    if reader is not None:
        yield from map(_soften, vector_checks(_DenseView(corpus), reader, corpus.embedder))


def _asking_checks(corpus: LangChainCorpus) -> Iterable[Check]:
    asking = corpus.asking
    if asking.kind == "similarity" and not asking.settings and asking.k is None:
        return
    settings = ", ".join(sorted(asking.settings)) or "none"
    yield Check("retriever", True, f"{asking.kind}, k {asking.k or 'not set'}, further settings: {settings}")
    shape = corpus.filtered_shape() if asking.narrowing else None
    if shape is not None and not shape.sampled:
        yield Check("retriever's filter", False, "it lets no record pass", "Check search_kwargs of the retriever.")


def _soften(check: Check) -> Check:
    """A store that embeds by itself, without showing with what, can be planted into; only not checked."""
    if check.name == "embedder" and check.ok is False and check.detail == "none given":
        return replace(check, ok=None, detail="the store does not show its own, so stored vectors cannot be checked")
    return check


class _DenseView:
    """The corpus with one vector a record: of several named ones, the one that is searched."""

    def __init__(self, corpus: LangChainCorpus) -> None:
        self._corpus = corpus
        self.describe, self.inject, self.remove = corpus.describe, corpus.inject, corpus.remove
        self.read = corpus.read

    def read_vectors(self, ids: Sequence[str]) -> Mapping[str, Record]:
        name = getattr(self._corpus.store, "vector_name", None)
        found = self._corpus.read_vectors(ids)
        return {
            i: replace(r, vector=r.vector.get(name)) if isinstance(r.vector, Mapping) else r for i, r in found.items()
        }
