"""The journal: durable before the store is written, shared by processes and threads, honest about what it cannot do."""

from __future__ import annotations

import os
import socket
import sqlite3
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from darnel.core.corpus import Capabilities, CorpusDescription
from darnel.core.errors import LedgerError
from darnel.core.plant import Plant, make_marker, make_plant
from darnel.core.planting.ledger import Ledger, ledger_path, process_start
from tests.support.command import environment

WHERE = CorpusDescription("chroma", "docs", "uuid-1", 40)
CAMPAIGN = "20260101-000000-aa"


def plants(count: int, campaign: str = CAMPAIGN) -> list[Plant]:
    made = []
    for number in range(count):
        marker = make_marker(0, number)
        made.append(
            make_plant(
                identity="c",
                campaign=campaign,
                pattern="p",
                strength=1,
                query_id="q",
                copy=number,
                marker=marker,
                text=f"x {marker}",
            )
        )
    return made


def states(ledger: Ledger, campaign: str = CAMPAIGN) -> dict[str, str]:
    every = ("writing", "written", "removed", "leftover", "changed")
    return {p.name: p.state for p in ledger.plants(campaign, every)}


def test_the_life_of_a_plant(ledger: Ledger) -> None:
    one, two = plants(2)
    ledger.open_campaign(CAMPAIGN, "chroma:./db#docs", WHERE)
    (row,) = ledger.campaigns()
    assert (row.id, row.spec, row.identity, row.pid, row.host, row.state) == (
        CAMPAIGN,
        "chroma:./db#docs",
        "uuid-1",
        os.getpid(),
        socket.gethostname(),
        "open",
    )
    ledger.announce([one, two])
    assert set(states(ledger).values()) == {"writing"}
    ledger.mark(CAMPAIGN, [("written", one.id)])
    ledger.mark(CAMPAIGN, [("removed", one.id), ("leftover", two.id)])
    assert states(ledger) == {one.name: "removed", two.name: "leftover"}
    assert [p.id for p in ledger.plants(CAMPAIGN)] == [two.id]
    ledger.set_campaign(CAMPAIGN, "closed")
    assert ledger.campaigns() == []
    assert [r.state for r in ledger.campaigns(unfinished=False)] == ["closed"]


def test_a_row_is_on_disk_when_announce_returns(ledger: Ledger, tmp_path: Path) -> None:
    ledger.open_campaign(CAMPAIGN, "", WHERE)
    ledger.announce(plants(3))
    copy = tmp_path / "copy.db"
    for suffix in ("", "-wal"):
        source = Path(f"{ledger.path}{suffix}")
        if source.exists():
            Path(f"{copy}{suffix}").write_bytes(source.read_bytes())
    db = sqlite3.connect(copy)
    assert db.execute("SELECT count(*) FROM plant WHERE state='writing'").fetchone() == (3,)
    db.close()


def test_a_step_that_fails_halfway_leaves_nothing(ledger: Ledger) -> None:
    one, two = plants(2)
    ledger.open_campaign(CAMPAIGN, "", WHERE)
    ledger.announce([one])
    bad = [("written", one.id), ("written", two)]  # a plant where an id belongs
    with pytest.raises(LedgerError, match="cannot write the ledger"):
        ledger.mark(CAMPAIGN, bad)  # type: ignore[list-item]
    assert states(ledger) == {one.name: "writing"}
    ledger.mark(CAMPAIGN, [("written", one.id)])
    assert states(ledger) == {one.name: "written"}


def test_threads_share_one_ledger(ledger: Ledger) -> None:
    names = [f"20260101-000000-{i:02}" for i in range(6)]

    def work(name: str) -> None:
        ledger.open_campaign(name, "", WHERE)
        for one in plants(20, name):
            ledger.announce([one])
            ledger.mark(name, [("written", one.id)])

    threads = [threading.Thread(target=work, args=(name,)) for name in names]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(r.id for r in ledger.campaigns()) == names
    assert all(set(states(ledger, name).values()) == {"written"} and len(states(ledger, name)) == 20 for name in names)


def test_processes_share_one_file(ledger: Ledger) -> None:
    program = (
        "import sys; from darnel.core.planting.ledger import Ledger; from tests.core.planting.test_ledger import WHERE, plants\n"
        "with Ledger() as l:\n"
        "    l.open_campaign(sys.argv[1], '', WHERE)\n"
        "    for p in plants(30, sys.argv[1]): l.announce([p]); l.mark(sys.argv[1], [('written', p.id)])\n"
    )
    names = ["20260101-000000-aa", "20260101-000000-bb"]
    running = [subprocess.Popen([sys.executable, "-c", program, n], env=environment()) for n in names]
    assert [p.wait(60) for p in running] == [0, 0]
    assert sorted(len(states(ledger, n)) for n in names) == [30, 30]
    assert [r.is_running() for r in ledger.campaigns()] == [False, False]


def test_a_campaign_runs_while_its_process_does(ledger: Ledger) -> None:
    ledger.open_campaign(CAMPAIGN, "", WHERE)
    (row,) = ledger.campaigns()
    assert row.is_running()
    ledger.set_campaign(CAMPAIGN, "held")
    assert not ledger.campaigns()[0].is_running()


@pytest.mark.parametrize(
    ("column", "value", "running"), [("host", "elsewhere", True), ("pid", 2**22 + 7, False), ("born", 5.0, False)]
)
def test_whose_process_it_is_decides(ledger: Ledger, column: str, value: object, running: bool) -> None:
    ledger.open_campaign(CAMPAIGN, "", WHERE)
    with sqlite3.connect(ledger.path) as db:
        db.execute(f"UPDATE campaign SET {column}=?", (value,))
    assert ledger.campaigns()[0].is_running() == running


def test_process_start() -> None:
    assert process_start(os.getpid()) > 1e9
    assert process_start(2**22 + 7) == 0.0
    gone = subprocess.Popen([sys.executable, "-c", ""])
    while process_start(gone.pid):  # it is a zombie until it is waited for
        pass
    gone.wait()


def test_where_the_ledger_is(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert ledger_path() == tmp_path / "ledger.db"
    assert ledger_path("own.db") == Path("own.db")
    monkeypatch.delenv("DARNEL_LEDGER")
    assert ledger_path() == Path(".darnel/ledger.db")


def test_a_ledger_that_cannot_be_used_says_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    (tmp_path / "folder").mkdir()
    (tmp_path / "junk.db").write_bytes(b"no database at all, but long enough to be read as a header" * 20)
    for path in (tmp_path / "file" / "ledger.db", tmp_path / "folder", tmp_path / "junk.db"):
        with pytest.raises(
            LedgerError, match=r"cannot use the ledger .*nothing was planted\. Choose a writable place with --ledger"
        ):
            Ledger(path)
    with pytest.raises(LedgerError, match=r"no ledger at .*name it with --ledger"):
        Ledger(tmp_path / "none.db", create=False)
    assert not (tmp_path / "none.db").exists()


def test_a_ledger_of_a_newer_darnel_is_left_alone(ledger: Ledger) -> None:
    ledger.close()
    with sqlite3.connect(ledger.path) as db:
        db.execute("PRAGMA user_version=99")
    with pytest.raises(LedgerError, match="written by a newer darnel; upgrade darnel"):
        Ledger(ledger.path)


def test_volatile_corpora_are_marked(ledger: Ledger) -> None:
    ledger.open_campaign(
        CAMPAIGN, "", CorpusDescription("memory", "m", "m", 1, capabilities=Capabilities(volatile=True))
    )
    assert ledger.campaigns()[0].volatile
