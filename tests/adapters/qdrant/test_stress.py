"""Answers as servers give them under stress: a campaign leaves nothing behind unreported, and what landed is found."""

from __future__ import annotations

import time
from typing import Any

import pytest

import darnel
from darnel.adapters.qdrant.faults import StoreError
from darnel.api import open_target
from darnel.core.errors import TargetError
from darnel.core.options import RunOptions
from darnel.core.planting.campaign import Campaign
from tests.adapters.qdrant import support
from tests.adapters.qdrant.standin import Fault, StandIn

PATIENCE = 3
"""Seconds that the client waits for an answer."""
SLOW = PATIENCE + 0.6
CUT = Fault(apply=1, cut=True)
WRITES = {
    "acknowledged and done": Fault(apply=None, status="acknowledged"),
    "acknowledged and never done": Fault(apply=0, status="acknowledged"),
    "acknowledged and done late": Fault(late=0.3, status="acknowledged"),
    "acknowledged and queued": Fault(queue=True, status="acknowledged"),
    "cut and queued": Fault(queue=True, cut=True),
    "wait_timeout and done": Fault(apply=None, status="wait_timeout"),
    "wait_timeout and done in part": Fault(apply=2, status="wait_timeout"),
    "wait_timeout and done late": Fault(late=0.3, status="wait_timeout"),
    "500 and nothing done": Fault(apply=0, code=500, error="Service internal error: disk"),
    "500 and done": Fault(apply=None, code=500, error="Service internal error: forward proxy"),
    "503": Fault(apply=0, code=503, error="not ready"),
    "429": Fault(apply=0, code=429, error="Rate limiting exceeded: Write rate limit exceeded"),
    "strict mode 400": Fault(apply=0, code=400, error="Bad request: Max points limit exceeded"),
    "slow, done": Fault(apply=None, delay=SLOW),
    "slow, done late": Fault(late=PATIENCE + 0.3, delay=SLOW),
    "cut, nothing done": Fault(apply=0, cut=True),
    "cut, done in part": CUT,
    "cut, done": Fault(apply=None, cut=True),
}
"""How a write may go wrong."""


@pytest.fixture
def target(standin: StandIn) -> Any:
    opened = open_target(f"qdrant:{standin.url}?timeout={PATIENCE}#docs", embedder=support.hashed)
    yield opened
    opened.close()


def count(standin: StandIn) -> int:
    with standin.lock:
        return int(standin.client.count("docs").count)


@pytest.mark.parametrize("name", list(WRITES))
def test_a_write_of_unknown_outcome_is_read_back_and_taken_out(
    name: str, standin: StandIn, target: Any, ledger: Any
) -> None:
    standin.plan["upsert"] = [WRITES[name]]
    before = support.witness(standin.client)
    with Campaign(target.injector, ledger, visible_within=1.0, gone_within=20.0) as campaign:
        plants = support.make_plants(target.injector, campaign=campaign.id)
        planting = campaign.plant(plants)
        assert planting.error is not None
        assert "\n" not in planting.error
        landed = {i for i in support.witness(standin.client) if i not in before}
        assert planting.visible <= landed
        if "late" not in name:
            assert planting.visible == landed
        assert planting.missing == {p.id for p in plants} - planting.visible
    assert not campaign.leftovers
    time.sleep(0.4)  # whatever was late has landed by now
    assert not standin.queued  # and nothing waits to come up with the application's next write
    with standin.lock:
        assert support.witness(standin.client) == before


@pytest.mark.parametrize("name", [n for n in WRITES if "late" not in n and "queued" not in n])
def test_a_removal_of_unknown_outcome_is_tried_again_until_it_is_proved(
    name: str, standin: StandIn, target: Any, ledger: Any
) -> None:
    before = support.witness(standin.client)
    with Campaign(target.injector, ledger, gone_within=20.0) as campaign:
        planting = campaign.plant(support.make_plants(target.injector, campaign=campaign.id))
        assert len(planting.visible) == 3
        standin.plan["delete"] = [WRITES[name]] * 2
    assert not campaign.leftovers
    assert support.witness(standin.client) == before


