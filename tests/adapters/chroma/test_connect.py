"""Opening a Chroma collection: nothing is created, nothing migrated, and the application's own client is shared."""

from __future__ import annotations

import socket
import threading
from pathlib import Path
from typing import Any

import pytest

import darnel
from darnel.core.corpus import Target
from darnel.core.errors import (
    ContainerMissingError,
    DarnelError,
    HostNotAllowedError,
    TargetError,
    UnknownNameError,
    UnreachableError,
    UsageError,
)
from darnel.core.planting.campaign import Campaign
from darnel.core.planting.ledger import Ledger
from tests.support import chroma, corpora
from tests.support.command import HASHED
from tests.support.planting import make_plants


def open_(spec: str, **given: Any) -> Target:
    return darnel.open_target(spec, embedder=HASHED, **given)


def test_a_folder_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    with pytest.raises(ContainerMissingError, match="no Chroma database in .*nope"):
        open_(f"chroma:{tmp_path}/nope#docs")
    (tmp_path / "empty").mkdir()
    with pytest.raises(ContainerMissingError, match="no Chroma database in .*empty"):
        open_(f"chroma:{tmp_path}/empty#docs")
    with pytest.raises(DarnelError):
        open_(f"chroma:{tmp_path}/{'x' * 300}#docs")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["empty"]
    assert list((tmp_path / "empty").iterdir()) == []


def test_a_collection_that_is_not_there_is_not_made(folder: Path) -> None:
    before = chroma.files(folder)
    with pytest.raises(ContainerMissingError, match="no collection 'dosc' in .*there are: docs"):
        open_(f"chroma:{folder}#dosc")
    with pytest.raises(UsageError, match=r"name the collection: chroma:.*#NAME"):
        open_(f"chroma:{folder}")
    assert chroma.files(folder) == before
    with chroma.reading(folder) as collection:
        assert [c.name for c in chroma.persistent(folder).list_collections()] == ["docs"]
        assert collection.count() == 40


def test_opening_and_looking_leaves_no_file_and_changes_no_record(folder: Path) -> None:
    with chroma.reading(folder) as collection:
        records = chroma.everything(collection)
    before = chroma.files(folder)
    target = open_(f"chroma:{folder}#docs")
    target.injector.describe()
    assert all(check.ok is not False for check in target.checks())
    target.close()
    assert chroma.files(folder) == before
    with chroma.reading(folder) as collection:
        assert chroma.everything(collection) == records


def test_a_file_that_is_no_database_says_so(tmp_path: Path) -> None:
    (tmp_path / "db").mkdir()
    (tmp_path / "db" / "chroma.sqlite3").write_bytes(b"no database " * 1_000)
    with pytest.raises(TargetError, match="cannot open .*db"):
        open_(f"chroma:{tmp_path}/db#docs")


def test_a_server_that_is_not_there_says_so() -> None:
    with pytest.raises(UnreachableError, match=r"no Chroma server answers at chroma:http://127\.0\.0\.1:\d+; start it"):
        open_(f"chroma:http://127.0.0.1:{chroma.free_port()}#docs")


def test_a_server_that_is_no_chroma_says_so() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def answer() -> None:
            for _ in range(3):
                try:
                    peer, _ = listening.accept()
                except OSError:
                    return
                with peer:
                    peer.recv(4096)
                    peer.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello")

        threading.Thread(target=answer, daemon=True).start()
        with pytest.raises(TargetError, match="cannot open chroma:http"):
            open_(f"chroma:http://127.0.0.1:{listening.getsockname()[1]}#docs")


def test_missing_things_on_a_server_are_told_apart(server: int) -> None:
    where = f"chroma:http://127.0.0.1:{server}"
    with pytest.raises(ContainerMissingError, match="no collection 'nope'"):
        open_(f"{where}#nope")
    with pytest.raises(ContainerMissingError, match=r"Tenant \[nope\] not found"):
        open_(f"{where}?tenant=nope#docs")
    with pytest.raises(ContainerMissingError, match=r"Database \[nope\] not found"):
        open_(f"{where}?database=nope#docs")


@pytest.mark.parametrize("parameter", ["tennant=a", "Tenant=a", "token=s3cret", "x="])
def test_a_parameter_that_is_not_known_is_no_other_place(folder: Path, parameter: str) -> None:
    with pytest.raises(UnknownNameError, match="unknown parameter of a chroma target") as error:
        open_(f"chroma:{folder}?{parameter}#docs")
    assert "s3cret" not in str(error.value)


