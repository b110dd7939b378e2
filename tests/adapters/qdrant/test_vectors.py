"""Vectors as the collection is configured: unnamed, named, several, sparse, hybrid; and what is refused."""

from __future__ import annotations

from typing import Any

import pytest
from qdrant_client import QdrantClient, models

import darnel
from darnel.adapters.qdrant import qdrant_target
from darnel.adapters.qdrant.sparse import resolve_sparse
from darnel.core.errors import EmbedderError, TargetError
from darnel.core.planting.digest import record_digest
from tests.adapters.qdrant import support

DENSE = models.VectorParams(size=support.DIMENSION, distance=models.Distance.DOT)
SPARSE = {"words": models.SparseVectorParams()}


def make(vectors: Any, sparse: Any = None, *, name: str | None = None, words: str | None = None) -> QdrantClient:
    client = QdrantClient(":memory:")
    client.create_collection("docs", vectors_config=vectors, sparse_vectors_config=sparse)
    client.upsert("docs", support.points(support.langchain, name=name, sparse=words))
    return client


def plant_and_look(client: Any, **options: Any) -> tuple[Any, Any]:
    target = qdrant_target(client, "docs", support.embedder(), **options)
    before = support.witness(client)
    (plant,) = support.make_plants(target.injector, 1)
    target.injector.inject([plant])
    (point,) = client.retrieve("docs", [plant.id], with_vectors=True)
    (reply,) = target.retriever.retrieve([plant.text], 3)
    assert reply.sources[0].id == plant.id
    target.injector.remove([plant.id])
    assert support.witness(client) == before
    return point.vector, plant


@pytest.mark.parametrize(("vectors", "name"), [(DENSE, None), ({"": DENSE}, ""), ({"text-dense": DENSE}, "text-dense")])
def test_one_dense_vector_needs_no_choice(vectors: Any, name: str | None) -> None:
    vector, plant = plant_and_look(make(vectors, name=name))
    vector = vector[name] if isinstance(vector, dict) else vector
    assert vector == pytest.approx(support.embed(plant.text))


def test_several_dense_vectors_must_be_chosen_from() -> None:
    client = make({"title": models.VectorParams(size=3, distance=models.Distance.COSINE), "body": DENSE}, name="body")
    with pytest.raises(TargetError, match=r"several dense vectors: 'body', 'title'.*\?vector=NAME"):
        darnel.run((client, "docs"), support.QUESTIONS, ["echo:1"], embedder=support.hashed)
    for wrong in ("bodies", "words"):
        target = qdrant_target(client, "docs", support.embedder(), vector=wrong)
        with pytest.raises(TargetError, match="Choose with"):
            darnel.run(target, support.QUESTIONS, ["echo:1"])
    vector, _plant = plant_and_look(client, vector="body")
    assert vector.keys() == {"body"}
    description = qdrant_target(client, "docs", vector="body").injector.describe()
    assert (description.dimension, description.metric) == (support.DIMENSION, "dot")
    assert qdrant_target(client, "docs", vector="title").injector.describe().dimension == 3


def test_a_corpus_that_cannot_be_planted_can_still_be_read_and_swept() -> None:
    client = make({"title": models.VectorParams(size=3, distance=models.Distance.DOT), "body": DENSE}, name="body")
    chosen = qdrant_target(client, "docs", support.embedder(), vector="body")
    plants = support.make_plants(chosen.injector)
    chosen.injector.inject(plants)
    undecided = qdrant_target(client, "docs")
    assert undecided.injector.describe().dimension is None
    assert len(undecided.reader.plants()) == 3
    undecided.injector.remove([p.id for p in plants])
    assert not chosen.reader.plants()


def test_multivectors_are_refused() -> None:
    several = models.MultiVectorConfig(comparator=models.MultiVectorComparator.MAX_SIM)
    colbert = models.VectorParams(size=4, distance=models.Distance.COSINE, multivector_config=several)
    client = make({"colbert": colbert, "body": DENSE}, name="body")
    plant_and_look(client)  # the one that can be made
    with pytest.raises(TargetError, match="'colbert' is a multivector"):
        darnel.run(qdrant_target(client, "docs", support.embedder(), vector="colbert"), support.QUESTIONS, ["echo:1"])
    only = QdrantClient(":memory:")
    only.create_collection("docs", vectors_config={"colbert": colbert})
    only.upsert(
        "docs", [models.PointStruct(id=1, vector={"colbert": [[1.0, 0, 0, 0]]}, payload=support.langchain(1, "a", "b"))]
    )
    with pytest.raises(TargetError, match="only multivectors"):
        darnel.run(qdrant_target(only, "docs", support.embedder()), support.QUESTIONS, ["echo:1"])


@pytest.mark.parametrize("name", [None, "dense"])
def test_a_hybrid_collection_without_its_sparse_encoder_is_refused(name: str | None) -> None:
    client = make({name: DENSE} if name else DENSE, SPARSE, name=name, words="words")
    before = support.witness(client)
    with pytest.raises(TargetError, match="points carry sparse vectors too") as caught:
        darnel.run((client, "docs"), support.QUESTIONS, ["echo:1"], embedder=support.hashed)
    assert "?sparse=module:attr" in str(caught.value)
    assert support.witness(client) == before
    vector, plant = plant_and_look(client, sparse=support.counts)
    assert vector.keys() == {name or "", "words"}
    ((indices, values),) = support.counts([plant.text])
    assert (vector["words"].indices, vector["words"].values) == (indices, values)
    assert vector[name or ""] == pytest.approx(support.embed(plant.text))


