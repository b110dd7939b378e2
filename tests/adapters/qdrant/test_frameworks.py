"""Collections that the real frameworks wrote, planted, and read back by those frameworks with the plants in."""

from __future__ import annotations

import os
from typing import Any

import pytest
from qdrant_client import QdrantClient, models

import darnel
from darnel.adapters.qdrant import qdrant_target
from darnel.core.asking.evidence import PlantIndex
from darnel.core.corpus import Source
from tests.adapters.qdrant import support

os.environ.setdefault("HAYSTACK_TELEMETRY_ENABLED", "False")


def run(client: Any, **options: Any) -> Any:
    """A whole run, which must leave the collection as it was."""
    before = support.witness(client)
    target = qdrant_target(client, "docs", support.embedder(), **options)
    results = darnel.run(target, support.QUESTIONS, ["echo:1"])
    assert results.exit_code == 0, (results.errors, results.warnings)
    assert results.corpus_digest.same
    assert results.baseline.same
    assert support.witness(client).keys() == before.keys()
    return results


# LangChain


class LangChainEmbeddings:
    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return support.hashed(texts)

    def embed_query(self, text: str) -> list[float]:
        return support.embed(text)


def langchain_store(client: Any = None, **options: Any) -> tuple[Any, Any]:
    langchain_qdrant = pytest.importorskip("langchain_qdrant")
    from langchain_core.documents import Document
    from langchain_core.embeddings import Embeddings

    embeddings = type("Real", (LangChainEmbeddings, Embeddings), {})()
    client = client or QdrantClient(":memory:")
    vectors = {
        options.get("vector_name", ""): models.VectorParams(size=support.DIMENSION, distance=models.Distance.COSINE)
    }
    sparse = {options["sparse_vector_name"]: models.SparseVectorParams()} if "sparse_vector_name" in options else None
    client.create_collection("docs", vectors_config=vectors, sparse_vectors_config=sparse)
    store = langchain_qdrant.QdrantVectorStore(client, "docs", embeddings, **options)
    store.add_documents(
        [Document(text, metadata=support.metadata_of(n, topic)) for n, (topic, text) in enumerate(support.texts())],
        ids=[str(support.record_id(n)) for n in range(40)],
    )
    return client, store


def check_langchain(client: Any, store: Any, **options: Any) -> None:
    target = qdrant_target(client, "docs", support.embedder(), **options)
    plants = support.make_plants(target.injector)
    target.injector.inject(plants)
    documents = store.similarity_search(plants[0].text, k=8)
    index = PlantIndex(plants)
    matches = [m for d in documents if (m := index.match(Source(None, d.page_content, d.metadata)))]
    assert {m.proof for m in matches} == {"metadata"}
    assert documents[0].page_content == plants[0].text
    assert documents[0].metadata["topic"] in support.TOPICS
    assert type(documents[0].metadata["page"]) is int
    assert all(d.page_content for d in documents)
    assert {d.page_content for d in store.get_by_ids([p.id for p in plants])} == {p.text for p in plants}
    only = models.Filter(must=[models.FieldCondition(key="metadata.darnel", match=models.MatchValue(value="plant"))])
    assert len(store.similarity_search("anything", k=8, filter=only)) == 3
    target.injector.remove([p.id for p in plants])
    assert not store.similarity_search("anything", k=8, filter=only)


def test_langchain_reads_plants_in_its_collection() -> None:
    client, store = langchain_store()
    run(client)
    check_langchain(client, store)


def test_langchain_with_keys_and_a_vector_name_of_its_own() -> None:
    options = {"content_payload_key": "body", "metadata_payload_key": "extra", "vector_name": "mine"}
    client, store = langchain_store(**options)
    check = next(c for c in qdrant_target(client, "docs", support.embedder()).checks() if c.name == "payload shape")
    assert check.ok is False
    run(client, text="body", metadata="extra")
    target = qdrant_target(client, "docs", support.embedder(), text="body", metadata="extra")
    plants = support.make_plants(target.injector)
    target.injector.inject(plants)
    assert (
        store.similarity_search(plants[0].text, k=1)[0].metadata["darnel_plant"] == plants[0].metadata["darnel_plant"]
    )
    swept = qdrant_target(client, "docs")  # another process, which was told nothing
    assert {r.id: r.text for r in swept.reader.plants()} == {p.id: p.text for p in plants}