def test_other_hosts_are_written_to_only_where_they_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    for host in ("db.example", "192.168.0.9", "localhost.example", "[2001:db8::1]"):
        with pytest.raises(HostNotAllowedError, match="add --allow-host"):
            open_(f"chroma:http://{host}:9#docs")
    asked: list[str] = []
    monkeypatch.setattr("darnel.adapters.chroma.connect._connect", lambda spec, *_: asked.append(spec.where) or 1 / 0)
    for host in ("db.example", "127.0.0.1", "localhost", "[::1]", "127.9.9.9"):
        with pytest.raises(ZeroDivisionError):
            open_(f"chroma:http://{host}:9#docs", allow_hosts=["db.example"])
    with pytest.raises(ZeroDivisionError):
        open_("chroma:http://other.example:9#docs", writes=False)  # to look needs nobody's leave
    assert len(asked) == 6


def _tenant(admin_settings: Any) -> None:
    import chromadb

    admin = chromadb.AdminClient(admin_settings)
    admin.create_tenant("other")
    admin.create_database("space", tenant="other")


@pytest.mark.parametrize("over", ["folder", "http"])
def test_tenants_and_databases_are_worlds_apart(tmp_path: Path, over: str, ledger: darnel.Ledger) -> None:
    import chromadb
    from chromadb.config import Settings

    path = tmp_path / "db"
    if over == "http":
        path.mkdir()
        with chroma.chroma_server(path) as port:
            served = {"chroma_server_host": "127.0.0.1", "chroma_server_http_port": port, "anonymized_telemetry": False}
            settings = Settings(chroma_api_impl="chromadb.api.fastapi.FastAPI", **served)

            def connect(**where: str) -> Any:
                return chromadb.HttpClient("127.0.0.1", port, settings=chroma.settings(), **where)

            _apart(ledger, f"chroma:http://127.0.0.1:{port}", connect, settings)
    else:
        shared = chroma.persistent(path)
        _apart(ledger, f"chroma:{path}", lambda **where: chroma.persistent(path, **where), shared._system.settings)
        shared.close()


def _apart(ledger: darnel.Ledger, where: str, client: Any, settings: Any) -> None:
    here = chroma.fill(client(), corpora.make_records())
    sibling = chroma.fill(client(), corpora.make_records(5), "sibling")
    _tenant(settings)
    there = chroma.fill(client(tenant="other", database="space"), corpora.make_records(20, seed=1))
    assert here.id != there.id
    before = [chroma.everything(c) for c in (here, sibling, there)]
    target = open_(f"{where}?tenant=other&database=space#docs")
    said = target.injector.describe()
    assert (said.size, said.identity, said.container) == (20, str(there.id), "other/space/docs")
    with darnel.Campaign(target.injector, ledger) as campaign:
        made = make_plants(campaign, 3)
        assert len(campaign.plant(made).visible) == 3
        assert there.count() == 23
        assert [chroma.everything(c) for c in (here, sibling)] == before[:2]
    assert [chroma.everything(c) for c in (here, sibling, there)] == before
    reopened = darnel.open_target(target.spec)
    assert reopened.injector.describe().identity == str(there.id)
    reopened.close()
    target.close()
    unknown = f"{where}?tenant=nope&database=space#docs"
    with pytest.raises(ContainerMissingError, match=r"Tenant \[nope\] not found"):
        open_(unknown)


@pytest.mark.parametrize("spelled", ["plain", "dotted", "relative", "link"])
def test_a_client_that_is_open_in_this_process_is_shared(
    folder: Path, ledger: darnel.Ledger, tmp_path: Path, spelled: str
) -> None:
    (tmp_path / "link").symlink_to(folder)
    theirs = {"plain": str(folder), "dotted": f"{tmp_path}/./db", "relative": "db", "link": str(tmp_path / "link")}[
        spelled
    ]
    import chromadb

    client = chromadb.PersistentClient(theirs)  # as an application opens it: with settings of its own
    collection = client.get_collection("docs", embedding_function=None)
    query = {"query_embeddings": [corpora.make_records()[0].vector], "n_results": 50, "include": ["metadatas"]}
    before = chroma.everything(collection), collection.query(**query)["ids"]
    target = open_(f"chroma:{folder}#docs")
    with darnel.Campaign(target.injector, ledger) as campaign:
        made = make_plants(campaign, 4)
        campaign.plant(made)
        assert collection.count() == 44
        assert {p.id for p in made} <= set(collection.query(**query)["ids"][0])  # searches too, not only reads
    assert (chroma.everything(collection), collection.query(**query)["ids"]) == before
    target.close()
    assert (chroma.everything(collection), collection.query(**query)["ids"]) == before  # still theirs, still open
    client.close()


def test_the_applications_client_can_be_opened_after_ours_was_closed(folder: Path) -> None:
    import chromadb

    open_(f"chroma:{folder}#docs").close()
    client = chromadb.PersistentClient(str(folder))
    assert client.get_collection("docs", embedding_function=None).count() == 40
    client.close()
    target = open_(f"chroma:{folder}#docs")
    target.close()
    target.close()  # twice is once


