"""What every adapter must hold, on each store that runs here: in memory, Chroma in a folder, Chroma over HTTP."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import darnel
from darnel.adapters.memory import DenseRanker, MemoryCorpus, memory_target
from darnel.core.corpus import Target
from darnel.core.errors import CollisionError
from darnel.core.plant import Plant, make_marker, make_plant
from darnel.core.planting.campaign import Campaign
from darnel.core.planting.digest import record_digest
from darnel.core.planting.ledger import Ledger
from darnel.embedders.resolve import resolve_embedder
from tests.support import chroma, corpora
from tests.support.command import HASHED
from tests.support.embedder import DIMENSION, hashed
from tests.support.planting import make_plants


@dataclass
class Store:
    """A corpus of 40 records, and its owner's own view: ``state`` digests every record, ``write`` adds one."""

    target: Target
    state: Callable[[], dict[str, Any]]
    write: Callable[[str, str, dict[str, Any]], None]

    @property
    def injector(self) -> Any:
        return self.target.injector


def in_memory() -> Store:
    corpus = MemoryCorpus(corpora.make_records(), ranker=DenseRanker(resolve_embedder(hashed)))

    def write(id_: str, text: str, metadata: dict[str, Any]) -> None:
        corpus.records[id_] = darnel.Record(id_, text, metadata)

    return Store(memory_target(corpus), lambda: {i: record_digest(r) for i, r in corpus.records.items()}, write)


def in_chroma(target: Target, collection: Any) -> Store:
    def write(id_: str, text: str, metadata: dict[str, Any]) -> None:
        vectors = np.asarray(hashed([text]), dtype=np.float32)
        collection.add(ids=[id_], documents=[text], metadatas=[metadata], embeddings=vectors)

    return Store(target, lambda: chroma.everything(collection), write)


@pytest.fixture(params=["memory", "folder", "http"])
def store(request: pytest.FixtureRequest) -> Iterator[Store]:
    with ExitStack() as stack:
        if request.param == "memory":
            yield in_memory()
            return
        if request.param == "folder":
            folder: Path = request.getfixturevalue("folder")
            collection = stack.enter_context(chroma.reading(folder))  # first: darnel shares a client, Chroma does not
            target = darnel.open_target(f"chroma:{folder}#docs", embedder=HASHED)
        else:
            spec, collection = request.getfixturevalue("served")
            target = darnel.open_target(spec, embedder=HASHED)
        stack.callback(target.close)
        yield in_chroma(target, collection)


def plants(store: Store, count: int = 3, text: str = "planted", **given: Any) -> list[Plant]:
    made, identity = [], store.injector.describe().identity
    for number in range(count):
        marker = make_marker(0, number)
        made.append(
            make_plant(
                identity=identity,
                campaign="20260101-000000-ab",
                pattern="hand",
                strength=1,
                query_id="q",
                copy=number,
                marker=marker,
                text=f"{text} {number} {marker}",
                **{"metadata": {"tenant": "acme", "page": 3}, **given},
            )
        )
    return made


def ids(made: list[Plant]) -> list[str]:
    return [p.id for p in made]


def test_injecting_twice_is_injecting_once(store: Store) -> None:
    before, made = store.state(), plants(store)
    store.injector.inject(made)
    once = store.state()
    store.injector.inject(made)
    assert store.state() == once
    assert once.keys() - before.keys() == set(ids(made))
    assert {i: once[i] for i in before} == before


def test_injecting_again_leaves_exactly_the_new_text_and_metadata(store: Store) -> None:
    store.injector.inject(plants(store, metadata={"tenant": "acme", "stale": "old", "page": 3}))
    made = plants(store, text="reworded", metadata={"tenant": "other", "new": 1.5})
    store.injector.inject(made)
    found = store.injector.read(ids(made))
    assert [found[p.id].text for p in made] == [p.text for p in made]
    assert [dict(found[p.id].metadata) for p in made] == [dict(p.metadata) for p in made]


def test_injecting_again_after_a_removal_works(store: Store) -> None:
    before, made = store.state(), plants(store)
    for _ in range(3):
        store.injector.inject(made)
        assert store.injector.read(ids(made)).keys() == set(ids(made))
        store.injector.remove(ids(made))
        assert store.state() == before


def test_removing_is_safe_in_every_order(store: Store) -> None:
    before, made = store.state(), plants(store)
    store.injector.remove([])
    store.injector.remove(ids(made))  # never injected
    assert store.state() == before
    store.injector.inject(made)
    store.injector.inject([])
    store.injector.remove([made[0].id, made[0].id])
    assert store.injector.read(ids(made)).keys() == set(ids(made[1:]))
    store.injector.remove(ids(made))
    store.injector.remove(ids(made))
    assert store.state() == before