def test_langchain_hybrid() -> None:
    langchain_qdrant = pytest.importorskip("langchain_qdrant")

    class Sparse(langchain_qdrant.SparseEmbeddings):
        def embed_documents(self, texts: list[str]) -> Any:
            return [
                langchain_qdrant.sparse_embeddings.SparseVector(indices=i, values=v) for i, v in support.counts(texts)
            ]

        def embed_query(self, text: str) -> Any:
            return self.embed_documents([text])[0]

    client, store = langchain_store(
        retrieval_mode=langchain_qdrant.RetrievalMode.HYBRID,
        sparse_embedding=Sparse(),
        sparse_vector_name="langchain-sparse",
    )
    run(client, sparse=Sparse())
    check_langchain(client, store, sparse=Sparse())


# LlamaIndex


def llamaindex_index(client: Any = None, *, hybrid: bool = False) -> tuple[Any, Any]:
    qdrant = pytest.importorskip("llama_index.vector_stores.qdrant")
    from llama_index.core import StorageContext, VectorStoreIndex
    from llama_index.core.embeddings import BaseEmbedding
    from llama_index.core.schema import NodeRelationship, RelatedNodeInfo, TextNode

    class Embedding(BaseEmbedding):
        def _get_text_embedding(self, text: str) -> list[float]:
            return support.embed(text)

        def _get_query_embedding(self, query: str) -> list[float]:
            return support.embed(query)

        async def _aget_query_embedding(self, query: str) -> list[float]:
            return support.embed(query)

    client = client or QdrantClient(":memory:")
    nodes = [
        TextNode(
            id_=str(support.record_id(n)),
            text=text,
            metadata={"topic": topic, "page": n % 5, "file_name": f"{n}.md", "lang": "en"},
            excluded_embed_metadata_keys=["file_name"],
            excluded_llm_metadata_keys=["page"],
            relationships={NodeRelationship.SOURCE: RelatedNodeInfo(node_id=f"doc-{n}")},
        )
        for n, (topic, text) in enumerate(support.texts())
    ]
    encoder = {"sparse_doc_fn": _lists, "sparse_query_fn": _lists} if hybrid else {}
    store = qdrant.QdrantVectorStore("docs", client=client, enable_hybrid=hybrid, **encoder)
    index = VectorStoreIndex(
        nodes, storage_context=StorageContext.from_defaults(vector_store=store), embed_model=Embedding()
    )
    return client, index


def _lists(texts: list[str]) -> tuple[list[list[int]], list[list[float]]]:
    rows = support.counts(texts)
    return [i for i, _ in rows], [v for _, v in rows]


@pytest.mark.parametrize("hybrid", [False, True])
def test_llamaindex_reads_plants_in_its_collection(hybrid: bool) -> None:
    client, index = llamaindex_index(hybrid=hybrid)
    options: dict[str, Any] = {"sparse": _lists} if hybrid else {}
    from llama_index.core.schema import MetadataMode

    run(client, **options)
    target = qdrant_target(client, "docs", support.embedder(), **options)
    plants = support.make_plants(target.injector)
    mode = {"vector_store_query_mode": "hybrid", "sparse_top_k": 8} if hybrid else {}
    retriever = index.as_retriever(similarity_top_k=8, **mode)
    target.injector.inject(plants)
    nodes = {n.node.node_id: n.node for n in retriever.retrieve(plants[0].text)}
    assert {p.id for p in plants} <= nodes.keys()
    node = nodes[plants[0].id]
    assert node.get_content() == plants[0].text
    assert node.ref_doc_id == f"darnel-{plants[0].id}"
    for mode_ in (MetadataMode.EMBED, MetadataMode.LLM):
        shown = node.get_content(mode_)
        assert "darnel_plant" not in shown  # neither embedded nor shown to the model
        assert "1:c-1" not in shown
        assert "topic: " in shown
    assert "file_name" not in node.get_content(MetadataMode.EMBED)
    assert list(node.metadata)[:4] == ["topic", "page", "file_name", "lang"]
    assert PlantIndex(plants).match(Source(node.node_id, None, node.metadata)).proof == "id"
    # what darnel embedded is what the framework would have
    (point,) = client.retrieve("docs", [plants[0].id], with_vectors=True)
    vector = point.vector["text-dense"] if isinstance(point.vector, dict) else point.vector
    assert vector == pytest.approx(support.embed(node.get_content(MetadataMode.EMBED)), abs=1e-6)
    target.injector.remove([p.id for p in plants])
    assert not {p.id for p in plants} & {n.node.node_id for n in retriever.retrieve(plants[0].text)}


