"""raginject over real stores and frameworks, those among them on which its own injectors fail."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from markdown_it import MarkdownIt

from darnel.adapters.bridges.raginject import as_raginject
from darnel.core.planting.digest import compare_digests, take_digest
from tests.support.chroma import ephemeral_client

from .conftest import RECORDS, open_campaigns, statuses

raginject = pytest.importorskip("raginject", reason="raginject is not installed: pip install raginject")

DOCUMENT = "raginject-harbour"
CONTENT = "When does the harbour master open the gates? At nine."


def embeddings_of(embedder: Any) -> Any:
    """The test embedder as LangChain has one."""
    framework = pytest.importorskip("langchain_core.embeddings", reason="langchain-core is not installed")

    class Words(framework.Embeddings):  # type: ignore[misc, name-defined]
        def embed_documents(self, texts: list[str]) -> list[list[float]]:
            return [[float(x) for x in row] for row in embedder.documents(texts)]

        def embed_query(self, text: str) -> list[float]:
            return self.embed_documents([text])[0]

    return Words()


def langchain_chroma(embedder: Any, folder: Path) -> tuple[Any, Any]:
    """A LangChain store over Chroma, and darnel's target of the collection in it."""
    pytest.importorskip("chromadb")
    store = pytest.importorskip("langchain_chroma", reason="langchain-chroma is not installed").Chroma(
        "docs", embeddings_of(embedder), persist_directory=str(folder)
    )
    _fill(store)
    from darnel.adapters.chroma import chroma_target

    return store, chroma_target(store._collection, embedder)


def langchain_qdrant(embedder: Any, _folder: Path) -> tuple[Any, Any]:
    """A LangChain store over Qdrant, and darnel's target of the collection in it."""
    qdrant_client = pytest.importorskip("qdrant_client", reason="qdrant-client is not installed")
    framework = pytest.importorskip("langchain_qdrant", reason="langchain-qdrant is not installed")
    adapter = pytest.importorskip("darnel.adapters.qdrant", reason="the Qdrant adapter is not there yet")
    client = qdrant_client.QdrantClient(":memory:")
    models = qdrant_client.models
    client.create_collection("docs", models.VectorParams(size=embedder.dimension, distance=models.Distance.COSINE))
    store = framework.QdrantVectorStore(client, "docs", embeddings_of(embedder))
    _fill(store)
    return store, adapter.qdrant_target(client, "docs", embedder)


def _fill(store: Any) -> None:
    store.add_texts(
        [r.text for r in RECORDS],
        metadatas=[dict(r.metadata or {}) for r in RECORDS],
        ids=[str(uuid.uuid5(uuid.NAMESPACE_URL, r.id)) for r in RECORDS],
    )


@pytest.fixture(params=[langchain_chroma, langchain_qdrant])
def opened(request: pytest.FixtureRequest, embedder: Any, tmp_path: Path) -> Iterator[tuple[Any, Any]]:
    store, target = request.param(embedder, tmp_path / "store")
    yield store, target
    target.close()


def chain(store: Any) -> Any:
    """A LangChain application that gives its sources, as raginject's documentation has it."""
    runnables = pytest.importorskip("langchain_core.runnables", reason="langchain-core is not installed")
    retriever = store.as_retriever(search_kwargs={"k": 3})
    from raginject.integrations.langchain import LangChainTarget

    return LangChainTarget(runnables.RunnableParallel(context=retriever, answer=lambda _: "no model is asked"))


def digest(target: Any) -> Any:
    return take_digest(target.reader, target.injector, target.injector.describe().size)


def test_a_langchain_application(opened: tuple[Any, Any], run: Any, ledger_file: Path) -> None:
    """The whole run, through raginject's LangChain target: every document is retrieved and named, nothing changes."""
    store, target = opened
    injector = as_raginject(target, ledger=ledger_file)
    before = digest(target)
    result, uncleaned = run(injector.recognising(chain(store)), injector)
    assert [o.status for o in result.outcomes] == ["leaked", "leaked"], statuses(result)
    assert not uncleaned
    assert not compare_digests(before, digest(target))
    assert not open_campaigns(ledger_file)


def test_a_host_comes_with_its_text(opened: tuple[Any, Any], ledger_file: Path) -> None:
    """Also where the search itself leaves the texts out."""
    _, target = opened
    injector = as_raginject(target, ledger=ledger_file)
    injector.inject(DOCUMENT, RECORDS[2].text or "")
    host = injector.find_host(RECORDS[2].text or "")
    injector.remove(DOCUMENT)
    assert (host.text, host.source) == (RECORDS[2].text, "handbook/02.md")


def test_raginjects_own_injector_cannot_use_qdrant(embedder: Any, tmp_path: Path, run: Any) -> None:
    """The fault that the bridge is for: its ids are no UUIDs, so Qdrant takes none of its documents."""
    from raginject.integrations.langchain import LangChainVectorStoreInjector

    store, target = langchain_qdrant(embedder, tmp_path)
    result, _ = run(chain(store), LangChainVectorStoreInjector(store))
    assert all("UUID" in str(error) for _, error in statuses(result))
    target.close()


APP = """
from langchain_chroma import Chroma
from langchain_core.runnables import RunnableParallel
from tests.adapters.bridges.test_raginject_stores import _fill, embeddings_of
from darnel.testing import word_embedder

embeddings = embeddings_of(word_embedder())
store = Chroma("docs", embeddings, persist_directory="db", collection_configuration={"hnsw": {"space": "cosine"}})
_fill(store)
chain = RunnableParallel(context=store.as_retriever(), answer=lambda _: "no model is asked")
"""


