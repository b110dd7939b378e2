"""Applications of a framework with several stores, and with one that cannot be found in them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.command import Outcome

Cli = Callable[..., Outcome]

LANGCHAIN = """
import sys
from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_core.runnables import RunnableLambda
from langchain_core.vectorstores import InMemoryVectorStore
from tests.support.corpora import make_records
from tests.support.embedder import hashed


class Hashed(Embeddings):
    def embed_documents(self, texts):
        return hashed(texts)

    def embed_query(self, text):
        return hashed([text])[0]


def fill(start):
    store = InMemoryVectorStore(Hashed())
    records = make_records()[start : start + 20]
    store.add_documents([Document(r.text, id=r.id, metadata=dict(r.metadata)) for r in records])
    return store


first, second = fill(0), fill(20)


@RunnableLambda
def two(question):
    return first.as_retriever().invoke(question) + second.as_retriever().invoke(question)


@RunnableLambda
def hidden(question):
    return vars(sys.modules[__name__])["fir" + "st"].as_retriever().invoke(question)
"""

LLAMAINDEX = """
import sys
from llama_index.core import VectorStoreIndex
from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.schema import TextNode
from llama_index.vector_stores.chroma import ChromaVectorStore
import chromadb
from llama_index.core import StorageContext
from llama_index.core.embeddings import BaseEmbedding
from tests.support.corpora import make_records
from tests.support.embedder import hashed


class Hashed(BaseEmbedding):
    def _get_text_embedding(self, text):
        return hashed([text])[0]

    _get_query_embedding = _get_text_embedding

    async def _aget_query_embedding(self, text):
        return self._get_text_embedding(text)


def fill(start, name):
    store = ChromaVectorStore(chroma_collection=chromadb.EphemeralClient(chromadb.Settings(anonymized_telemetry=False)).get_or_create_collection(name))
    nodes = [TextNode(text=r.text, id_=r.id) for r in make_records()[start : start + 20]]
    return VectorStoreIndex(nodes, storage_context=StorageContext.from_defaults(vector_store=store), embed_model=Hashed())


first, second = fill(0, "app-stores-first"), fill(20, "app-stores-second")


class Both(BaseRetriever):
    def _retrieve(self, query):
        return first.as_retriever().retrieve(query) + second.as_retriever().retrieve(query)


class Hidden(BaseRetriever):
    def _retrieve(self, query):
        return vars(sys.modules[__name__])["fir" + "st"].as_retriever().retrieve(query)


two, hidden = Both(), Hidden()
"""
SOURCES = {"langchain": LANGCHAIN, "llamaindex": LLAMAINDEX}


@pytest.fixture(params=["langchain", "llamaindex"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A spec, but for the attribute."""
    pytest.importorskip(
        {"langchain": "langchain_core", "llamaindex": "llama_index.vector_stores.chroma"}[request.param]
    )
    name = f"stores_{request.param}_{abs(hash(request.node.name)) % 10**8}"
    (tmp_path / f"{name}.py").write_text(SOURCES[request.param])
    return f"{request.param}:{name}:"


def test_all_stores_of_an_application(cli: Cli, place: str, questions: Path, tmp_path: Path) -> None:
    one = cli("run", f"{place}two", "--queries", questions, "-p", "echo:1")
    assert one.code == 2 and "--store" in one.err
    ended = cli(
        "run", f"{place}two", "--queries", questions, "-p", "echo:1", "--all-stores", "--json", "--out", "report"
    )
    found = json.loads(ended.out)
    assert len(found) == len(list((tmp_path / "report").iterdir())) == 2, ended.err
    assert len({item["store"] for item in found}) == 2
    for item in found:
        assert item["results"]["target"]["size"] == 20
        assert item["results"]["cleanup"]["planted"] == item["results"]["cleanup"]["removed"] >= 9
        assert item["results"]["leftovers"] == []
        assert next(s for s in item["results"]["scores"] if s["pattern"] == "echo:1")["funnel"]["retrieved"]["hits"] > 0


def test_each_store_gets_a_file_of_its_own(cli: Cli, place: str, questions: Path, tmp_path: Path) -> None:
    args = ["run", f"{place}two", "--queries", questions, "-p", "echo:1", "--all-stores"]
    refused = cli(*args, "-o", "one.csv")
    assert refused.code == 2 and "{name}" in refused.err
    assert cli(*args, "-o", "one.doc").code == 2
    assert cli(*args, "-o", "files/{name}.csv").code == 0
    assert [p.name[:2] for p in sorted((tmp_path / "files").iterdir())] == ["1-", "2-"]
    assert not (tmp_path / "one.csv").exists()


def test_a_store_that_cannot_be_found_is_handed_over(cli: Cli, place: str, questions: Path) -> None:
    alone = cli("run", f"{place}hidden", "--queries", questions, "-p", "echo:1")
    assert alone.code == 2 and "--into" in alone.err
    ended = cli("run", f"{place}hidden", "--queries", questions, "-p", "echo:1", "--into", f"{place}first", "--json")
    found = json.loads(ended.out)
    assert (found["exit_code"], found["leftovers"]) == (0, []), ended.err
    assert next(s for s in found["scores"] if s["pattern"] == "echo:1")["funnel"]["retrieved"]["hits"] > 0
    assert "hidden" in found["target"]["app"]
