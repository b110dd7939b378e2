"""``darnel plant``, ``status`` and ``sweep``: what is planted by hand is seen, taken out, and proved gone."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.support import chroma
from tests.support.command import Outcome

Cli = Callable[..., Outcome]


@pytest.fixture(params=["folder", "http"])
def place(request: pytest.FixtureRequest) -> Iterator[tuple[str, Any]]:
    """A target spec, and a way for the owner to do something with the collection."""
    if request.param == "http":
        spec, collection = request.getfixturevalue("served")
        yield spec, lambda action: action(collection)
        return
    folder = request.getfixturevalue("folder")

    def as_owner(action: Callable[[Any], Any]) -> Any:
        with chroma.reading(folder) as collection:
            return action(collection)

    yield f"chroma:{folder}#docs", as_owner


def plant(cli: Cli, spec: str, run_args: list[str]) -> list[str]:
    planted = cli("plant", spec, *run_args, "-p", "flood:2", "--json")
    assert planted.code == 0, planted.err
    assert "take them out with: darnel sweep" in planted.err
    return [row["id"] for row in json.loads(planted.out)["planted"]]


WAYS = {"from the ledger": ([], False), "the target named": (["spec"], False), "from the store alone": (["spec"], True)}


@pytest.mark.parametrize("way", WAYS)
def test_planted_seen_and_swept(cli: Cli, place: Any, run_args: list[str], tmp_path: Path, way: str) -> None:
    spec, as_owner = place
    before = as_owner(chroma.everything)
    ids = plant(cli, spec, run_args)
    assert len(ids) == 9
    assert sorted(as_owner(chroma.kit_records)) == sorted(ids)
    named, lost = [spec for _ in WAYS[way][0]], WAYS[way][1]
    if lost:
        (tmp_path / "ledger.db").rename(tmp_path / "elsewhere.db")
    (seen,) = json.loads(cli("status", *named, "--json").out)
    assert (seen["announced"], seen["present"], seen["known_from"]) == (9, 9, "store" if lost else "ledger")
    trial = cli("sweep", *named, "--dry-run")
    assert "would remove 9" in trial.out
    assert len(as_owner(chroma.kit_records)) == 9
    swept = cli("sweep", *named)
    assert swept.code == 0
    assert as_owner(chroma.everything) == before
    assert cli("status", *named).out == (
        f"nothing is planted: there is no ledger at {tmp_path}/ledger.db\n"
        if lost and not named
        else "nothing is planted\n"
    )
    assert "nothing" in cli("sweep", *named).out


@pytest.mark.parametrize("edit", ["text", "metadata only"])
@pytest.mark.parametrize("way", WAYS)
def test_a_plant_that_the_owner_edited_is_left_alone_and_named(
    cli: Cli, place: Any, run_args: list[str], tmp_path: Path, way: str, edit: str
) -> None:
    spec, as_owner = place
    before = as_owner(chroma.everything)
    ids = plant(cli, spec, run_args)

    def owner(collection: Any) -> None:
        if edit == "text":
            vector = np.ones(32, dtype=np.float32)
            collection.update(ids=[ids[3]], documents=["now the owner's"], embeddings=[vector])
        else:
            collection.update(ids=[ids[3]], metadatas=[{"reviewed": True}])

    as_owner(owner)
    edited = as_owner(chroma.everything)[ids[3]]
    named, lost = [spec for _ in WAYS[way][0]], WAYS[way][1]
    if lost:
        (tmp_path / "ledger.db").rename(tmp_path / "elsewhere.db")
    for _ in range(2):  # and again the next time
        swept = cli("sweep", *named, "--within", 0.3, "--json")
        assert swept.code == 3
        assert [left for row in json.loads(swept.out) for left in row["leftovers"]] == [
            {"id": ids[3], "reason": "edited since it was planted; left alone"}
        ]
        assert as_owner(chroma.everything) == {**before, ids[3]: edited}
    told = cli("sweep", *named, "--within", 0.3)
    assert f"left over: {ids[3]}: edited since it was planted; left alone" in told.err
    campaign = json.loads(swept.out)[0]["campaign"]
    if not lost:
        assert cli("sweep", "--forget", campaign).code == 0
        assert "nothing is planted" in cli("status").out


def test_one_campaign_can_be_swept_alone(cli: Cli, folder: Path, run_args: list[str]) -> None:
    spec = f"chroma:{folder}#docs"
    first, second = plant(cli, spec, run_args), plant(cli, spec, run_args)
    campaigns = [row["campaign"] for row in json.loads(cli("status", "--json").out)]
    assert len(campaigns) == 2
    assert cli("sweep", "--campaign", campaigns[0]).code == 0
    with chroma.reading(folder) as collection:
        assert sorted(chroma.kit_records(collection)) == sorted(second)
        assert not set(first) & set(second)
    assert cli("sweep").code == 0


def test_a_store_that_is_gone_is_named_until_it_is_forgotten(cli: Cli, folder: Path, run_args: list[str]) -> None:
    plant(cli, f"chroma:{folder}#docs", run_args)
    folder.rename(folder.with_name("moved"))
    swept = cli("sweep", "--json")
    assert swept.code == 3
    (row,) = json.loads(swept.out)
    assert len(row["leftovers"]) == 9
    assert "no Chroma database in" in row["note"]
    assert not folder.exists()
    assert "no Chroma database" in cli("status").out
    assert cli("sweep", f"chroma:{folder.with_name('moved')}#docs").code == 0
    assert cli("sweep").code == 0


def test_a_collection_that_was_made_anew_is_not_touched(cli: Cli, folder: Path, run_args: list[str]) -> None:
    plant(cli, f"chroma:{folder}#docs", run_args)
    client = chroma.persistent(folder)
    client.delete_collection("docs")
    chroma.fill(client, [])
    client.close()
    swept = cli("sweep", "--json")
    assert swept.code == 3
    assert "deleted and made anew" in json.loads(swept.out)[0]["note"]
    assert cli("sweep", f"chroma:{folder}#docs").code == 0  # the store itself shows nothing


def test_a_plant_that_does_not_show_is_not_kept(
    cli: Cli, folder: Path, run_args: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("darnel.adapters.chroma.corpus.ChromaCorpus.inject", lambda _self, _plants: None)
    ended = cli("plant", f"chroma:{folder}#docs", *run_args, "--visible-within", 0.2, "--json")
    assert ended.code == 2
    assert json.loads(ended.out)["planted"] == []
    assert "3 of 3 plants did not become visible" in ended.err
    assert cli("status").out == "nothing is planted\n"


def test_a_dry_plant_writes_nothing(cli: Cli, folder: Path, run_args: list[str], tmp_path: Path) -> None:
    ended = cli("plant", f"chroma:{folder}#docs", *run_args, "--dry-run", "--json")
    assert len(json.loads(ended.out)["plants"]) == 3
    assert not (tmp_path / "ledger.db").exists()
    with chroma.reading(folder) as collection:
        assert chroma.kit_records(collection) == []


def test_with_no_ledger_there_is_nothing(cli: Cli, tmp_path: Path) -> None:
    assert cli("status").out.startswith("nothing is planted: there is no ledger at")
    assert cli("sweep").out.startswith("nothing to sweep: there is no ledger at")
    assert json.loads(cli("sweep", "--json").out) == json.loads(cli("status", "--json").out) == []
    assert list(tmp_path.iterdir()) == []