def test_the_page_about_it_works(tmp_path: Path) -> None:
    """``docs/raginject.md``: its module, beside an application like the one it speaks of, through raginject's command."""
    pytest.importorskip("langchain_chroma", reason="langchain-chroma is not installed")
    root = Path(__file__).parents[3]
    module, command = [t for t in MarkdownIt().parse((root / "docs/raginject.md").read_text()) if t.type == "fence"]
    (tmp_path / "myapp").mkdir()
    (tmp_path / "myapp" / "rag.py").write_text(APP)
    (tmp_path / "myapp" / "attack.py").write_text(module.content)
    program, *arguments = shlex.split(command.content.removeprefix("$ "))
    assert program == "raginject"
    ended = subprocess.run(
        [sys.executable, "-c", "from raginject.cli import main; main()", *arguments, "--output", "json"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(root), str(tmp_path)])},
        capture_output=True,
        text=True,
        check=False,
    )
    assert '"corpus_injector_description": "darnel, chroma docs"' in ended.stdout, ended.stdout + ended.stderr
    outcomes = json.loads(ended.stdout)["outcomes"]
    assert {outcome["status"] for outcome in outcomes} <= {"leaked", "blocked"}, outcomes
    assert "leaked" in {outcome["status"] for outcome in outcomes}
    assert not open_campaigns(tmp_path / ".darnel" / "ledger.db")


# LlamaIndex


def simple_index(embedding: Any) -> Any:
    return _index(embedding, None)


def chroma_index(embedding: Any) -> Any:
    pytest.importorskip("chromadb")
    stores = pytest.importorskip("llama_index.vector_stores.chroma", reason="the Chroma store is not installed")
    collection = ephemeral_client().create_collection(f"docs-{uuid.uuid4().hex}", embedding_function=None)
    return _index(embedding, stores.ChromaVectorStore(chroma_collection=collection))


def qdrant_index(embedding: Any) -> Any:
    qdrant_client = pytest.importorskip("qdrant_client", reason="qdrant-client is not installed")
    stores = pytest.importorskip("llama_index.vector_stores.qdrant", reason="the Qdrant store is not installed")
    return _index(embedding, stores.QdrantVectorStore("docs", client=qdrant_client.QdrantClient(":memory:")))


def _index(embedding: Any, store: Any) -> Any:
    core = pytest.importorskip("llama_index.core", reason="llama-index-core is not installed")
    from llama_index.core.schema import TextNode

    nodes = [
        TextNode(id_=str(uuid.uuid5(uuid.NAMESPACE_URL, r.id)), text=r.text or "", metadata=dict(r.metadata or {}))
        for r in RECORDS
    ]
    context = core.StorageContext.from_defaults(vector_store=store) if store else None
    return core.VectorStoreIndex(nodes, storage_context=context, embed_model=embedding)


@pytest.fixture
def embedding(embedder: Any) -> Any:
    """The test embedder as LlamaIndex has one."""
    base = pytest.importorskip("llama_index.core.base.embeddings.base", reason="llama-index-core is not installed")

    class Words(base.BaseEmbedding):  # type: ignore[misc, name-defined]
        def _get_text_embedding(self, text: str) -> list[float]:
            return [float(x) for x in embedder.documents([text])[0]]

        _get_query_embedding = _get_text_embedding

        async def _aget_query_embedding(self, query: str) -> list[float]:
            return self._get_text_embedding(query)

    return Words(model_name="words")


INDEXES = [simple_index, chroma_index, qdrant_index]


@pytest.mark.parametrize("make", INDEXES)
def test_a_llamaindex_application(make: Any, embedding: Any, run: Any, ledger_file: Path) -> None:
    """The whole run, through raginject's LlamaIndex target, which reports the ids of documents and not of nodes."""
    from llama_index.core.llms import MockLLM
    from raginject.integrations.llamaindex import LlamaIndexTarget

    index, target = _llamaindex(make, embedding)
    injector = as_raginject(target, ledger=ledger_file)
    before = digest(target)
    asked = LlamaIndexTarget(lambda: index.as_query_engine(llm=MockLLM(), similarity_top_k=3))
    result, uncleaned = run(injector.recognising(asked), injector)
    assert [o.status for o in result.outcomes] == ["leaked", "leaked"], statuses(result)
    assert not uncleaned
    assert not compare_digests(before, digest(target))
    assert not open_campaigns(ledger_file)


@pytest.mark.parametrize("make", INDEXES)
def test_a_second_inject_replaces_where_raginjects_own_leaves_two(make: Any, embedding: Any, ledger_file: Path) -> None:
    from raginject.integrations.llamaindex import LlamaIndexInjector

    index, target = _llamaindex(make, embedding)
    size = len(target.reader.ids())
    injector = as_raginject(target, ledger=ledger_file)
    for text in (CONTENT, CONTENT, "Another text."):
        injector.inject(DOCUMENT, text)
    assert len(target.reader.ids()) == size + 1
    assert [r.text.splitlines()[0] for r in target.reader.plants()] == ["Another text."]
    injector.remove(DOCUMENT)
    assert len(target.reader.ids()) == size
    own = LlamaIndexInjector(index)
    own.inject(DOCUMENT, CONTENT)
    own.inject(DOCUMENT, CONTENT)
    assert len(target.reader.ids()) == size + 2, "raginject's own injector is mended; drop this"


def _llamaindex(make: Any, embedding: Any) -> tuple[Any, Any]:
    adapter = pytest.importorskip("darnel.adapters.llamaindex", reason="the LlamaIndex adapter is not there yet")
    index = make(embedding)
    return index, adapter.llamaindex_target(index)
