"""The contract on real local mode, for every shape of payload, with a witness that reads Qdrant by itself."""

from __future__ import annotations

import uuid
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from qdrant_client import QdrantClient, models

import darnel
from darnel.adapters.qdrant import QdrantOptions, qdrant_target
from darnel.core.errors import CollisionError, EmbedderError, PlantError
from darnel.core.plant import read_stamp
from tests.adapters.qdrant import support

ALL = pytest.mark.parametrize("shape", list(support.SHAPES))


def open_corpus(client: Any, shape: str = "langchain", **more: Any) -> Any:
    options = QdrantOptions(**{**support.SHAPES[shape][1], **more})
    return qdrant_target(client, "docs", support.embedder(), options=options).injector


@ALL
def test_inject_read_replace_remove_leaves_the_rest_bit_identical(local: Any, shape: str) -> None:
    support.fill(local, support.SHAPES[shape][0])
    before = support.witness(local)
    corpus = open_corpus(local, shape)
    plants = support.make_plants(corpus)
    corpus.inject(plants)
    corpus.inject(plants)
    found = corpus.read([p.id for p in plants])
    assert {i: (r.text, dict(r.metadata)) for i, r in found.items()} == {
        p.id: (p.text, dict(p.metadata)) for p in plants
    }
    changed = support.make_plants(corpus, text="Another text about honey.", extra="new")
    fewer = [p for p in changed if p.id == plants[0].id]
    corpus.inject(fewer)
    (record,) = corpus.read([plants[0].id]).values()
    assert record.text == fewer[0].text
    assert dict(record.metadata) == dict(fewer[0].metadata)
    corpus.inject([plants[0]])
    (record,) = corpus.read([plants[0].id]).values()
    assert dict(record.metadata) == dict(plants[0].metadata)
    assert {r.id for r in corpus.plants()} == {p.id for p in plants}
    corpus.remove([p.id for p in plants])
    corpus.remove([p.id for p in plants])
    corpus.remove([str(uuid.uuid4()), "no qdrant id", "18446744073709551616", "-1"])
    corpus.remove([])
    assert support.witness(local) == before
    assert not corpus.plants()


@ALL
def test_a_plant_has_the_payload_keys_of_the_applications_own(local: Any, shape: str) -> None:
    support.fill(local, support.SHAPES[shape][0])
    corpus = open_corpus(local, shape)
    (plant,) = support.make_plants(corpus, 1)
    corpus.inject([plant])
    payload = support.stored(local, [plant.id])[plant.id]
    own = support.SHAPES[shape][0](0, *support.texts()[0])
    where = {"langchain": "metadata", "haystack": "meta", "nested": "my info"}.get(shape, "")
    kit = {"darnel", "darnel_plant"}
    assert payload.keys() - kit == own.keys()
    part, own_part = (payload[where], own[where]) if where else (payload, own)
    assert part.keys() - kit == own_part.keys()
    assert kit <= part.keys()
    # a key of one value throughout keeps it, type and all; identifiers are the plant's own
    for key in ("tenant", "level", "score"):
        for mine, theirs in ((payload, own), (part, own_part)):
            if key in theirs:
                assert (type(mine[key]), mine[key]) == (type(theirs[key]), theirs[key])
    if "source" in part:
        assert part["source"] == plant.marker


@ALL
def test_every_record_comes_back_once_and_whole(local: Any, shape: str) -> None:
    support.fill(local, support.SHAPES[shape][0], count=37)
    corpus = open_corpus(local, shape)
    pages = list(corpus.scan(10))
    assert [len(p) for p in pages] == [10, 10, 10, 7]
    records = {r.id: r for page in pages for r in page}
    assert records.keys() == set(corpus.ids()) == support.witness(local).keys()
    number = 11
    topic, text = support.texts()[number]
    record = records[str(support.record_id(number))]
    assert record.text == text
    assert record.metadata["topic"] == topic
    assert [round(x, 6) for x in record.vector] == [
        round(x, 6) for x in corpus.fetch([record.id], vectors=True)[0].vector
    ]
    assert all(r.vector is None for page in corpus.scan(vectors=False) for r in page)


@ALL
def test_any_change_of_a_record_changes_its_digest(local: Any, shape: str) -> None:
    from darnel.core.planting.digest import record_digest

    support.fill(local, support.SHAPES[shape][0])
    corpus = open_corpus(local, shape)
    id_ = str(support.record_id(3))
    seen = {record_digest(corpus.read_vectors([id_])[id_])}
    payload = support.stored(local, [id_])[id_]
    for key in payload:
        local.set_payload("docs", {key: "changed"}, points=[id_])
        seen.add(record_digest(corpus.read_vectors([id_])[id_]))
        local.set_payload("docs", {key: payload[key]}, points=[id_])
        local.overwrite_payload("docs", {k: v for k, v in payload.items() if k != key}, points=[id_])
        seen.add(record_digest(corpus.read_vectors([id_])[id_]))
        local.set_payload("docs", {key: payload[key]}, points=[id_])
    local.set_payload("docs", {"one more": 1}, points=[id_])
    seen.add(record_digest(corpus.read_vectors([id_])[id_]))
    assert len(seen) == 2 * len(payload) + 2


