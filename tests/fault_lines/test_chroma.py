"""Faults of Chroma that others met in public, each by its kind, on the real store."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import darnel
from darnel.adapters.chroma import ChromaCorpus, connect
from darnel.api import open_target
from darnel.core.asking.evidence import PlantIndex
from darnel.core.asking.ranking import ask
from darnel.core.asking.reach import Row, find_unreachable
from darnel.core.errors import PlantError, TargetError
from darnel.core.plant import Plant
from darnel.core.planting.campaign import Campaign
from darnel.core.planting.ledger import Ledger
from darnel.embedders.base import CachedEmbedder
from tests.support import chroma, corpora
from tests.support.command import HASHED, ROOT, environment
from tests.support.embedder import embed, hashed
from tests.support.planting import make_plants

EMBEDDER = CachedEmbedder("hashed", hashed)
QUICK = {"visible_within": 0.2, "gone_within": 0.5}


@contextmanager
def process(kind: str, place: Path) -> Iterator[Callable[[str], Any]]:
    """Another process at work on the folder; call it with a command."""
    command = [sys.executable, "-m", "tests.fault_lines.appchild", kind, str(place)]
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, cwd=ROOT, env=environment(), **pipes) as child:
        assert child.stdin is not None and child.stdout is not None
        reader, writer = child.stdout, child.stdin
        assert json.loads(reader.readline()) in ("ready", "held")

        def call(line: str) -> Any:
            writer.write(f"{line}\n")
            writer.flush()
            return json.loads(reader.readline())

        try:
            yield call
        finally:
            writer.close()
            child.wait(timeout=30)


class Adds(ChromaCorpus):
    """An adapter whose author trusted ``add``."""

    def inject(self, plants: Sequence[Plant]) -> None:
        self.collection.add(
            ids=[p.id for p in plants],
            documents=[p.text for p in plants],
            metadatas=[dict(p.metadata) for p in plants],
            embeddings=[embed(p.text) for p in plants],
        )


def test_add_on_an_existing_id_changes_nothing_and_is_seen(collection: Any, ledger: Ledger) -> None:
    before = chroma.everything(collection)
    with Campaign(Adds(collection, EMBEDDER), ledger, **QUICK) as campaign:
        old, new = make_plants(campaign, 1), make_plants(campaign, 1, before=("another text",))
        assert campaign.plant(old).visible == {old[0].id}
        planting = campaign.plant(new)
        assert planting.error is None  # the store says that it wrote
        assert planting.missing == {new[0].id}
        right = ChromaCorpus(collection, EMBEDDER)
        right.inject(new)
        assert right.read([new[0].id])[new[0].id].text == new[0].text
    assert campaign.leftovers == []
    assert chroma.everything(collection) == before


def test_a_delete_that_counts_what_was_never_there_is_not_believed(collection: Any, ledger: Ledger) -> None:
    said = collection.delete(ids=["never-there"])
    assert said is None or said["deleted"] == 1
    with Campaign(ChromaCorpus(collection, EMBEDDER), ledger, **QUICK) as campaign:
        plants = make_plants(campaign, 3)
        campaign.plant(plants)
        collection.delete(ids=[plants[0].id])  # somebody else was faster
    assert campaign.leftovers == []
    assert collection.count() == 40


def test_an_id_written_and_removed_many_times_keeps_vector_and_place(collection: Any, ledger: Ledger) -> None:
    corpus, before = ChromaCorpus(collection, EMBEDDER), chroma.everything(collection)
    asked = [q.text for q in corpora.make_query_list()]
    lists = [[s.id for s in r.sources] for r in corpus.retrieve(asked, 10)]
    with Campaign(corpus, ledger, **QUICK) as campaign:
        plants = make_plants(campaign, 8)
        for _ in range(25):
            assert len(campaign.plant(plants).visible) == 8
            for id_, record in corpus.read_vectors([p.id for p in plants]).items():
                text = next(p.text for p in plants if p.id == id_)
                assert np.allclose(record.vector, embed(text), atol=1e-6)
            found = corpus.retrieve([p.text for p in plants], 3)
            assert all(p.id in {s.id for s in r.sources} for p, r in zip(plants, found, strict=True))
            assert campaign.remove(plants).leftovers == ()
            assert [[s.id for s in r.sources] for r in corpus.retrieve(asked, 10)] == lists
    assert chroma.everything(collection) == before


def test_a_file_that_grew_is_no_changed_corpus(folder: Path, questions: Path, ledger: Ledger) -> None:
    asked = questions.read_text().split("\n")[:-1]
    database = folder / "chroma.sqlite3"
    size = database.stat().st_size
    results = darnel.run(f"chroma:{folder}#docs", asked, ["flood:3"], embedder=HASHED, ledger=ledger)
    assert database.stat().st_size > size  # the log of writes keeps them
    assert results.exit_code == 0
    assert results.corpus_digest is not None and results.corpus_digest.same
    with chroma.reading(folder) as collection:
        assert chroma.kit_records(collection) == []


@pytest.mark.parametrize("key", ["chroma:document", "#mine", "$mine"])
def test_metadata_keys_that_the_store_keeps_for_itself_are_refused(collection: Any, ledger: Ledger, key: str) -> None:
    before = chroma.everything(collection)
    corpus = ChromaCorpus(collection, EMBEDDER)
    with Campaign(corpus, ledger, **QUICK) as campaign:
        plants = make_plants(campaign, 2, metadata={key: "mine"})
        with pytest.raises(PlantError, match="keeps the metadata key"):
            corpus.inject(plants)
        planting = campaign.plant(plants)
        assert not planting.visible
        assert key in str(planting.error)
    assert chroma.everything(collection) == before


def test_records_that_search_cannot_reach_are_told_from_those_not_retrieved(tmp_path: Path, ledger: Ledger) -> None:
    """An index with hardly any links; of what it holds by id, search shows a part."""
    with ExitStack() as stack:
        client = chroma.persistent(tmp_path / "thin")
        stack.callback(client.close)
        thin = {"space": "cosine", "max_neighbors": 2, "ef_construction": 2, "ef_search": 1}
        collection = client.create_collection("docs", embedding_function=None, configuration={"hnsw": thin})
        records = corpora.make_records(800)
        collection.add(
            ids=[r.id for r in records],
            documents=[r.text for r in records],
            metadatas=[dict(r.metadata or {}) for r in records],
            embeddings=[r.vector for r in records],
        )
        corpus = ChromaCorpus(collection, EMBEDDER)
        with Campaign(corpus, ledger, **QUICK) as campaign:
            plants = make_plants(campaign, 200, before=("bread", "boat", "bee", "map", "lock"))
            visible = campaign.plant(plants).visible
            assert len(visible) == 200
            texts = [p.text for p in plants]
            found = ask(corpus, texts, PlantIndex(plants), [lambda _p: True] * 200, depth=5, deepen=False)
            rows = [Row(p.text, listing, (p,)) for p, listing in zip(plants, found, strict=True)]
            absent = {
                row.plants[0].id for row in rows if row.plants[0].id not in {e.source.id for e in row.listing.entries}
            }
            assert absent, "the index reached every plant: it is no thin one any more"
            lost = find_unreachable(corpus, rows, visible, 5)
            # each plant is the nearest there is to its own text, so its absence is the index's doing
            assert lost.keys() == absent
            assert all(x.rank <= 5 and "approximate index" in x.why for x in lost.values())
    assert campaign.leftovers == []


def test_a_second_process_on_the_folder_serves_what_was_removed_and_is_named(folder: Path, ledger: Ledger) -> None:
    with process("app", folder) as app:
        first = app("query flour and yeast")
        target = open_target(f"chroma:{folder}#docs", embedder=HASHED)
        (check,) = [c for c in target.checks() if c.name == "second client"]
        assert check.ok is None
        assert "stale" in check.detail or "may serve a plant after its removal" in check.detail
        if sys.platform == "linux":
            assert "has" in check.detail and "python" in check.detail
        with Campaign(target.injector, ledger, **QUICK) as campaign:
            (plant,) = make_plants(campaign, 1, before=("flour and yeast",))
            campaign.plant([plant])
            assert plant.id in app("get")
            assert plant.id not in app("query flour and yeast")  # the fault: there by id, and not in its search
            app("add a note of the application's own")
            assert plant.id in app("query flour and yeast")
        target.close()
        assert campaign.leftovers == []
        assert plant.id not in app("get")
        assert plant.id in app("query flour and yeast")  # why the check says to restart it
    with process("app", folder) as again:
        assert again("query flour and yeast") == first


def test_through_a_server_the_application_sees_plants_come_and_go(served: tuple[str, Any], ledger: Ledger) -> None:
    spec, owner = served
    asked = {"query_embeddings": [embed("flour and yeast")], "n_results": 5}
    first = owner.query(**asked)["ids"]
    target = open_target(spec, embedder=HASHED)
    with Campaign(target.injector, ledger, **QUICK) as campaign:
        (plant,) = make_plants(campaign, 1, before=("flour and yeast",))
        campaign.plant([plant])
        assert owner.query(**asked)["ids"][0][0] == plant.id
    target.close()
    assert owner.query(**asked)["ids"] == first


def test_a_folder_that_another_process_keeps_locked_is_refused_and_not_waited_for(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connect, "BUSY_WAIT", 0.2)
    with process("hold", folder / "chroma.sqlite3"):
        with pytest.raises(TargetError, match=r"keeps .* locked") as refused:
            open_target(f"chroma:{folder}#docs", embedder=HASHED)
        assert "\n" not in str(refused.value)
    target = open_target(f"chroma:{folder}#docs", embedder=HASHED)
    assert target.injector.describe().size == 40
    target.close()
