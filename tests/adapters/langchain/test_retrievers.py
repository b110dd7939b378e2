"""Plain retrievers: their filter, their k, their kind of search; and an application's own search method."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import RunnableLambda
from langchain_core.vectorstores import InMemoryVectorStore, VectorStoreRetriever

import darnel
from darnel.adapters.langchain import LangChainCorpus, langchain_target
from darnel.adapters.langchain.asking import read_retriever
from darnel.core.errors import TargetError, UsageError
from darnel.core.planting.ledger import Ledger
from tests.adapters.langchain.houses import HOUSES, need
from tests.adapters.langchain.plants import plant
from tests.adapters.langchain.words import QUESTIONS, WordEmbeddings, make_documents


def red_only(name: str) -> Any:
    """The application's filter, as each store wants it; the other tenant has three quarters of the records."""
    if name == "memory":
        return lambda document: document.metadata.get("tenant") == "red"
    if name == "qdrant":
        models = need("qdrant_client").models
        match = models.MatchValue(value="red")
        return models.Filter(must=[models.FieldCondition(key="metadata.tenant", match=match)])
    return {"tenant": "red"}


# a PGVectorStore filters by columns of their own only
@pytest.mark.parametrize("name", sorted(HOUSES.keys() - {"pgtable"}))
def test_plants_carry_what_the_filter_demands(
    name: str, embeddings: WordEmbeddings, tmp_path: Path, ledger: Ledger
) -> None:
    house = HOUSES[name](embeddings, tmp_path)
    before = house.witness()
    retriever = house.store.as_retriever(search_kwargs={"k": 3, "filter": red_only(name)})
    results = darnel.run(retriever, QUESTIONS, ["echo:1"], ledger=ledger)
    assert (results.errors, results.warnings, results.exit_code) == ([], [], 0)
    assert results.target.k == 3
    retrieved = [o for o in results.observations if o.pattern == "echo:1" and o.outcome == "retrieved"]
    assert len(retrieved) == len(QUESTIONS)
    assert house.witness() == before
    red = {str(d.id) for d in make_documents() if d.metadata["tenant"] == "red"}
    assert all(set(q.baseline) <= red for q in results.queries)


def test_a_plant_that_the_filter_keeps_out_is_told_from_one_that_was_not_retrieved(
    embeddings: WordEmbeddings, tmp_path: Path, ledger: Ledger
) -> None:
    store = HOUSES["memory"](embeddings, tmp_path).store
    retriever = store.as_retriever(search_kwargs={"filter": red_only("memory")})
    options = darnel.RunOptions(metadata={"tenant": "blue"})
    results = darnel.run(retriever, QUESTIONS, ["echo:1"], ledger=ledger, options=options)
    assert {o.outcome for o in results.observations} == {"inconclusive"}
    assert "unreachable" in str(results.observations[0].detail)
    assert results.exit_code == 2


def test_a_filter_that_lets_nothing_pass_is_refused(embeddings: WordEmbeddings, tmp_path: Path, ledger: Ledger) -> None:
    store = HOUSES["memory"](embeddings, tmp_path).store
    retriever = store.as_retriever(search_kwargs={"filter": lambda _document: False})
    with pytest.raises(TargetError, match="lets no record pass"):
        darnel.run(retriever, QUESTIONS, ["echo:1"], ledger=ledger)


@pytest.mark.parametrize("kind", ["mmr", "similarity_score_threshold"])
def test_other_kinds_of_search_are_asked_as_they_are(
    kind: str, embeddings: WordEmbeddings, tmp_path: Path, ledger: Ledger
) -> None:
    store = HOUSES["pgvector" if kind != "mmr" else "memory"](embeddings, tmp_path).store
    settings = {"k": 4, "score_threshold": 0.2} if kind != "mmr" else {"k": 4, "fetch_k": 12, "lambda_mult": 0.3}
    retriever = store.as_retriever(search_type=kind, search_kwargs=settings)
    corpus = LangChainCorpus(store, read_retriever(retriever))
    for question in QUESTIONS:
        expected = [d.id for d in retriever.invoke(question)]
        (reply,) = corpus.retrieve([question], 4)
        assert [s.id for s in reply.sources] == expected
    results = darnel.run(retriever, QUESTIONS, ["echo:1"], ledger=ledger)
    assert (results.errors, results.exit_code, results.target.k) == ([], 0, 4)
    assert any(o.outcome == "retrieved" for o in results.observations)