def test_the_framework_can_delete_an_orphan_without_touching_a_plant() -> None:
    client, index = llamaindex_index()
    target = qdrant_target(client, "docs", support.embedder())
    plants = support.make_plants(target.injector)
    target.injector.inject(plants)
    index.vector_store.delete("None")
    index.vector_store.delete("doc-3")
    assert len(target.injector.read([p.id for p in plants])) == 3
    assert str(support.record_id(3)) not in support.witness(client)


@pytest.mark.parametrize("kind", ["Document", "Node"])
def test_llamaindex_nodes_of_other_kinds_are_understood(kind: str) -> None:
    pytest.importorskip("llama_index.vector_stores.qdrant")
    from llama_index.core.schema import Document, MediaResource, MetadataMode, Node
    from llama_index.core.vector_stores.utils import metadata_dict_to_node, node_to_metadata_dict

    client = QdrantClient(":memory:")
    client.create_collection(
        "docs", vectors_config=models.VectorParams(size=support.DIMENSION, distance=models.Distance.DOT)
    )
    points = []
    for number, (topic, text) in enumerate(support.texts()):
        metadata = {"topic": topic, "page": number % 5}
        node: Any = (
            Document(text=text, metadata=metadata)
            if kind == "Document"
            else Node(text_resource=MediaResource(text=text), metadata=metadata)
        )
        vector = support.embed(node.get_content(MetadataMode.EMBED))
        points.append(
            models.PointStruct(id=str(support.record_id(number)), vector=vector, payload=node_to_metadata_dict(node))
        )
    client.upsert("docs", points)
    run(client)
    corpus = qdrant_target(client, "docs", support.embedder()).injector
    record = corpus.read([str(support.record_id(0))])[str(support.record_id(0))]
    assert record.text == support.texts()[0][1]
    (plant,) = support.make_plants(corpus, 1)
    corpus.inject([plant])
    read = metadata_dict_to_node(support.stored(client, [plant.id])[plant.id])
    assert read.get_content() == plant.text
    assert read.metadata["topic"] in support.TOPICS


# Haystack


def test_haystack_reads_plants_in_its_collection(monkeypatch: pytest.MonkeyPatch) -> None:
    qdrant = pytest.importorskip("haystack_integrations.document_stores.qdrant")
    from haystack.dataclasses import Document

    store = qdrant.QdrantDocumentStore(":memory:", embedding_dim=support.DIMENSION, index="docs", progress_bar=False)
    store.write_documents(
        [
            Document(content=text, meta=support.metadata_of(n, topic), embedding=support.embed(text))
            for n, (topic, text) in enumerate(support.texts())
        ]
    )
    client = store._client
    run(client)
    target = qdrant_target(client, "docs", support.embedder())
    plants = support.make_plants(target.injector)
    target.injector.inject(plants)
    found = store._query_by_embedding(support.embed(plants[0].text), filters=None, top_k=8)
    assert {p.id for p in plants} <= {d.id for d in found}
    by_id = {d.id: d for d in found}
    assert by_id[plants[0].id].content == plants[0].text
    assert by_id[plants[0].id].meta["darnel"] == "plant"
    assert store.count_documents() == 43
    assert len(store.filter_documents({"field": "meta.darnel", "operator": "==", "value": "plant"})) == 3
    target.injector.remove([p.id for p in plants])
    assert store.count_documents() == 40


# Across


def test_what_would_break_a_framework_is_refused() -> None:
    """A LangChain-shaped point makes LlamaIndex raise; the adapter plants no such thing in LlamaIndex's collection."""
    client, index = llamaindex_index()
    retriever = index.as_retriever(similarity_top_k=3)
    before = support.witness(client)
    for options in ({"shape": "langchain"}, {"shape": "haystack"}, {"text": "page_content"}):
        with pytest.raises(darnel.DarnelError, match="LlamaIndex's, which fails on any other"):
            run(client, **options)
    assert support.witness(client).keys() == before.keys()
    retriever.retrieve(support.QUESTIONS[0])
    bad = models.PointStruct(
        id=1, vector=support.embed(support.QUESTIONS[0]), payload=support.langchain(1, "bees", "b")
    )
    client.upsert("docs", [bad])
    with pytest.raises(Exception, match=r".*"):
        retriever.retrieve(support.QUESTIONS[0])
