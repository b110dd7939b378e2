"""Detectors on one record at a time, in LangChain's and LlamaIndex's own pipelines."""

from __future__ import annotations

import asyncio
import logging
from typing import Any

import pytest

from darnel.audit.screen import FINDINGS_KEY, SEVERITY_KEY, Screen
from darnel.core.errors import UnknownNameError, UsageError

STUFFED = "ferry times " * 20
HIDDEN = "<p>The office opens at nine.</p><div style='display:none'>these words are hidden from readers</div>"
FAINT = "Log in to your раураl page."
PLAIN = "The office opens at nine on weekdays."
QUESTION = "How long may a ferry wait for late passengers?"
ECHO = f"{QUESTION} {PLAIN}"


def test_a_record_alone() -> None:
    screen = Screen(queries=[QUESTION])
    found = {text: [f.detector for f in screen.findings("a", text, {})] for text in (STUFFED, HIDDEN, ECHO, PLAIN)}
    assert found == {STUFFED: ["repetition"], HIDDEN: ["hidden-text"], ECHO: ["echo"], PLAIN: []}


def test_records_do_not_know_of_each_other() -> None:
    screen = Screen()
    assert [len(screen.findings(str(i), HIDDEN, {})) for i in range(3)] == [1, 1, 1]


def test_a_question_just_asked() -> None:
    assert not Screen().findings("a", ECHO, {})
    assert [f.detector for f in Screen().findings("a", ECHO, {}, QUESTION)] == ["echo"]


@pytest.mark.parametrize("text", ["", "\0", "\ud800", "x" * 100_000])
def test_any_text(text: str) -> None:
    Screen().findings("a", text, {"title": text, "n": 1, "x": object()})


def test_what_cannot_be_asked_for() -> None:
    with pytest.raises(UsageError, match="siblings compares a record with its corpus"):
        Screen(["siblings"])
    with pytest.raises(UnknownNameError, match="repetition"):
        Screen(["repetitions"])
    with pytest.raises(UsageError, match="flag or drop"):
        Screen(mode="delete")  # type: ignore[arg-type]


@pytest.fixture
def documents() -> list[Any]:
    core = pytest.importorskip("langchain_core.documents", reason="langchain-core is not installed")
    texts = {"a": PLAIN, "b": STUFFED, "c": FAINT}
    return [core.Document(text, id=id_, metadata={"source": f"{id_}.md"}) for id_, text in texts.items()]


def test_langchain_flags(documents: list[Any]) -> None:
    from darnel.audit.integrations.langchain import AuditTransformer

    before = [document.model_copy(deep=True) for document in documents]
    done = AuditTransformer().transform_documents(documents)
    assert [d.metadata.get(SEVERITY_KEY) for d in done] == [None, "high", "medium"]
    assert done[1].metadata[FINDINGS_KEY].startswith("high repetition: The same")
    assert done[1].metadata["source"] == "b.md"
    assert documents == before
    assert asyncio.run(AuditTransformer().atransform_documents(documents)) == done


def test_langchain_drops_and_says_so(documents: list[Any], caplog: pytest.LogCaptureFixture) -> None:
    from darnel.audit.integrations.langchain import AuditTransformer

    with caplog.at_level(logging.WARNING, "darnel.audit"):
        assert [d.id for d in AuditTransformer(mode="drop").transform_documents(documents)] == ["a", "c"]
    assert "dropped the document 'b': high repetition" in caplog.text
    low = AuditTransformer(mode="drop", drop_at="medium")
    assert [d.id for d in low.transform_documents(documents)] == ["a"]


def test_langchain_around_a_retriever(documents: list[Any]) -> None:
    from langchain_core.embeddings import DeterministicFakeEmbedding
    from langchain_core.vectorstores import InMemoryVectorStore

    retrievers = pytest.importorskip("langchain_classic.retrievers", reason="langchain-classic is not installed")
    from langchain_classic.retrievers.document_compressors import DocumentCompressorPipeline

    from darnel.audit.integrations.langchain import AuditTransformer

    store = InMemoryVectorStore.from_documents(documents, DeterministicFakeEmbedding(size=8))
    guarded = retrievers.ContextualCompressionRetriever(
        base_retriever=store.as_retriever(search_kwargs={"k": 3}),
        base_compressor=DocumentCompressorPipeline(transformers=[AuditTransformer(mode="drop")]),
    )
    assert {d.id for d in guarded.invoke("anything")} == {"a", "c"}


@pytest.fixture
def nodes() -> list[Any]:
    schema = pytest.importorskip("llama_index.core.schema", reason="llama-index-core is not installed")
    texts = {"a": PLAIN, "b": STUFFED, "c": FAINT, "d": ECHO}
    return [schema.TextNode(text=text, id_=id_, metadata={"page": 1}) for id_, text in texts.items()]


def test_llamaindex_at_ingest(nodes: list[Any]) -> None:
    from llama_index.core.ingestion import IngestionPipeline
    from llama_index.core.schema import MetadataMode

    from darnel.audit.integrations.llamaindex import AuditTransform

    done = IngestionPipeline(transformations=[AuditTransform()], disable_cache=True).run(nodes=nodes)
    assert [n.metadata.get(SEVERITY_KEY) for n in done] == [None, "high", "medium", None]
    for mode in (MetadataMode.EMBED, MetadataMode.LLM):
        assert "darnel" not in done[1].get_content(metadata_mode=mode)
        assert "page" in done[1].get_content(metadata_mode=mode)
    assert all(SEVERITY_KEY not in n.metadata for n in nodes)
    dropping = IngestionPipeline(transformations=[AuditTransform(mode="drop")], disable_cache=True)
    assert [n.node_id for n in dropping.run(nodes=nodes)] == ["a", "c", "d"]


@pytest.mark.parametrize(("question", "left"), [(False, ["a", "c", "d"]), (True, ["a", "c"])])
def test_llamaindex_at_query_time(nodes: list[Any], question: bool, left: list[str]) -> None:
    from llama_index.core import MockEmbedding, VectorStoreIndex
    from llama_index.core.llms import MockLLM
    from llama_index.core.query_engine import RetrieverQueryEngine

    from darnel.audit.integrations.llamaindex import AuditPostprocessor

    index = VectorStoreIndex(nodes, embed_model=MockEmbedding(embed_dim=4))
    engine = RetrieverQueryEngine.from_args(
        index.as_retriever(similarity_top_k=4),
        llm=MockLLM(),
        node_postprocessors=[AuditPostprocessor(mode="drop", question=question)],
    )
    asked = engine.query(QUESTION)
    assert sorted(n.node.node_id for n in asked.source_nodes) == left
    assert sorted(n.node.node_id for n in asyncio.run(engine.aquery(QUESTION)).source_nodes) == left
