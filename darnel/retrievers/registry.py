"""Retrievers by name: a base and any defences around it, as in ``bm25``, ``own+trust`` or ``hybrid+dedupe+quota``."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from darnel.adapters.memory.rankers import make_ranker
from darnel.core.corpus import CorpusReader, Retriever, Source, Target
from darnel.core.errors import TargetError, UnknownNameError, UsageError
from darnel.core.importing import import_attr
from darnel.embedders.base import Embedder
from darnel.retrievers.defences import dedupe, echo_filter, quota, trust
from darnel.retrievers.defended import Defence, DefendedRetriever
from darnel.retrievers.fusion import FusedRetriever
from darnel.retrievers.scanning import ScanRetriever

OWN = "own"
BASES: Mapping[str, str] = {
    OWN: "the store's own search",
    "bm25": "BM25 over the store's records",
    "counts": "keyword counts, each capped at 3, over the store's records",
    "dense": "exact cosine search with the application's embedder",
    "hybrid": "BM25 and dense search, by reciprocal rank fusion",
}
DEFENCES: Mapping[str, tuple[Defence, str]] = {
    "dedupe": (dedupe, "only the best of each group of near-duplicates"),
    "echo-filter": (echo_filter, "without texts that repeat the question"),
    "quota": (quota, "at most two records of one source"),
    "trust": (trust, "relevance × trust of the source × 0.25 for instruction-like text"),
}
NORMALISE = "normalise"


def with_retriever(target: Target, name: str, embedder: Embedder | None) -> Target:
    """The target, asked by another retriever.

    Args:
        target: a corpus that can be searched and, for any base but ``own``, scanned.
        name: a base of ``BASES``, perhaps ``@`` and the share of the records that it ranks (``bm25@0.1``), then ``+`` and
            a defence of ``DEFENCES``, ``normalise``, or ``module:attr`` (a function from question and sources to sources,
            a LangChain document compressor or a LlamaIndex node postprocessor).
        embedder: the application's, for ``dense`` and ``hybrid``.

    Raises:
        DarnelError: as of ``read_retriever``.
        TargetError: the target cannot be scanned or searched.
    """
    base, share, clean, defences = read_retriever(name)
    if base == OWN and not defences:
        return target
    inner = target.retriever if base == OWN else _scanning(target, base, embedder, clean, share)
    if inner is None:
        raise TargetError("this target answers no questions of its own; compare bm25, counts, dense or hybrid")
    for defence in defences:
        inner = DefendedRetriever(inner, defence, target.injector)
    exact = None if base == OWN else True
    return replace(target, retriever=inner, exact=exact, store_search=target.store_search or base != OWN, app=name)


def read_retriever(name: str) -> tuple[str, float, bool, list[Defence]]:
    """The base, the share of the records that it ranks, whether they are normalised, and the defences, of a name as in
    ``with_retriever``.

    Raises:
        UnknownNameError: the base or a defence is not known.
        UsageError: a defence or a share cannot stand there.
    """
    head, *around = [part.strip() for part in name.split("+")]
    base, at, given = head.partition("@")
    if base not in BASES:
        raise UnknownNameError("retriever", base, BASES)
    if base == OWN and NORMALISE in around:
        raise UsageError(
            "normalising is done before indexing, so it needs an index of darnel's: bm25, counts, dense or hybrid"
        )
    defences = [_defence(one) for one in around if one != NORMALISE]
    return base, _share(base, given) if at else 1.0, NORMALISE in around, defences


def _share(base: str, given: str) -> float:
    if base == OWN:
        ranked = ", ".join(name for name in BASES if name != OWN)
        raise UsageError(f"a store's own search looks through all of its records; rank a share of them by {ranked}")
    try:
        share = float(given)
    except ValueError:
        share = 0.0
    if not 0 < share <= 1:
        raise UsageError(f"'{base}@{given}': the share is a number above 0 and up to 1, such as {base}@0.1")
    return share


def _scanning(target: Target, base: str, embedder: Embedder | None, clean: bool, share: float) -> Retriever:
    if target.reader is None:
        raise TargetError(
            f"the records of this target cannot be read, so {base} has nothing to rank; compare {OWN} only"
        )
    text: Callable[[str], str] = str
    if clean:
        from darnel.retrievers.normal import normalise

        text = normalise
    reader: CorpusReader = target.reader
    if base == "hybrid":
        parts = [ScanRetriever(reader, make_ranker(part, embedder), text, share) for part in ("bm25", "dense")]
        return FusedRetriever(parts)
    return ScanRetriever(reader, make_ranker(base, embedder), text, share)


def _defence(name: str) -> Defence:
    if name in DEFENCES:
        return DEFENCES[name][0]
    if ":" in name:
        return as_defence(import_attr(name, "--retriever", "myapp.rag:rerank"))
    raise UnknownNameError("defence", name, [*DEFENCES, NORMALISE])


def as_defence(given: Any) -> Defence:
    """A defence from a function, a LangChain ``BaseDocumentCompressor`` or a LlamaIndex ``BaseNodePostprocessor``.

    Raises:
        UsageError: it is none of these.
    """
    if hasattr(given, "compress_documents"):
        return lambda query, sources: _by_langchain(given, query, sources)
    if hasattr(given, "postprocess_nodes"):
        return lambda query, sources: _by_llamaindex(given, query, sources)
    if callable(given):
        chosen: Defence = given
        return chosen
    raise UsageError(f"a {type(given).__name__} is no defence; give a function from question and sources to sources")


PLACE = "darnel_place"


def _by_langchain(compressor: Any, query: str, sources: Sequence[Source]) -> list[Source]:
    document = importlib.import_module("langchain_core.documents").Document
    given = [
        document(page_content=s.text or "", metadata={**(s.metadata or {}), PLACE: i}) for i, s in enumerate(sources)
    ]
    return [sources[d.metadata[PLACE]] for d in compressor.compress_documents(given, query) if PLACE in d.metadata]


def _by_llamaindex(postprocessor: Any, query: str, sources: Sequence[Source]) -> list[Source]:
    schema = importlib.import_module("llama_index.core.schema")
    given = [
        schema.NodeWithScore(
            node=schema.TextNode(text=s.text or "", metadata={**(s.metadata or {}), PLACE: i}), score=s.score
        )
        for i, s in enumerate(sources)
    ]
    found = postprocessor.postprocess_nodes(given, query_str=query)
    return [sources[n.node.metadata[PLACE]] for n in found if PLACE in n.node.metadata]