@pytest.mark.parametrize(
    "fault", [Fault(code=500, error="down"), Fault(apply=0, cut=True), Fault(apply=0, status="acknowledged")]
)
def test_a_removal_that_never_succeeds_is_reported(fault: Fault, standin: StandIn, target: Any, ledger: Any) -> None:
    with Campaign(target.injector, ledger, gone_within=0.5) as campaign:
        plants = support.make_plants(target.injector, campaign=campaign.id)
        campaign.plant(plants)
        standin.plan["delete"] = [fault] * 200
    assert {left.id for left in campaign.leftovers} == {p.id for p in plants}
    assert all("\n" not in left.reason for left in campaign.leftovers)
    standin.plan.clear()
    target.injector.remove([p.id for p in plants])
    assert count(standin) == 40


def test_reads_that_fail_leave_the_proof_open_rather_than_pass(standin: StandIn, target: Any, ledger: Any) -> None:
    with Campaign(target.injector, ledger, gone_within=0.5) as campaign:
        plants = support.make_plants(target.injector, campaign=campaign.id)
        campaign.plant(plants)
        standin.plan["retrieve"] = [Fault(code=500, error="down")] * 200
    assert {left.id for left in campaign.leftovers} == {p.id for p in plants}


def test_a_connection_cut_in_mid_batch_of_many(standin: StandIn, target: Any, ledger: Any) -> None:
    """Several requests a planting; the second is cut when three of its points are in."""
    standin.config = {"strict_mode_config": {"enabled": True, "upsert_max_batchsize": 5}}
    before = support.witness(standin.client)
    standin.plan["upsert"] = [Fault(apply=None), Fault(apply=3, cut=True)]
    with Campaign(target.injector, ledger, visible_within=0.5) as campaign:
        assert campaign.where.max_batch == 5
        plants = support.make_plants(target.injector, 12, campaign=campaign.id)
        planting = campaign.plant(plants)
        assert len(planting.visible) == 8
        assert len(planting.missing) == 4
    assert not campaign.leftovers
    assert support.witness(standin.client) == before


def test_requests_are_cut_by_bytes(standin: StandIn) -> None:
    """The server takes 32 MiB; text that JSON makes larger is counted as JSON."""
    target = open_target(f"qdrant:{standin.url}?timeout=120#docs", embedder=support.hashed)
    plants = support.make_plants(target.injector, 5, text='\n"ж"' * 300_000)
    target.injector.inject(plants)
    sizes = [r.size for r in standin.of("upsert")]
    assert len(sizes) > 1
    assert max(sizes) <= 16_000_000
    assert len(target.injector.read([p.id for p in plants])) == 5
    target.injector.remove([p.id for p in plants])
    assert count(standin) == 40
    target.close()


def test_an_oversize_answer_is_explained(standin: StandIn, target: Any) -> None:
    for fault in (
        Fault(
            code=400,
            error="Payload error: JSON payload (41341342 bytes) is larger than allowed (limit: 33554432 bytes).",
        ),
        Fault(code=413, error="Payload Too Large"),
    ):
        standin.plan["upsert"] = [fault]
        with pytest.raises(TargetError, match="larger than the server takes"):
            target.injector.inject(support.make_plants(target.injector))
    assert count(standin) == 40


def test_a_wave_that_the_server_fails_is_inconclusive_and_the_run_goes_on(standin: StandIn) -> None:
    standin.plan["upsert"] = [Fault(apply=0, code=500, error="down")]
    results = darnel.run(
        f"qdrant:{standin.url}#docs",
        support.QUESTIONS,
        ["echo:1"],
        embedder=support.hashed,
        options=RunOptions(visible_within=0.2),
    )
    rows = {o.pattern: o.outcome for o in results.observations}
    assert "inconclusive" in rows.values()
    assert results.exit_code == 2
    assert not results.leftovers
    assert count(standin) == 40


