"""What cannot be tested is refused in one line, before anything is written."""

from __future__ import annotations

from typing import Any

import pytest

from darnel.core.errors import ContainerMissingError, DarnelError, HostNotAllowedError, TargetError, UsageError


def refused(given: Any, app: Any, kind: type[DarnelError], match: str) -> None:
    with pytest.raises(kind, match=match) as raised:
        app.target(given).injector.describe()
    assert "\n" not in str(raised.value)


def test_other_objects_of_llamaindex(simple: Any) -> None:
    from llama_index.core import SummaryIndex
    from llama_index.core.schema import TextNode

    for given in (SummaryIndex([TextNode(text="t")]), simple.index.storage_context):
        refused(given, simple, UsageError, f"cannot plant through a {type(given).__name__}; give its VectorStoreIndex")


def test_a_class_of_the_applications_own_is_recognised(simple: Any, kit: Any) -> None:
    from llama_index.core import VectorStoreIndex

    class MyIndex(VectorStoreIndex):
        pass

    index = MyIndex(
        index_struct=simple.index.index_struct, storage_context=simple.index.storage_context, embed_model=simple.model
    )
    assert simple.target(index).injector.describe().size == 48


def test_a_simple_store_without_its_index(simple: Any) -> None:
    refused(simple.store, simple, TargetError, "give the index")


def make_store(**methods: Any) -> Any:
    from llama_index.core.vector_stores.types import BasePydanticVectorStore, VectorStoreQueryResult

    def nothing(self: Any, *_args: Any, **_options: Any) -> Any:
        return []

    base = {
        "client": property(lambda self: None),
        "add": nothing,
        "delete": nothing,
        "query": lambda self, query, **_o: VectorStoreQueryResult(nodes=[], similarities=[], ids=[]),
    }
    kind = type("ShelfVectorStore", (BasePydanticVectorStore,), {**base, **dict.fromkeys(methods, nothing)})
    return kind(stores_text=True)


@pytest.mark.parametrize(
    ("methods", "match"),
    [
        ({}, "cannot delete a node by its id"),
        ({"delete_nodes": 1}, "cannot read a node back"),
        ({"delete_nodes": 1, "get_nodes": 1}, "only SimpleVectorStore, ChromaVectorStore, QdrantVectorStore"),
    ],
)
def test_a_store_of_another_kind_says_what_it_lacks(simple: Any, methods: Any, match: str) -> None:
    refused(make_store(**methods), simple, TargetError, match)


def test_records_that_llamaindex_did_not_write(kit: Any) -> None:
    from qdrant_client.models import PointStruct

    qdrant = kit.make_app("qdrant")
    langchain = {"page_content": "the text", "metadata": {"tenant": "acme"}}
    point = PointStruct(id="00000000-0000-4000-8000-000000000000", vector=kit.word_vector("x"), payload=langchain)
    qdrant.client.upsert("docs", [point])
    chroma = kit.make_app("chroma", filled=False)
    chroma.client.add(ids=["a"], documents=["written by hand"], embeddings=[kit.word_vector("y")])
    for app in (qdrant, chroma):
        before = app.native()
        refused(app.index, app, TargetError, "LlamaIndex did not write")
        assert app.native() == before


def test_a_missing_collection_is_not_made(kit: Any) -> None:
    app = kit.make_app("qdrant")
    target = app.target()
    plants = kit.make_plants(target)
    app.client.delete_collection("docs")
    with pytest.raises(ContainerMissingError, match="no Qdrant collection 'docs'"):
        target.injector.inject(plants)
    assert app.client.get_collections().collections == []
    chroma = kit.make_app("chroma")
    target = chroma.target()
    plants = kit.make_plants(target)
    chroma.client._client.delete_collection(chroma.client.name)
    with pytest.raises(ContainerMissingError, match="is gone"):
        target.injector.inject(plants)


def test_a_qdrant_store_that_would_create_its_collection(kit: Any) -> None:
    import qdrant_client
    from llama_index.vector_stores.qdrant import QdrantVectorStore
    from qdrant_client.models import Distance, VectorParams

    app = kit.make_app("simple")
    client = qdrant_client.QdrantClient(":memory:")
    store = QdrantVectorStore("later", client=client)
    refused(store, app, ContainerMissingError, "no Qdrant collection 'later'")
    client.create_collection("later", vectors_config=VectorParams(size=4, distance=Distance.DOT))
    refused(store, app, TargetError, "before its collection 'later' existed")
    aclient = qdrant_client.AsyncQdrantClient(":memory:")
    refused(QdrantVectorStore("later", aclient=aclient), app, TargetError, "only an async client")


def sparse(texts: list[str]) -> tuple[list[list[int]], list[list[float]]]:
    """A sparse encoder: a dimension a word."""
    import zlib

    indices = [sorted({zlib.crc32(word.encode()) for word in text.lower().split()}) for text in texts]
    return indices, [[1.0] * len(row) for row in indices]


def make_hybrid(kit: Any) -> Any:
    return kit.make_app("qdrant", enable_hybrid=True, sparse_doc_fn=sparse, sparse_query_fn=sparse)


def test_a_hybrid_collection_without_its_encoder(kit: Any) -> None:
    from llama_index.vector_stores.qdrant import QdrantVectorStore

    app = make_hybrid(kit)
    before = app.witness()
    plain = QdrantVectorStore("docs", client=app.client)
    refused(plain, app, TargetError, "sparse vectors \\(text-sparse-new\\).*sparse_doc_fn")
    other = QdrantVectorStore(
        "docs",
        client=app.client,
        enable_hybrid=True,
        sparse_doc_fn=sparse,
        sparse_query_fn=sparse,
        dense_vector_name="no",
    )
    refused(other, app, TargetError, "wants 'no'")
    assert app.witness() == before


def test_a_hybrid_collection_with_its_encoder_takes_part_in_both_searches(kit: Any, ledger: Any) -> None:
    import darnel

    app = make_hybrid(kit)
    before = app.witness()
    target = app.target()
    plant = kit.make_plants(target, 1, text="zebra crossing")[0]
    target.injector.inject([plant])
    stored = app.client.retrieve("docs", [plant.id], with_vectors=True)[0].vector
    assert sparse([plant.text])[0][0][0] in stored["text-sparse-new"].indices
    by_words = app.index.as_retriever(vector_store_query_mode="sparse", similarity_top_k=2, sparse_top_k=2)
    assert plant.id in {n.node.node_id for n in by_words.retrieve("zebra crossing")}
    target.injector.remove([plant.id])
    assert app.witness() == before
    hybrid = app.index.as_retriever(vector_store_query_mode="hybrid", similarity_top_k=5, sparse_top_k=5)
    results = darnel.run(hybrid, kit.demo_queries(3), ["echo:3"], k=5, ledger=ledger)
    assert results.corpus_digest.same
    assert {o.outcome for o in results.observations if o.pattern == "echo:3"} == {"retrieved"}
    assert app.witness() == before


def test_another_machine_needs_permission(kit: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    import darnel
    from darnel.adapters.llamaindex.stores.chroma import ChromaStore

    app = kit.make_app("chroma")
    monkeypatch.setattr(ChromaStore, "host", "vectors.example")
    with pytest.raises(HostNotAllowedError, match="vectors.example"):
        darnel.open_target(app.index)
    assert darnel.open_target(app.index, allow_hosts=["vectors.example"]).host == "vectors.example"
    assert darnel.open_target(app.index, writes=False)
