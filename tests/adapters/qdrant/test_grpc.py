"""The same over gRPC: a whole run, the messages of its writes, and its failures."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import grpc as wire
import pytest
from qdrant_client import models

import darnel
from darnel.adapters.qdrant import qdrant_target
from darnel.adapters.qdrant.faults import StoreError
from darnel.api import open_target
from darnel.core.errors import ContainerMissingError, TargetError
from darnel.core.planting.campaign import Campaign
from tests.adapters.qdrant import support
from tests.adapters.qdrant.grpc_standin import GrpcStandIn


@pytest.fixture
def server() -> Iterator[GrpcStandIn]:
    standin = GrpcStandIn()
    support.fill(standin.client)
    yield standin
    standin.close()


def spec(server: GrpcStandIn, collection: str = "docs", **more: Any) -> str:
    parameters = "".join(f"&{k}={v}" for k, v in more.items())
    return f"qdrant:http://127.0.0.1:6333?grpc=1&grpc_port={server.port}{parameters}#{collection}"


@pytest.mark.parametrize("shape", ["langchain", "llamaindex", "haystack"])
def test_a_whole_run(server: GrpcStandIn, shape: str) -> None:
    support.fill(server.client, support.SHAPES[shape][0], "more")
    before = support.witness(server.client, "more")
    results = darnel.run(spec(server, "more"), support.QUESTIONS, ["echo:1"], embedder=support.hashed)
    assert results.exit_code == 0, (results.errors, results.warnings)
    assert results.cleanup.planted == results.cleanup.removed > 0
    assert results.target.versions["qdrant server"] == "1.19.0"
    assert support.witness(server.client, "more") == before


def test_writes_wait_in_strong_order_and_insert_only_what_is_absent(server: GrpcStandIn) -> None:
    target = open_target(spec(server), embedder=support.hashed)
    plants = support.make_plants(target.injector)
    target.injector.inject(plants)
    target.injector.inject(plants)
    target.injector.remove([p.id for p in plants])
    first, second = [r for name, r in server.calls if name == "Upsert"]
    removal = next(r for name, r in server.calls if name == "Delete")
    assert first.wait
    assert second.wait
    assert removal.wait
    assert {r.ordering.type for r in (first, second, removal)} == {2}  # WriteOrderingType.Strong
    assert GrpcUpdate.name(first) == "InsertOnly"
    assert GrpcUpdate.name(second) in ("", "Upsert")
    assert len(removal.points.points.ids) == 3
    target.close()


class GrpcUpdate:
    @staticmethod
    def name(request: Any) -> str:
        from qdrant_client import grpc

        return str(grpc.UpdateMode.Name(request.update_mode)) if request.HasField("update_mode") else ""


FAILURES = [
    "acknowledged",
    "wait_timeout",
    3.6,
    wire.StatusCode.UNAVAILABLE,
    wire.StatusCode.INTERNAL,
    wire.StatusCode.RESOURCE_EXHAUSTED,
    wire.StatusCode.INVALID_ARGUMENT,
]


@pytest.mark.parametrize("failure", FAILURES)
def test_writes_and_removals_that_fail_leave_nothing(failure: Any, server: GrpcStandIn, ledger: Any) -> None:
    before = support.witness(server.client)
    target = open_target(spec(server, timeout=3), embedder=support.hashed)
    with Campaign(target.injector, ledger, visible_within=1.0, gone_within=20.0) as campaign:
        server.fail["Upsert"] = failure
        planting = campaign.plant(support.make_plants(target.injector, campaign=campaign.id))
        assert planting.error
        assert "\n" not in planting.error
        campaign.plant(support.make_plants(target.injector, campaign=campaign.id, text="Again."))
        server.fail["Delete"] = failure
    assert not campaign.leftovers
    assert support.witness(server.client) == before
    target.close()


def test_errors_are_those_of_rest(server: GrpcStandIn) -> None:
    with pytest.raises(ContainerMissingError, match=r"no collection 'nope'.*there are: docs"):
        open_target(spec(server, "nope"))
    server.fail["Collection"] = wire.StatusCode.PERMISSION_DENIED
    with pytest.raises(TargetError, match="DARNEL_QDRANT_API_KEY"):
        open_target(spec(server))
    target = open_target(spec(server, timeout=3), embedder=support.hashed)
    server.fail["QueryBatch"] = 3.6
    with pytest.raises(StoreError, match="no answer within the client's timeout"):
        target.retriever.retrieve(support.QUESTIONS, 3)
    target.close()


def test_a_client_that_prefers_grpc_and_hybrid_vectors(server: GrpcStandIn) -> None:
    from qdrant_client import QdrantClient

    dense = models.VectorParams(size=support.DIMENSION, distance=models.Distance.DOT)
    server.client.create_collection(
        "both", vectors_config={"d": dense}, sparse_vectors_config={"s": models.SparseVectorParams()}
    )
    server.client.upsert("both", support.points(support.langchain, name="d", sparse="s"))
    client = QdrantClient(
        url="http://127.0.0.1:6333", grpc_port=server.port, prefer_grpc=True, check_compatibility=False
    )
    target = qdrant_target(client, "both", support.embedder(), sparse=support.counts)
    assert f"grpc_port={server.port}" in target.spec
    before = support.witness(server.client, "both")
    results = darnel.run(target, support.QUESTIONS, ["echo:1"])
    assert results.exit_code == 0, (results.errors, results.warnings)
    assert support.witness(server.client, "both") == before
    client.close()