def test_a_foreign_record_is_never_overwritten(store: Store) -> None:
    made = plants(store)
    store.write(made[1].id, "the owner's", {"tenant": "acme"})
    before = store.state()
    with pytest.raises(CollisionError, match="is the owner's"):
        store.injector.inject(made)
    assert store.state() == before  # nor were its neighbours written


def test_a_foreign_record_is_never_removed(store: Store) -> None:
    made = plants(store)
    store.write(made[1].id, "the owner's", {"tenant": "acme"})
    before = store.state()
    store.injector.remove([*ids(made), "r1", "r2"])
    assert store.state() == before


def test_another_campaigns_plant_is_not_overwritten(store: Store) -> None:
    made = plants(store)
    store.injector.inject(
        [
            replace(p, metadata={**p.metadata, "darnel_plant": str(p.metadata["darnel_plant"]).replace("-ab:", "-zz:")})
            for p in made
        ]
    )
    before = store.state()
    with pytest.raises(CollisionError, match="is a plant of campaign 20260101-000000-zz"):
        store.injector.inject(made)
    assert store.state() == before


def test_what_is_read_is_what_is_there(store: Store) -> None:
    made = plants(store)
    store.injector.inject(made)
    found = store.injector.read([*ids(made), "r3", "absent", "r3"])
    assert found.keys() == {*ids(made), "r3"}
    assert found["r3"].text == corpora.make_records()[3].text
    assert dict(found["r3"].metadata) == corpora.make_records()[3].metadata
    assert store.injector.read([]) == {}


def test_the_whole_corpus_can_be_scanned(store: Store) -> None:
    made = plants(store)
    store.injector.inject(made)
    reader = store.target.reader
    assert reader is not None
    assert sorted(reader.ids()) == sorted(store.state())
    scanned = [r for batch in reader.scan(7) for r in batch]
    assert sorted(r.id for r in scanned) == sorted(store.state())
    assert all(r.text for r in scanned)
    assert sorted(r.id for r in reader.plants()) == sorted(ids(made))


def test_describing_says_what_is_there_and_changes_nothing(store: Store) -> None:
    before = store.state()
    said = store.injector.describe()
    assert (said.size, said.dimension, said.embedder) == (40, DIMENSION, said.embedder)
    assert said.shape.constant == {"tenant": "acme"}
    assert said.identity == store.injector.describe().identity
    assert said.capabilities.scan
    assert said.capabilities.search
    assert store.state() == before


def test_plants_are_retrieved_and_the_best_is_first(store: Store) -> None:
    made = plants(store, 2)
    store.injector.inject(made)
    retriever = store.target.retriever
    assert retriever is not None
    replies = retriever.retrieve([made[0].text, made[1].text, corpora.make_records()[5].text or ""], 4)
    assert [r.sources[0].id for r in replies] == [made[0].id, made[1].id, "r5"]
    assert all(len(r.sources) == 4 for r in replies)
    for reply in replies:
        scores = [s.score for s in reply.sources]
        assert scores == sorted(scores, reverse=True)  # type: ignore[type-var]
    assert retriever.retrieve([], 4) == []


def test_more_than_one_request_takes(store: Store) -> None:
    before = store.state()
    vectors = np.random.default_rng(0).standard_normal((5_500, DIMENSION)).astype(np.float32)
    made = [replace(p, vector=v) for p, v in zip(plants(store, 5_500), vectors, strict=True)]
    assert store.injector.describe().max_batch < 5_500
    store.injector.inject(made)
    assert store.injector.read(ids(made)).keys() == set(ids(made))
    store.injector.remove(ids(made))
    assert store.state() == before


def test_a_whole_campaign_leaves_the_corpus_bit_identical(store: Store, ledger: Ledger) -> None:
    before = store.state()
    with Campaign(store.injector, ledger) as campaign:
        assert len(campaign.plant(make_plants(campaign, 20)).visible) == 20
        assert len(store.state()) == 60
    assert store.state() == before


STRANGE = [
    "\x1b[31m red \x07",
    "\u202eright to left\u202c",
    "new\nline\r\ttab",
    "😀 e\u0301 中文",
    "x" * 1_000_000,
    "'; DROP TABLE x; --",
    "\x7f\x80\x9b",
]


@pytest.mark.parametrize("number", range(len(STRANGE)))
def test_unusual_text_comes_back_as_it_went(store: Store, number: int) -> None:
    before = store.state()
    (made,) = plants(store, 1, text=STRANGE[number], metadata={"tenant": STRANGE[number][:1_000]})
    store.injector.inject([made])
    found = store.injector.read([made.id])[made.id]
    assert (found.text, dict(found.metadata)) == (made.text, dict(made.metadata))
    store.injector.remove([made.id])
    assert store.state() == before
