"""Every request the adapter sends is one that Qdrant's own description allows; and the check can fail."""

from __future__ import annotations

import jsonschema
import pytest

import darnel
from darnel.adapters.qdrant import qdrant_target
from darnel.api import open_target
from tests.adapters.qdrant import openapi, support
from tests.adapters.qdrant.standin import StandIn


def test_a_whole_run_sends_only_what_the_description_knows(standin: StandIn) -> None:
    openapi.description()
    results = darnel.run(
        f"qdrant:{standin.url}#docs", support.QUESTIONS, ["echo:1"], embedder=support.hashed, allow_hosts=()
    )
    assert results.exit_code == 0
    assert results.cleanup.planted == results.cleanup.removed > 0
    used = {r.operation for r in standin.requests}
    assert used == {"version", "collection", "aliases", "scroll", "count", "retrieve", "upsert", "delete", "query"}
    for request in standin.requests:
        openapi.check(request.method, request.path, request.query, request.body)


def test_writes_wait_in_strong_order_and_insert_only_what_is_absent(standin: StandIn) -> None:
    target = open_target(f"qdrant:{standin.url}#docs", embedder=support.hashed)
    plants = support.make_plants(target.injector)
    target.injector.inject(plants)
    target.injector.inject(plants)
    target.injector.remove([p.id for p in plants])
    first, second = standin.of("upsert")
    assert first.query == second.query == {"wait": "true", "ordering": "strong"}
    assert first.body.get("update_mode") == ("insert_only" if support.HAS_UPDATE_MODE else None)
    assert "update_mode" not in second.body or second.body["update_mode"] is None
    (removal,) = standin.of("delete")
    assert removal.query == {"wait": "true", "ordering": "strong"}
    assert sorted(removal.body["points"]) == sorted(p.id for p in plants)
    assert "filter" not in removal.body
    target.close()


@pytest.mark.parametrize("version", ["1.16.3", "nonsense", ""])
def test_an_older_server_gets_no_update_mode(standin: StandIn, version: str) -> None:
    standin.version = version
    target = open_target(f"qdrant:{standin.url}#docs", embedder=support.hashed)
    target.injector.inject(support.make_plants(target.injector))
    assert all(r.body.get("update_mode") is None for r in standin.of("upsert"))
    assert "no insert-only here" in next(c.detail for c in target.checks() if c.name == "writes")
    target.close()


def test_ids_that_no_point_can_bear_never_reach_the_server(standin: StandIn) -> None:
    """A server answers 400 to any of them, and to whatever is asked for with it."""
    target = open_target(f"qdrant:{standin.url}#docs")
    known = support.record_id(1)
    odd = ["no id", "-1", "18446744073709551616", "", "\uff11", "7", known.hex]
    assert target.injector.read(odd).keys() == {known.hex}
    target.injector.remove([i for i in odd if i != known.hex])
    assert [r.body["ids"] for r in standin.of("retrieve")] == [[7, str(known)], [7]]
    target.close()


def test_hybrid_and_named_requests_are_known_too(standin: StandIn) -> None:
    from qdrant_client import models

    openapi.description()
    standin.client.create_collection(
        "both",
        vectors_config={"text-dense": models.VectorParams(size=support.DIMENSION, distance=models.Distance.DOT)},
        sparse_vectors_config={"text-sparse": models.SparseVectorParams()},
    )
    standin.client.upsert("both", support.points(support.langchain, name="text-dense", sparse="text-sparse"))
    from qdrant_client import QdrantClient

    client = QdrantClient(url=standin.url, check_compatibility=False)
    only = models.Filter(must=[models.FieldCondition(key="metadata.topic", match=models.MatchValue(value="bees"))])
    target = qdrant_target(client, "both", support.embedder(), sparse=support.counts, query_filter=only)
    plants = support.make_plants(target.injector, topic="bees")
    target.injector.inject(plants)
    (reply,) = target.retriever.retrieve([plants[0].text], 5)
    assert plants[0].id in [s.id for s in reply.sources]
    assert {s.metadata.get("darnel") for s in reply.sources} == {"plant", None}
    target.injector.remove([p.id for p in plants])
    client.close()


def test_the_check_refuses_what_the_description_does_not_know() -> None:
    openapi.description()
    points = "/collections/docs/points"
    good = {"points": [{"id": 1, "vector": [0.5], "payload": {"a": None}}], "update_mode": "insert_only"}
    openapi.check("PUT", points, {"wait": "true", "ordering": "strong"}, good)
    for method, path, query, body in [
        ("PUT", points, {}, {**good, "updatemode": "insert_only"}),
        ("PUT", points, {}, {**good, "update_mode": "insert"}),
        ("PUT", points, {}, {"points": [{"id": -1, "vector": [0.5]}]}),
        ("PUT", points, {}, {"points": [{"id": 1}]}),
        ("POST", points, {}, {"ids": ["no id"]}),
        ("POST", f"{points}/scroll", {}, {"limit": 0}),
        ("POST", f"{points}/delete", {}, {"ids": [1]}),
        ("PUT", points, {"ordering": "strongest"}, good),
    ]:
        with pytest.raises(jsonschema.ValidationError):
            openapi.check(method, path, query, body)
    with pytest.raises(AssertionError):
        openapi.check("PUT", points, {"waits": "true"}, good)
    with pytest.raises(AssertionError):
        openapi.check("POST", f"{points}/upsert", {}, good)