def test_scores_grow_with_similarity(embeddings: WordEmbeddings, tmp_path: Path) -> None:
    for name, build in HOUSES.items():
        try:
            store = build(embeddings, tmp_path / name).store
        except pytest.skip.Exception:
            continue
        (reply,) = LangChainCorpus(store).retrieve([QUESTIONS[0]], 20)
        scores = [s.score for s in reply.sources]
        assert None not in scores, name
        assert scores == sorted(scores, reverse=True), name  # type: ignore[type-var]
        assert all(s.id for s in reply.sources), name


def test_an_exact_score_is_on_the_scale_of_the_search(embeddings: WordEmbeddings, tmp_path: Path) -> None:
    for name in HOUSES.keys() & {"chroma", "qdrant", "pgvector", "pgtable"}:
        try:
            store = HOUSES[name](embeddings, tmp_path / name).store
        except pytest.skip.Exception:
            continue
        corpus = LangChainCorpus(store)
        corpus.inject([plant(0)])
        (reply,) = corpus.retrieve([plant(0).text], 1)
        exact = corpus.exact_scores([plant(0).text], [plant(0)])
        assert exact is not None, name
        assert reply.sources[0].score == pytest.approx(exact[0], abs=1e-5), name
        (reply,) = corpus.retrieve([QUESTIONS[0]], 41)
        (found,) = [s.score for s in reply.sources if s.id == plant(0).id]
        assert found == pytest.approx((corpus.exact_scores([QUESTIONS[0]], [plant(0)]) or [0.0])[0], abs=1e-5), name


class HidesNotes(InMemoryVectorStore):
    """An application's own search over a store that darnel knows."""

    def similarity_search(self, query: str, k: int = 4, **kwargs: Any) -> list[Document]:
        return [d for d in super().similarity_search(query, 50, **kwargs) if d.metadata["page"] != 1][:k]


def test_an_applications_own_search_method_is_the_one_that_is_asked(embeddings: WordEmbeddings) -> None:
    store = HidesNotes(embeddings)
    store.add_documents(make_documents())
    corpus = LangChainCorpus(store)
    (reply,) = corpus.retrieve([QUESTIONS[0]], 10)
    assert [s.id for s in reply.sources] == [d.id for d in store.similarity_search(QUESTIONS[0], 10)]
    assert {(s.metadata or {})["page"] for s in reply.sources} == {2, 3}
    assert corpus.proved  # its writes are still the known ones


class WritesItself(InMemoryVectorStore):
    """An application's own writes over a store that darnel knows."""

    def add_documents(self, documents: list[Document], ids: Any = None, **kwargs: Any) -> list[str]:
        return super().add_documents(documents, ids=[f"own-{i}" for i in ids or []], **kwargs)


def test_an_applications_own_write_method_is_proved_first(embeddings: WordEmbeddings, ledger: Ledger) -> None:
    store = WritesItself(embeddings)
    InMemoryVectorStore.add_documents(store, make_documents())
    before = dict(store.store)
    results = darnel.run(store, QUESTIONS, ["echo:1"], ledger=ledger)
    assert "does not keep the ids" in results.errors[0]
    assert store.store == before
    assert results.leftovers == []


class Reranks(VectorStoreRetriever):
    def _get_relevant_documents(self, query: str, *, run_manager: Any) -> list[Document]:
        return list(reversed(super()._get_relevant_documents(query, run_manager=run_manager)))


class Elsewhere(BaseRetriever):
    def _get_relevant_documents(self, query: str, **_kwargs: Any) -> list[Document]:
        return []


@pytest.mark.parametrize("wrap", [Elsewhere(), RunnableLambda(str), lambda question: question, 7])
def test_what_holds_no_store_is_refused(wrap: Any) -> None:
    with pytest.raises(UsageError, match="found no vector store|give the vector store beneath it") as refused:
        langchain_target(wrap)
    assert "\n" not in str(refused.value)


def test_a_retriever_with_code_of_its_own_is_an_application(embeddings: WordEmbeddings) -> None:
    store = InMemoryVectorStore(embeddings)
    store.add_documents(make_documents())
    target = langchain_target(Reranks(vectorstore=store, search_kwargs={"k": 3}))
    assert (target.k, target.store_search) == (3, False)
    assert target.retriever is not None
    (reply,) = target.retriever.retrieve([QUESTIONS[0]], 3)
    assert [(step.name, step.sources) for step in reply.steps] == [("Reranks", tuple(reversed(reply.sources)))]
    assert reply.delivered == reply.steps[0].sources
