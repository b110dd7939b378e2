"""Mode A over each store: the same ranks, nothing left, nothing else changed."""

from __future__ import annotations

from typing import Any

import pytest

import darnel

PATTERNS = ["echo:1", "echo:3", "keywords:5"]


def run(app: Any, ledger: Any, kit: Any, given: Any = None, **options: Any) -> Any:
    return darnel.run(
        app.index if given is None else given, kit.demo_queries(6), PATTERNS, k=5, ledger=ledger, **options
    )


def ranks(results: Any) -> list[Any]:
    return [(o.pattern, o.query, o.plant, o.outcome, o.rank) for o in results.observations]


def test_a_run_leaves_everything_as_it_was(app: Any, ledger: Any, kit: Any) -> None:
    before = app.witness()
    results = run(app, ledger, kit)
    assert app.witness() == before
    assert results.leftovers == []
    assert results.errors == []
    assert results.baseline.same
    assert results.corpus_digest.kind == "full"
    assert results.corpus_digest.same
    assert results.corpus_digest.count == 48
    outcomes = {o.outcome for o in results.observations}
    assert "retrieved" in outcomes
    assert "inconclusive" not in outcomes


def test_the_stores_agree_on_every_rank(ledger: Any, kit: Any) -> None:
    found = {kind: ranks(run(kit.make_app(kind), ledger, kit)) for kind in kit.KINDS}
    for kind, rows in found.items():
        assert rows == found["simple"], kind
    assert len({row[-1] for row in found["simple"]}) > 2  # they are not all alike


def test_a_sampled_digest_also_holds(ledger: Any, kit: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("darnel.core.planting.digest.FULL_UP_TO", 10)
    monkeypatch.setattr("darnel.core.planting.digest.SAMPLE", 20)
    results = run(kit.make_app("chroma"), ledger, kit)
    assert (results.corpus_digest.kind, results.corpus_digest.covered) == ("sample", 20)
    assert results.corpus_digest.same


def test_a_cosine_collection_of_a_local_qdrant_counts_as_unchanged(ledger: Any, kit: Any) -> None:
    app = kit.make_app("qdrant", distance="Cosine")
    results = run(app, ledger, kit)
    assert results.corpus_digest.same
    assert ranks(results) == ranks(run(kit.make_app("simple"), ledger, kit))


def test_a_real_change_during_the_run_is_named(ledger: Any, kit: Any) -> None:
    app = kit.make_app("qdrant", distance="Cosine")
    victim = app.client.scroll("docs", limit=1)[0][0].id
    moved = kit.word_vector("entirely other words")

    def meddle(_what: str, done: int, _of: int) -> None:
        if done:
            from qdrant_client.models import PointVectors

            app.client.update_vectors("docs", [PointVectors(id=victim, vector=moved)])

    results = run(app, ledger, kit, options=darnel.RunOptions(progress=meddle))
    assert results.corpus_digest.changed == [str(victim)]


def test_a_bare_store_with_an_embedder_gives_the_same_ranks(ledger: Any, kit: Any) -> None:
    for kind in ("chroma", "qdrant"):
        app = kit.make_app(kind)
        before = app.witness()
        results = run(app, ledger, kit, app.store, embedder=app.model)
        assert ranks(results) == ranks(run(app, ledger, kit)), kind
        assert app.witness() == before


def test_persisted_files_are_not_written(ledger: Any, kit: Any, tmp_path: Any) -> None:
    from llama_index.core import StorageContext, load_index_from_storage

    folder = tmp_path / "storage"
    kit.make_app("simple").index.storage_context.persist(str(folder))
    before = {p.name: (p.read_bytes(), p.stat().st_mtime_ns) for p in folder.iterdir()}
    index = load_index_from_storage(
        StorageContext.from_defaults(persist_dir=str(folder)), embed_model=kit.embed_model()
    )
    assert run(None, ledger, kit, index).leftovers == []
    assert {p.name: (p.read_bytes(), p.stat().st_mtime_ns) for p in folder.iterdir()} == before
    again = tmp_path / "again"
    index.storage_context.persist(str(again))
    import json

    for name, (content, _when) in before.items():
        assert json.loads((again / name).read_bytes()) == json.loads(content), name
