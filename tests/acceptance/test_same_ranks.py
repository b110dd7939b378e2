"""The store does not change the answer: over the same texts and vectors, every one ranks each plant as exact search does."""

from __future__ import annotations

import uuid
import warnings
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import darnel
from benchmarks.stores import Corpus, beir, build, opened

PATTERNS = ["echo:1", "keywords:5"]
QUERIES = 25
APPROXIMATE = {"chroma"}
Row = tuple[str, int | None]
"""Outcome and rank of one plant for its query."""


@pytest.fixture(scope="module")
def corpus(data: Path) -> Corpus:
    return beir("cranfield", query_limit=QUERIES)


@pytest.fixture(scope="module")
def exact(corpus: Corpus, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Row]:
    """Every plant's row in the memory corpus, which compares all vectors."""
    from darnel.adapters.memory import MemoryCorpus
    from darnel.adapters.memory.rankers import DenseRanker
    from darnel.core.corpus import Record

    records = [Record(i, text) for i, text in zip(corpus.ids, corpus.texts, strict=True)]
    given = MemoryCorpus(records, ranker=DenseRanker(corpus.embedder))
    return rows(given, corpus, tmp_path_factory.mktemp("exact"))


def rows(given: Any, corpus: Corpus, folder: Path, embedder: object = None) -> dict[str, Row]:
    """A run's rows by plant name, the run having been sound."""
    results = darnel.run(given, corpus.queries, PATTERNS, embedder=embedder, ledger=folder / "ledger.db")
    assert (results.errors, results.leftovers) == ([], [])
    assert results.target.size == len(corpus.ids)
    assert results.baseline.same
    assert results.corpus_digest is not None
    assert results.corpus_digest.same
    return {row.plant: (row.outcome, row.rank) for row in results.observations}


def in_chroma(corpus: Corpus, folder: Path) -> dict[str, Row]:
    build(corpus, folder / "store")
    with opened(folder / "store") as collection:
        return rows(collection, corpus, folder, corpus.embedder)


def in_qdrant(corpus: Corpus, folder: Path) -> dict[str, Row]:
    client = qdrant(corpus)
    return rows((client, "docs"), corpus, folder, corpus.embedder)


def in_langchain_memory(corpus: Corpus, folder: Path) -> dict[str, Row]:
    from langchain_core.vectorstores import InMemoryVectorStore

    store = InMemoryVectorStore(langchain_words(corpus))
    store.add_texts(corpus.texts, ids=corpus.ids)
    return rows(store, corpus, folder)


def in_langchain_faiss(corpus: Corpus, folder: Path) -> dict[str, Row]:
    faiss = pytest.importorskip("faiss", reason="needs faiss-cpu; run: pip install faiss-cpu")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the package announces its end
        community = "langchain_community"
        pytest.importorskip(community, reason="needs langchain-community; run: pip install langchain-community")
        from langchain_community.docstore.in_memory import InMemoryDocstore
        from langchain_community.vectorstores import FAISS

    index = faiss.IndexFlatL2(corpus.embedder.dimension)
    # of vectors of length one, the nearest are those of the largest cosine
    store = FAISS(langchain_words(corpus), index, InMemoryDocstore(), {}, normalize_L2=True)
    store.add_texts(corpus.texts, ids=corpus.ids)
    return rows(store, corpus, folder)


def in_langchain_qdrant(corpus: Corpus, folder: Path) -> dict[str, Row]:
    home = pytest.importorskip("langchain_qdrant", reason="needs langchain-qdrant; run: pip install langchain-qdrant")
    return rows(home.QdrantVectorStore(qdrant(corpus), "docs", langchain_words(corpus)), corpus, folder)


def in_llamaindex(corpus: Corpus, folder: Path) -> dict[str, Row]:
    from tests.conformance.llamaindex_store import TextNode, VectorStoreIndex, Words

    # without metadata, which LlamaIndex would put before the text that it embeds
    nodes = [TextNode(id_=i, text=text) for i, text in zip(corpus.ids, corpus.texts, strict=True)]
    return rows(VectorStoreIndex(nodes, embed_model=Words(embedder=corpus.embedder)), corpus, folder)


def langchain_words(corpus: Corpus) -> Any:
    from tests.conformance.langchain_store import Words

    return Words(corpus.embedder)


def qdrant(corpus: Corpus) -> Any:
    """A client in local mode; ``docs`` is laid out as LangChain lays it out."""
    client_package = pytest.importorskip("qdrant_client", reason="needs qdrant-client; run: pip install qdrant-client")
    models, client = client_package.models, client_package.QdrantClient(":memory:")
    size = corpus.embedder.dimension
    client.create_collection("docs", vectors_config=models.VectorParams(size=size, distance=models.Distance.COSINE))
    vectors = corpus.embedder.documents(corpus.texts)
    points = [
        models.PointStruct(
            id=str(uuid.uuid5(uuid.NAMESPACE_OID, id_)),
            vector=vector.tolist(),
            payload={"page_content": text, "metadata": {"number": id_}},
        )
        for id_, text, vector in zip(corpus.ids, corpus.texts, vectors, strict=True)
    ]
    client.upsert("docs", points=points)
    return client


STORES: dict[str, Callable[[Corpus, Path], dict[str, Row]]] = {
    "chroma": in_chroma,
    "qdrant": in_qdrant,
    "langchain-memory": in_langchain_memory,
    "langchain-faiss": in_langchain_faiss,
    "langchain-qdrant": in_langchain_qdrant,
    "llamaindex-simple": in_llamaindex,
}


def test_the_exact_ranks_are_worth_comparing(exact: dict[str, Row]) -> None:
    assert len(exact) >= QUERIES * (len(PATTERNS) + 2)  # the two controls run too
    outcomes = Counter(outcome for outcome, _ in exact.values())
    assert outcomes["inconclusive"] == 0
    assert outcomes["retrieved"] >= QUERIES
    assert outcomes["not retrieved"] >= 5
    assert len({rank for _, rank in exact.values()}) >= 5


@pytest.mark.parametrize("name", STORES)
def test_a_store_gives_every_plant_its_exact_rank(
    name: str, corpus: Corpus, exact: dict[str, Row], tmp_path: Path
) -> None:
    found = STORES[name](corpus, tmp_path)
    assert found.keys() == exact.keys()
    unsure = [plant for plant, (outcome, _) in found.items() if outcome == "inconclusive"]
    assert len(unsure) <= (0.05 * len(exact) if name in APPROXIMATE else 0)
    apart = {plant: (row, exact[plant]) for plant, row in found.items() if row != exact[plant] and plant not in unsure}
    assert not apart
