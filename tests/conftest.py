"""Fixtures for all tests: a ledger of their own, real Chroma stores, the command line."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import hypothesis
import pytest

from darnel.core.planting.ledger import Ledger
from tests.support import chroma, corpora, postgres
from tests.support.command import HASHED, Outcome

hypothesis.settings.register_profile("darnel", deadline=None, max_examples=80, print_blob=True)
hypothesis.settings.load_profile("darnel")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--fault-rounds", type=int, default=4, help="Rounds of kill -9 for each way of reaching the store."
    )


def pytest_sessionfinish() -> None:
    postgres.stop_server()


@pytest.fixture(autouse=True)
def own_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No test sees the settings or the ledger of whoever runs it, and none leaves a file behind."""
    for name in [n for n in os.environ if n.startswith("DARNEL_") and n != "DARNEL_DATA"]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("DARNEL_LEDGER", str(tmp_path / "ledger.db"))
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    with Ledger(tmp_path / "ledger.db") as opened:
        yield opened


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str]) -> Callable[..., Outcome]:
    """The command line in this process: ``cli("run", "chroma:...")`` gives exit code, stdout and stderr."""
    from darnel.cli.main import main

    def call(*args: object) -> Outcome:
        capsys.readouterr()
        with pytest.raises(SystemExit) as stop:
            main([str(arg) for arg in args])
        said = capsys.readouterr()
        return Outcome(int(stop.value.code or 0), said.out, said.err)

    return call


@pytest.fixture
def questions(tmp_path: Path) -> Path:
    """A question a line, on three of the corpus's topics."""
    path = tmp_path / "questions.txt"
    path.write_text("".join(f"{q.text}\n" for q in corpora.make_query_list()), encoding="utf-8")
    return path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A Chroma folder with 40 records in the collection ``docs``, closed."""
    path = tmp_path / "db"
    chroma.build(path, corpora.make_records())
    return path


@pytest.fixture
def collection(folder: Path) -> Iterator[Any]:
    """The same collection, opened by its owner."""
    with chroma.reading(folder) as opened:
        yield opened


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """The port of a real ``chroma run``."""
    with chroma.chroma_server(tmp_path_factory.mktemp("server")) as port:
        yield port


@pytest.fixture
def served(server: int, request: pytest.FixtureRequest) -> Iterator[tuple[str, Any]]:
    """The target spec and the owner's handle of a collection of 40 records on the server."""
    import chromadb

    client = chromadb.HttpClient("127.0.0.1", server, settings=chroma.settings())
    name = f"docs-{os.getpid()}-{abs(hash(request.node.nodeid)) % 10**9}"
    yield f"chroma:http://127.0.0.1:{server}#{name}", chroma.fill(client, corpora.make_records(), name)
    client.delete_collection(name)
    client.close()


@pytest.fixture
def run_args(questions: Path) -> list[str]:
    """The rest of a quick ``darnel run``."""
    return ["--queries", str(questions), "--embedder", HASHED, "-p", "echo:1"]


def pytest_configure() -> None:
    """Signals as a terminal gives them: under nohup, or in the background of a script, a program starts with some ignored."""
    for number, default in ((signal.SIGHUP, signal.SIG_DFL), (signal.SIGINT, signal.default_int_handler)):
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, default)
