"""Faults of Qdrant that others met in public, each by its kind, in its local mode."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("qdrant_client", reason="needs qdrant-client; run: pip install qdrant-client")

from qdrant_client import QdrantClient, models

import darnel
from darnel.adapters.qdrant import qdrant_target
from darnel.core.planting.campaign import Campaign
from darnel.core.planting.ledger import Ledger
from tests.adapters.qdrant import support


def only(key: str, value: Any) -> models.Filter:
    return models.Filter(must=[models.FieldCondition(key=key, match=models.MatchValue(value=value))])


def test_a_delete_by_filter_on_a_wrong_path_says_completed_and_none_is_relied_on(ledger: Ledger) -> None:
    client = support.memory()
    before = support.witness(client)
    wrong = models.FilterSelector(filter=only("source", "bread/0.md"))  # it lies under "metadata"
    assert client.delete("docs", wrong).status == models.UpdateStatus.COMPLETED
    assert support.witness(client) == before
    target = qdrant_target(client, "docs", support.embedder())
    with Campaign(target.injector, ledger, visible_within=0.5, gone_within=0.5) as campaign:
        plants = support.make_plants(target.injector, campaign=campaign.id)
        assert len(campaign.plant(plants).visible) == 3
    assert campaign.leftovers == []
    assert support.witness(client) == before


def test_an_empty_filter_matches_everything_and_costs_no_record_of_the_owners(ledger: Ledger) -> None:
    """A filter's word is checked against each record's stamp, and nothing is deleted by one."""
    client = support.memory()
    before = support.witness(client)
    target = qdrant_target(client, "docs", support.embedder())
    plants = support.make_plants(target.injector)
    target.injector.inject(plants)
    scroll, delete, selectors = client.scroll, client.delete, []

    def careless(*args: Any, **options: Any) -> Any:
        return scroll(*args, **{**options, "scroll_filter": models.Filter()})

    def watched(*args: Any, **options: Any) -> Any:
        selectors.append(options["points_selector"])
        return delete(*args, **options)

    client.scroll, client.delete = careless, watched  # type: ignore[method-assign]
    assert {r.id for r in target.reader.plants()} == {p.id for p in plants}
    target.injector.remove([])
    target.injector.remove([*before, *(p.id for p in plants)])
    assert [sorted(s.points) for s in selectors] == [sorted(p.id for p in plants)]
    client.scroll, client.delete = scroll, delete  # type: ignore[method-assign]
    assert support.witness(client) == before
    client.delete("docs", models.FilterSelector(filter=models.Filter()))
    assert client.count("docs").count == 0  # the fault itself


def test_a_folder_that_does_not_shrink_is_no_changed_corpus(tmp_path: Path, ledger: Ledger) -> None:
    client = QdrantClient(path=str(tmp_path / "db"))
    support.fill(client)
    before, size = support.witness(client), _size(tmp_path / "db")
    results = darnel.run((client, "docs"), support.QUESTIONS, ["flood:20"], embedder=support.hashed, ledger=ledger)
    assert results.exit_code == 0
    assert results.corpus_digest is not None and results.corpus_digest.same
    assert _size(tmp_path / "db") >= size
    assert support.witness(client) == before
    client.close()


def _size(folder: Path) -> int:
    return sum(p.stat().st_size for p in folder.rglob("*") if p.is_file())


def test_an_application_that_deletes_by_filter_while_planted_takes_no_plant_with_it(ledger: Ledger) -> None:
    """And where it does take plants, that is a removal like any other: seen, and nothing left over."""
    client = support.memory()
    target = qdrant_target(client, "docs", support.embedder())
    with Campaign(target.injector, ledger, visible_within=0.5, gone_within=0.5) as campaign:
        plants = support.make_plants(target.injector, campaign=campaign.id, source="plant.md")
        campaign.plant(plants)
        client.delete("docs", models.FilterSelector(filter=only("metadata.source", "bread/0.md")))
        assert len(target.injector.read([p.id for p in plants])) == 3
        client.delete("docs", models.FilterSelector(filter=only("metadata.source", "plant.md")))
        assert not target.injector.read([p.id for p in plants])
    assert campaign.leftovers == []
    assert client.count("docs").count == 39


def test_a_batch_sent_three_times_is_written_once(ledger: Ledger) -> None:
    client = support.memory()
    before = support.witness(client)
    target = qdrant_target(client, "docs", support.embedder())
    sent: list[int] = []
    upsert = client.upsert

    def uploader(*args: Any, **options: Any) -> Any:
        for _ in range(2):
            upsert(*args, **options)
        sent.append(3)
        return upsert(*args, **options)

    client.upsert = uploader  # type: ignore[method-assign]  # as a client that retries what had arrived
    with Campaign(target.injector, ledger, visible_within=0.5, gone_within=0.5) as campaign:
        plants = support.make_plants(target.injector, campaign=campaign.id)
        assert len(campaign.plant(plants).visible) == 3
        assert sent and client.count("docs").count == 43
    assert campaign.leftovers == []
    assert support.witness(client) == before