def test_a_foreign_point_under_a_planned_id_is_neither_overwritten_nor_deleted(local: Any) -> None:
    support.fill(local)
    corpus = open_corpus(local)
    plants = support.make_plants(corpus)
    mine = models.PointStruct(
        id=plants[1].id, vector=support.embed("mine"), payload={"page_content": "mine", "metadata": {}}
    )
    local.upsert("docs", [mine])
    before = support.witness(local)
    with pytest.raises(CollisionError, match="nothing was written"):
        corpus.inject(plants)
    corpus.remove([p.id for p in plants])
    assert support.witness(local) == before


@pytest.mark.skipif(not support.HAS_UPDATE_MODE, reason="qdrant-client before 1.17 cannot write absent ids only")
def test_a_point_that_appears_after_the_read_wins(local: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Insert-only: between our read and our write somebody else took the id."""
    support.fill(local)
    corpus = open_corpus(local)
    plants = support.make_plants(corpus, 2)
    mine = models.PointStruct(
        id=plants[0].id, vector=support.embed("mine"), payload={"page_content": "mine", "metadata": {}}
    )
    read = corpus.read

    def read_then_lose(ids: Any) -> Any:
        found = read(ids)
        local.upsert("docs", [mine])
        return found

    monkeypatch.setattr(corpus, "read", read_then_lose)
    corpus.inject(plants)
    monkeypatch.undo()
    found = corpus.read([p.id for p in plants])
    assert found[plants[0].id].text == "mine"
    assert found[plants[1].id].text == plants[1].text


def test_ids_in_any_spelling_are_the_same_point(local: Any) -> None:
    support.fill(local, count=3)
    corpus = open_corpus(local)
    id_ = support.record_id(1)
    for spelling in (id_.hex, f"urn:uuid:{id_}", str(id_).upper()):
        assert corpus.read([spelling])[spelling].id == str(id_)
    local.upsert(
        "docs", [models.PointStruct(id=7, vector=support.embed("x"), payload=support.langchain(7, "bees", "seven"))]
    )
    assert corpus.read(["7"])["7"].text == "seven"
    assert "7" in corpus.ids()


def test_a_plant_edited_since_reads_as_changed_and_is_left(local: Any, ledger: Any) -> None:
    support.fill(local)
    target = qdrant_target(local, "docs", support.embedder())
    from darnel.core.planting.campaign import Campaign

    with Campaign(target.injector, ledger, gone_within=0.2) as campaign:
        plants = support.make_plants(target.injector, campaign=campaign.id)
        campaign.plant(plants)
        local.set_payload("docs", {"editor": "ann"}, points=[plants[0].id])
        local.set_payload("docs", {"metadata": {"darnel": "plant"}}, points=[plants[1].id])
    assert sorted((left.id, left.state) for left in campaign.leftovers) == sorted(
        [(plants[0].id, "changed"), (plants[1].id, "changed")]
    )
    assert plants[0].id in support.witness(local)
    assert plants[2].id not in support.witness(local)


def test_bad_input_is_refused_before_any_write(local: Any) -> None:
    support.fill(local)
    before = support.witness(local)
    plants = support.make_plants(open_corpus(local))
    wide = darnel.embedders.base.CachedEmbedder("wide", lambda t: [[*v, 0.0] for v in support.hashed(t)])
    with pytest.raises(EmbedderError, match="25 dimensions and the corpus holds 24"):
        qdrant_target(local, "docs", wide).injector.inject(plants)
    with pytest.raises(EmbedderError, match="give it with --embedder"):
        qdrant_target(local, "docs").injector.inject(plants)
    huge = support.make_plants(open_corpus(local), 1, text="x" * 17_000_000)
    with pytest.raises(PlantError, match="lower the strength"):
        open_corpus(local).inject([*plants, *huge])
    assert support.witness(local) == before


def test_a_local_scan_asks_once_and_gives_what_was_asked_for(local: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each page of a local client costs a sort of all its points."""
    support.fill(local)
    corpus, asked, scroll = open_corpus(local), [], local.scroll
    whole = {r.id: r.text for page in corpus.scan() for r in page}
    monkeypatch.setattr(local, "scroll", lambda *a, **k: asked.append(k) or scroll(*a, **k))
    pages = list(corpus.scan(3, vectors=False))
    assert len(asked) == 1
    assert {len(page) for page in pages[:-1]} == {3}
    assert {r.id: r.text for page in pages for r in page} == whole


def test_nothing_of_the_collection_or_its_siblings_changes(local: Any) -> None:
    support.fill(local)
    support.fill(local, support.llamaindex, "sibling")
    local.create_collection("empty", vectors_config=models.VectorParams(size=3, distance=models.Distance.DOT))
    names = ("docs", "sibling", "empty")
    before = [(support.witness(local, n), local.get_collection(n).model_dump()) for n in names]
    results = darnel.run((local, "docs"), support.QUESTIONS, ["echo:1"], embedder=support.hashed)
    assert results.exit_code == 0
    assert results.corpus_digest.same
    assert results.baseline.same
    assert [(support.witness(local, n), local.get_collection(n).model_dump()) for n in names] == before
    assert sorted(c.name for c in local.get_collections().collections) == sorted(names)


@pytest.mark.parametrize("distance", list(models.Distance))
def test_a_run_proves_the_corpus_unchanged_whatever_the_distance(local: Any, distance: models.Distance) -> None:
    """Local mode renormalises cosine vectors in place at each search; that is not the owner's change, nor ours."""
    support.fill(local, distance=distance)
    results = darnel.run((local, "docs"), support.QUESTIONS, ["echo:1"], embedder=support.hashed)
    assert results.corpus_digest.same
    assert results.baseline.same
    echo = next(s for s in results.scores if s.pattern == "echo:1")
    assert echo.exposure["5"].hits >= 2
    assert results.target.metric == distance.value.lower()


def test_a_reopened_cosine_folder_reads_the_same_before_and_after_a_search(tmp_path: Any) -> None:
    path = str(tmp_path / "db")
    client = QdrantClient(path=path)
    client.create_collection("docs", vectors_config=models.VectorParams(size=2, distance=models.Distance.COSINE))
    client.upsert("docs", [models.PointStruct(id=1, vector=[3.0, 4.0], payload={"page_content": "a", "metadata": {}})])
    client.close()
    client = QdrantClient(path=path)
    corpus = qdrant_target(client, "docs").injector
    before = corpus.read_vectors(["1"])["1"].vector
    raw = client.retrieve("docs", [1], with_vectors=True)[0].vector
    client.query_points("docs", query=[1.0, 0.0])
    assert client.retrieve("docs", [1], with_vectors=True)[0].vector != raw  # what this is about
    assert corpus.read_vectors(["1"])["1"].vector.tobytes() == before.tobytes()
    client.upsert("docs", [models.PointStruct(id=1, vector=[4.0, 3.0], payload={"page_content": "a", "metadata": {}})])
    assert corpus.read_vectors(["1"])["1"].vector.tobytes() != before.tobytes()
    client.close()


@ALL
def test_scores_are_higher_for_better_and_plants_are_recognised(local: Any, shape: str) -> None:
    support.fill(local, support.SHAPES[shape][0], distance=models.Distance.EUCLID)
    corpus = open_corpus(local, shape)
    plants = support.make_plants(corpus)
    corpus.inject(plants)
    replies = corpus.retrieve([plants[0].text, support.QUESTIONS[1]], 7)
    for reply in replies:
        scores = [s.score for s in reply.sources]
        assert len(scores) == 7
        assert scores == sorted(scores, reverse=True)
    first = replies[0].sources[0]
    assert first.id == plants[0].id or shape == "llamaindex"
    stamped = {s.id for s in replies[0].sources if read_stamp(s.metadata)}
    assert stamped == {s.id for s in replies[0].sources} & {p.id for p in plants} != set()
    exact = corpus.exact_scores([plants[0].text] * 3, plants)
    shown = {s.id: s.score for s in replies[0].sources}
    for plant, score in zip(plants, exact, strict=True):
        if plant.id in shown:
            assert score == pytest.approx(shown[plant.id], abs=1e-5)


def test_threads_take_turns_at_a_local_client(local: Any) -> None:
    """Local mode writes through one SQLite connection, and grows its arrays, with no lock of its own."""
    support.fill(local)
    before = support.witness(local)

    def rounds(number: int) -> None:
        corpus = qdrant_target(local, "docs", support.embedder()).injector
        plants = support.make_plants(corpus, 20, campaign=f"c-{number}")
        for _ in range(10):
            corpus.inject(plants)
            assert len(corpus.read([p.id for p in plants])) == 20
            corpus.retrieve([plants[0].text], 3)
            corpus.remove([p.id for p in plants])

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(rounds, range(4)))
    assert support.witness(local) == before