def test_a_failed_opening_lets_go_of_folder_and_lock(folder: Path) -> None:
    for _ in range(3):
        with pytest.raises(ContainerMissingError):
            open_(f"chroma:{folder}#nope")
    import chromadb

    chromadb.PersistentClient(str(folder), settings=chromadb.Settings(allow_reset=True)).close()
    open_(f"chroma:{folder}#docs").close()


def test_a_collection_object_is_a_target_and_its_client_stays_the_owners(collection: Any) -> None:
    target = darnel.open_target(collection, embedder=HASHED)
    assert target.injector.describe().size == 40
    target.close()
    assert collection.count() == 40
    with pytest.raises(UsageError, match="give the Chroma collection rather than its client"):
        darnel.open_target(chroma.persistent(Path("new")), embedder=HASHED)


def test_who_else_has_the_folder_open_is_said(folder: Path) -> None:
    import subprocess
    import sys

    program = (
        "import sys, chromadb; c = chromadb.PersistentClient(sys.argv[1])\n"
        "c.get_collection('docs', embedding_function=None).count(); print('open', flush=True); sys.stdin.read()"
    )
    other = subprocess.Popen(
        [sys.executable, "-c", program, str(folder)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    try:
        assert other.stdout is not None
        assert other.stdout.readline() == b"open\n"
        target = open_(f"chroma:{folder}#docs", writes=False)
        found = {check.name: check for check in target.checks()}["second client"]
        target.close()
    finally:
        other.kill()
        other.wait()
    assert found.ok is None
    assert f"({other.pid})" in found.detail


@pytest.mark.parametrize("spelled", ["relative", "absolute"])
def test_an_application_that_opens_the_folder_later_sees_what_is_planted(
    folder: Path, monkeypatch: pytest.MonkeyPatch, spelled: str
) -> None:
    import chromadb
    from chromadb.config import Settings

    before = chroma_state(folder)
    opened = open_(f"chroma:{folder}#docs")
    monkeypatch.chdir(folder.parent)
    # with settings of its own, which Chroma refuses beside others for one spelling of a path
    client = chromadb.PersistentClient(
        folder.name if spelled == "relative" else str(folder), Settings(allow_reset=True)
    )
    own = client.get_collection("docs", embedding_function=None)
    count = own.count()
    with Ledger(folder.parent / "ledger.db") as ledger, Campaign(opened.injector, ledger) as campaign:
        planted = campaign.plant(make_plants(campaign, 3))
        assert len(planted.visible) == 3
        assert own.count() == count + 3
        assert own.query(query_embeddings=[[0.0] * 31 + [1.0]], n_results=count + 3)["ids"][0]
    assert own.count() == count
    client.close()
    opened.close()
    assert chroma_state(folder) == before


def chroma_state(folder: Path) -> dict[str, str]:
    with chroma.reading(folder) as collection:
        return chroma.everything(collection)


def test_a_client_opened_by_a_relative_path_elsewhere_is_not_taken_for_this_folder_s(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import chromadb

    (tmp_path / "elsewhere").mkdir()
    chroma.build(tmp_path / "elsewhere" / folder.name, corpora.make_records()[:3])
    monkeypatch.chdir(tmp_path / "elsewhere")
    client = chromadb.PersistentClient(folder.name)
    monkeypatch.chdir(folder.parent)
    opened = open_(f"chroma:{folder}#docs")
    assert opened.injector.describe().size == 40
    opened.close()
    client.close()


def test_a_collection_object_of_another_host_needs_leave_too(served: tuple[str, Any]) -> None:
    _, collection = served
    opened = darnel.open_target(collection, embedder=HASHED)
    assert opened.host in ("127.0.0.1", "localhost")
    collection._client._settings.chroma_server_host = "vectors.example.org"
    with pytest.raises(HostNotAllowedError, match=r"--allow-host vectors\.example\.org"):
        darnel.open_target(collection, embedder=HASHED)
    assert (
        darnel.open_target(collection, embedder=HASHED, allow_hosts=["vectors.example.org"]).host
        == "vectors.example.org"
    )


def test_a_record_that_vanishes_while_it_is_found_is_nobody_s(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As Chroma shows what another client deletes meanwhile: its id, and no metadata."""
    opened = open_(f"chroma:{folder}#docs")
    assert opened.retriever is not None
    expected = opened.retriever.retrieve(["flour and yeast", "rope"], 5)
    collection: Any = opened.injector.collection  # type: ignore[attr-defined]
    plain, calls = collection.query, []

    def query(**given: Any) -> Any:
        found = plain(**given)
        calls.append(len(found["ids"]))
        if len(calls) < 3:
            for column, value in (("ids", "gone"), ("metadatas", None), ("distances", 0.0)):
                found[column][0] = [value, *found[column][0][:-1]]
        return found

    monkeypatch.setattr(type(collection), "query", lambda _self, **given: query(**given))
    assert opened.retriever.retrieve(["flour and yeast", "rope"], 5) == expected
    assert calls == [2, 1, 1]  # all, and twice the one list that named it
    opened.close()