def test_a_hybrid_collection_may_be_planted_without_when_that_is_asked() -> None:
    client = make({"dense": DENSE}, SPARSE, name="dense", words="words")
    vector, _plant = plant_and_look(client, sparse="none")
    assert vector.keys() == {"dense"}
    checks = list(qdrant_target(client, "docs", support.embedder(), sparse="none").checks())
    assert next(c for c in checks if c.name == "sparse encoder").ok is None


def test_configured_sparse_vectors_that_no_point_carries_are_not_needed() -> None:
    client = make({"dense": DENSE}, SPARSE, name="dense")
    vector, _plant = plant_and_look(client)
    assert vector.keys() == {"dense"}


def test_a_sparse_only_collection_needs_no_embedder() -> None:
    client = QdrantClient(":memory:")
    client.create_collection("docs", vectors_config={}, sparse_vectors_config=SPARSE)
    points = support.points(support.langchain, name="dense", sparse="words")
    for point in points:
        del point.vector["dense"]
    client.upsert("docs", points)
    target = qdrant_target(client, "docs", sparse=support.counts)
    results = darnel.run(target, support.QUESTIONS, ["echo:2"])
    assert results.exit_code == 0
    assert next(s for s in results.scores if s.pattern == "echo:2").exposure["5"].value == 1.0


def test_hybrid_search_finds_what_only_one_leg_finds() -> None:
    client = make({"dense": DENSE}, SPARSE, name="dense", words="words")
    wanted = str(support.record_id(2))
    client.update_vectors(
        "docs", [models.PointVectors(id=wanted, vector={"dense": [-x for x in support.embed(support.texts()[2][1])]})]
    )
    question = [support.texts()[2][1]]
    found = {
        search: [
            s.id
            for s in qdrant_target(client, "docs", support.embedder(), sparse=support.counts, search=search)
            .retriever.retrieve(question, 3)[0]
            .sources
        ]
        for search in ("dense", "sparse", "hybrid")
    }
    assert wanted not in found["dense"]
    assert found["sparse"][0] == wanted
    assert wanted in found["hybrid"]
    plain = make({"dense": DENSE}, name="dense")
    with pytest.raises(TargetError, match="no vectors for a sparse search"):
        qdrant_target(plain, "docs", support.embedder(), search="sparse").retriever.retrieve(question, 3)


def test_the_applications_filter_is_applied_to_every_leg() -> None:
    client = make({"dense": DENSE}, SPARSE, name="dense", words="words")
    only = models.Filter(must=[models.FieldCondition(key="metadata.topic", match=models.MatchValue(value="boats"))])
    for search in ("dense", "sparse", "hybrid"):
        target = qdrant_target(
            client, "docs", support.embedder(), sparse=support.counts, query_filter=only, search=search
        )
        for reply in target.retriever.retrieve(support.QUESTIONS, 5):
            for source in reply.sources:
                assert support.stored(client, [source.id])[source.id]["metadata"]["topic"] == "boats"


def test_a_digest_sees_every_bit_of_a_sparse_vector() -> None:
    """Indices are 32 bits; as float32 numbers, many would be one."""
    client = make({"dense": DENSE}, SPARSE, name="dense", words="words")
    corpus = qdrant_target(client, "docs").injector
    id_ = str(support.record_id(0))
    seen = set()
    for indices in ([4_000_000_000], [4_000_000_001], [4_000_000_000, 1]):
        sparse = models.SparseVector(indices=indices, values=[0.5] * len(indices))
        client.update_vectors("docs", [models.PointVectors(id=id_, vector={"words": sparse})])
        seen.add(record_digest(corpus.read_vectors([id_])[id_]))
    assert len(seen) == 3


class LangChainLike:
    def embed_documents(self, texts: list[str]) -> list[Any]:
        return [models.SparseVector(indices=i, values=v) for i, v in support.counts(texts)]

    def embed_query(self, text: str) -> Any:
        return self.embed_documents([text])[0]


class FastEmbedLike:
    def embed(self, texts: list[str]) -> Any:
        return iter(LangChainLike().embed_documents(texts))

    query_embed = embed


def llamaindex_like(texts: list[str]) -> tuple[list[list[int]], list[list[float]]]:
    rows = support.counts(texts)
    return [i for i, _ in rows], [v for _, v in rows]


@pytest.mark.parametrize(
    "given",
    [
        support.counts,
        llamaindex_like,
        LangChainLike(),
        FastEmbedLike(),
        lambda texts: [{"indices": i, "values": v} for i, v in support.counts(texts)],
        {"words": support.counts},
        "tests.adapters.qdrant.support:counts",
    ],
)
@pytest.mark.parametrize("count", [1, 2, 3])
def test_sparse_encoders_of_every_make(given: Any, count: int) -> None:
    encoder = resolve_sparse(given, ["words"])["words"]
    asked = [text for _topic, text in support.texts(count)]
    expected = support.counts(asked)
    for made in (encoder.documents(asked), encoder.queries(asked)):
        assert [(v.indices, v.values) for v in made] == expected


@pytest.mark.parametrize(
    "broken",
    [lambda texts: [], lambda texts: [([1], [])] * len(texts), lambda texts: 1 / 0, lambda texts: [[1.0, 2.0, 3.0]]],
)
def test_broken_sparse_encoders_are_named(broken: Any) -> None:
    with pytest.raises(EmbedderError, match="sparse encoder"):
        resolve_sparse(broken, ["words"])["words"].documents(["a"])
    with pytest.raises(EmbedderError, match="is no sparse encoder"):
        resolve_sparse(3, ["words"])
