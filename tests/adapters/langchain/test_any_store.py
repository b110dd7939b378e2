"""Stores that darnel does not know: proved by the first plant, or refused with the reason."""

from __future__ import annotations

import pytest

import darnel
from darnel.adapters.langchain import LangChainCorpus, probe
from darnel.core.errors import TargetError
from darnel.core.plant import find_markers
from darnel.core.planting.ledger import Ledger
from tests.adapters.langchain import shelf
from tests.adapters.langchain.plants import plant
from tests.adapters.langchain.shelf import Shelf
from tests.adapters.langchain.words import QUESTIONS, WordEmbeddings


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(probe, "WAIT", 0.2)


def run(store: Shelf, ledger: Ledger) -> darnel.Results:
    options = darnel.RunOptions(visible_within=0.2, gone_within=0.2)
    return darnel.run(store, QUESTIONS, ["echo:1"], ledger=ledger, options=options)


def marked(store: Shelf) -> list[str]:
    return [id_ for id_, (document, _) in store.rows.items() if find_markers(document.page_content)]


@pytest.mark.parametrize("kind", [Shelf, shelf.BlankIds])
def test_a_store_that_keeps_the_bargain_is_tested(
    kind: type[Shelf], embeddings: WordEmbeddings, ledger: Ledger
) -> None:
    store = kind(embeddings)
    before = dict(store.rows)
    results = run(store, ledger)
    assert results.exit_code == 0
    assert results.errors == []
    assert results.cleanup.planted == results.cleanup.removed == len(results.observations) > 0
    assert store.rows == before
    assert any(o.outcome == "retrieved" for o in results.observations)
    assert results.corpus_digest is None  # it cannot be read whole, and the run says so
    assert any("no digest" in w for w in results.warnings)
    assert all(store.deletes), "delete(None) or delete([]) reached the store"


@pytest.mark.parametrize(
    ("kind", "reason"),
    [
        (shelf.CannotDelete, "does not implement delete"),
        (shelf.CannotRead, "does not implement get_by_ids"),
        (shelf.SwallowsIds, "takes no ids"),
        (shelf.AsyncOnly, "get_by_ids does not work here"),
    ],
)
def test_what_the_class_shows_is_refused_before_any_write(
    kind: type[Shelf], reason: str, embeddings: WordEmbeddings, ledger: Ledger
) -> None:
    store = kind(embeddings)
    before = dict(store.rows)
    with pytest.raises(TargetError, match=reason) as refused:
        run(store, ledger)
    assert "\n" not in str(refused.value)
    assert store.rows == before
    assert store.deletes == []
    assert ledger.campaigns(unfinished=False) == []


@pytest.mark.parametrize(
    ("kind", "reason"),
    [
        (shelf.MintsIds, "does not keep the ids"),
        (shelf.MintsIdsInSecret, "does not keep the ids"),
        (shelf.NumbersRecords, "changes the text or the metadata"),
        (shelf.DropsMetadata, "changes the text or the metadata"),
    ],
)
def test_what_only_a_write_shows_costs_one_plant_which_is_taken_out(
    kind: type[Shelf], reason: str, embeddings: WordEmbeddings, ledger: Ledger
) -> None:
    store = kind(embeddings)
    before, written = dict(store.rows), len(store.rows)
    results = run(store, ledger)
    assert results.exit_code == 2
    assert reason in results.errors[0]
    assert {o.outcome for o in results.observations} == {"inconclusive"}
    assert results.leftovers == []
    assert store.rows == before
    assert len(store.rows) == written
    assert ledger.campaigns() == []


def test_the_probe_is_written_once_however_many_waves_there_are(embeddings: WordEmbeddings, ledger: Ledger) -> None:
    store = shelf.MintsIds(embeddings)
    writes = []
    plain = store.add_texts
    store.add_texts = lambda texts, *a, **k: writes.append(list(texts)) or plain(texts, *a, **k)  # type: ignore[method-assign]
    run(store, ledger)
    assert [len(w) for w in writes] == [1]


@pytest.mark.parametrize("kind", [shelf.NeverDeletes, shelf.MintsIdsAndKeepsThem])
def test_what_cannot_be_taken_out_again_is_named(kind: type[Shelf], embeddings: WordEmbeddings, ledger: Ledger) -> None:
    store = kind(embeddings)
    results = run(store, ledger)
    assert results.exit_code == 3
    assert len(marked(store)) == 1
    (document,) = (store.rows[i][0] for i in marked(store))
    assert [left.marker for left in results.leftovers] == list(find_markers(document.page_content))
    assert ledger.campaigns() != []


def test_the_same_id_and_text_is_not_written_twice(embeddings: WordEmbeddings, ledger: Ledger) -> None:
    """A second ``add`` would be a duplicate in some stores, and breaks FAISS."""
    store = Shelf(embeddings)
    corpus = LangChainCorpus(store)
    with darnel.Campaign(corpus, ledger, visible_within=0.2, gone_within=0.2) as campaign:
        written = plant(campaign=campaign.id)
        campaign.plant([written])
        rows = {k: id(v) for k, v in store.rows.items()}
        campaign.plant([written])
        assert {k: id(v) for k, v in store.rows.items()} == rows