def test_searches_that_fail_are_no_answer(standin: StandIn) -> None:
    standin.plan["query"] = [Fault(apply=None)] + [Fault(code=503, error="busy")] * 50
    results = darnel.run(f"qdrant:{standin.url}#docs", support.QUESTIONS, ["echo:1"], embedder=support.hashed)
    assert {o.outcome for o in results.observations} == {"inconclusive"}
    assert results.exit_code == 2
    assert count(standin) == 40


# Strict mode


STRICT = {
    "strict_mode_config": {"enabled": True, "unindexed_filtering_retrieve": False, "unindexed_filtering_update": False}
}


def test_strict_mode_needs_no_index_and_gets_none(standin: StandIn, caplog: pytest.LogCaptureFixture) -> None:
    standin.config = STRICT
    target = open_target(f"qdrant:{standin.url}#docs", embedder=support.hashed)
    plants = support.make_plants(target.injector)
    target.injector.inject(plants)
    assert {r.id for r in target.reader.plants()} == {p.id for p in plants}
    assert "every point of 'docs' is read instead" in caplog.text
    assert caplog.text.count("every point") == 1
    target.reader.plants()
    assert caplog.text.count("every point") == 1  # said once, and not asked again
    target.injector.remove([p.id for p in plants])
    assert not target.reader.plants()
    results = darnel.run(f"qdrant:{standin.url}#docs", support.QUESTIONS, ["echo:1"], embedder=support.hashed)
    assert results.exit_code == 0
    assert any("strict mode" in w for w in results.warnings)
    assert not [r for r in standin.requests if r.operation not in KNOWN_OPERATIONS]
    target.close()


KNOWN_OPERATIONS = {"version", "collection", "aliases", "scroll", "count", "retrieve", "upsert", "delete", "query"}


def test_a_filter_that_strict_mode_refuses_is_explained_in_one_line(standin: StandIn) -> None:
    from qdrant_client import QdrantClient, models

    from darnel.adapters.qdrant import qdrant_target

    standin.config = STRICT
    client = QdrantClient(url=standin.url, check_compatibility=False)
    only = models.Filter(must=[models.FieldCondition(key="metadata.topic", match=models.MatchValue(value="bees"))])
    target = qdrant_target(client, "docs", support.embedder(), query_filter=only)
    with pytest.raises(TargetError, match=r"strict mode refuses a filter on 'metadata\.topic'.*creates none") as caught:
        target.retriever.retrieve(support.QUESTIONS, 3)
    assert "\n" not in str(caught.value)
    client.close()


def test_the_limits_of_strict_mode_are_kept(standin: StandIn) -> None:
    standin.config = {"strict_mode_config": {"enabled": True, "max_query_limit": 7, "search_max_batchsize": 2}}
    target = open_target(f"qdrant:{standin.url}#docs", embedder=support.hashed)
    assert len(target.reader.ids()) == 40
    assert sum(len(page) for page in target.reader.scan(vectors=False)) == 40
    replies = target.retriever.retrieve(support.QUESTIONS, 20)
    assert [len(r.sources) for r in replies] == [7, 7, 7]
    assert all("7 results a search at the most" in (r.error or "") for r in replies)
    assert {len(r.body["searches"]) for r in standin.of("query")} == {2, 1}
    assert not target.retriever.retrieve(support.QUESTIONS, 5)[0].error
    target.close()


def test_a_client_handed_in_with_its_own_timeout(standin: StandIn) -> None:
    from qdrant_client import QdrantClient

    from darnel.adapters.qdrant import qdrant_target

    client = QdrantClient(url=standin.url, timeout=PATIENCE, check_compatibility=False)
    target = qdrant_target(client, "docs", support.embedder())
    plants = support.make_plants(target.injector)
    standin.plan["upsert"] = [Fault(apply=None, delay=SLOW)]
    with pytest.raises(StoreError, match="unknown until it is read back"):
        target.injector.inject(plants)
    assert len(target.injector.read([p.id for p in plants])) == 3
    client.close()
