"""``langchain:module:attr``: what it names, what it refuses in one line, and sweeping from another process."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import darnel
from darnel.adapters.langchain.stores.chroma import ChromaStore
from darnel.adapters.langchain.stores.sql import server
from darnel.api import open_target
from darnel.core.errors import HostNotAllowedError, TargetError, UsageError
from darnel.core.planting.ledger import Ledger
from tests.adapters.langchain import houses
from tests.adapters.langchain.houses import need
from tests.adapters.langchain.words import QUESTIONS, WordEmbeddings

APP = """
from langchain_core.vectorstores import InMemoryVectorStore
from tests.adapters.langchain.words import WordEmbeddings, make_documents

print("the application says hello")
store = InMemoryVectorStore(WordEmbeddings())
store.add_documents(make_documents())
retriever = store.as_retriever(search_kwargs={"k": 2})
mmr = store.as_retriever(search_type="mmr")

def make(): return store
def make_retriever(k=3): return store.as_retriever(search_kwargs={"k": k})
def wants_more(name, place): return store
async def later(): return store
def fails(): raise RuntimeError("no such\\n  database")

class Holder:
    inner = store

chain = retriever | (lambda found: len(found))
number = 7
"""

CHROMA_APP = """
import chromadb
from langchain_chroma import Chroma
from tests.adapters.langchain.words import WordEmbeddings

def store():
    client = chromadb.PersistentClient({folder!r}, settings=chromadb.config.Settings(anonymized_telemetry=False))
    return Chroma("docs", WordEmbeddings(), client=client)
"""

ROOT = Path(__file__).parents[3]


@pytest.fixture
def app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., str]]:
    """Write a module of the application's into the current folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    written: list[str] = []

    def write(source: str = APP, name: str = "ragapp") -> str:
        (tmp_path / f"{name}.py").write_text(source, encoding="utf-8")
        written.append(name)
        return name

    yield write
    for name in written:
        sys.modules.pop(name, None)


@pytest.mark.parametrize(("attr", "k"), [("store", None), ("make", None), ("retriever", 2), ("make_retriever", 3)])
def test_a_store_a_retriever_and_a_factory_of_one(
    attr: str, k: int | None, app: Callable[..., str], ledger: Ledger, capsys: pytest.CaptureFixture[str]
) -> None:
    target = open_target(f"langchain:{app()}:{attr}")
    assert target.k == k
    assert target.spec == f"langchain:ragapp:{attr}"
    results = darnel.run(f"langchain:ragapp:{attr}", QUESTIONS, ["echo:1"], ledger=ledger)
    assert (results.exit_code, results.target.k) == (0, k or 5)
    assert capsys.readouterr().out == "", "the application's prints belong on standard error"


def test_a_dotted_attribute(app: Callable[..., str]) -> None:
    assert open_target(f"langchain:{app()}:Holder.inner").injector.describe().size == 40


@pytest.mark.parametrize(
    ("spec", "error", "says"),
    [
        ("langchain:ragapp", UsageError, "langchain:MODULE:ATTR"),
        ("langchain:ragapp:store#docs", UsageError, "nothing after it"),
        ("langchain:ragapp:store?k=3", UsageError, "nothing after it"),
        ("langchain:nosuchapp:store", UsageError, "nosuchapp"),
        ("langchain:ragapp:nosuch", UsageError, "nosuch"),
        ("langchain:ragapp:number", UsageError, "give the vector store beneath it"),
        ("langchain:ragapp:wants_more", UsageError, "plain function"),
        ("langchain:ragapp:later", UsageError, "plain function"),
        ("langchain:ragapp:Holder", UsageError, "plain function"),
        ("langchain:ragapp:fails", TargetError, "failed: RuntimeError: no such database"),
    ],
)
def test_what_cannot_be_a_target_is_refused_in_one_line(
    spec: str, error: type[Exception], says: str, app: Callable[..., str]
) -> None:
    app()
    with pytest.raises(error, match=says) as refused:
        open_target(spec)
    assert "\n" not in str(refused.value)


def test_a_package_that_the_application_needs_is_named(app: Callable[..., str]) -> None:
    app("import langchain_nosuchstore\n")
    with pytest.raises(TargetError, match="needs the package langchain_nosuchstore"):
        open_target("langchain:ragapp:store")


def test_an_application_that_fails_on_import_is_blamed(app: Callable[..., str]) -> None:
    app("raise ValueError('no\\nkey')\n")
    with pytest.raises(TargetError, match="importing it failed: ValueError: no key"):
        open_target("langchain:ragapp:store")


def test_a_host_that_is_not_this_machine_needs_permission(
    embeddings: WordEmbeddings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    house = houses.chroma(embeddings, tmp_path)
    monkeypatch.setattr(ChromaStore, "host", property(lambda _self: "vectors.example.org"))
    with pytest.raises(HostNotAllowedError, match=r"--allow-host vectors\.example\.org"):
        open_target(house.store)
    assert open_target(house.store, allow_hosts=["vectors.example.org"]).host == "vectors.example.org"
    assert open_target(house.store, writes=False).host == "vectors.example.org"


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("postgresql+psycopg://me:secret@db.example.org/corpus", "db.example.org"),
        ("postgresql+psycopg://me@/corpus?host=db.example.org", "db.example.org"),
        ("postgresql+psycopg://me@/corpus?host=/run/postgres", ""),
        ("postgresql+psycopg:///corpus", ""),
    ],
)
def test_the_host_of_a_database(url: str, host: str) -> None:
    assert server(need("sqlalchemy").make_url(url)) == host


def darnel_command(*args: object, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "darnel", *map(str, args)],
        cwd=cwd,
        env={"PATH": "", "PYTHONPATH": str(ROOT), "HOME": str(cwd)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_what_one_process_planted_another_sweeps(
    app: Callable[..., str], embeddings: WordEmbeddings, tmp_path: Path
) -> None:
    house = houses.chroma(embeddings, tmp_path)
    before: dict[str, Any] = dict(house.witness())
    house.store._client.close()
    app(CHROMA_APP.format(folder=str(tmp_path / "chroma")))
    (tmp_path / "questions.txt").write_text("\n".join(QUESTIONS), encoding="utf-8")
    run = darnel_command("run", "langchain:ragapp:store", "--queries", "questions.txt", "-p", "echo:1", cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    planted = darnel_command(
        "plant", "langchain:ragapp:store", "--queries", "questions.txt", "-p", "echo:1", cwd=tmp_path
    )
    assert planted.returncode == 0, planted.stderr
    assert f"{len(QUESTIONS)} plants are in" in planted.stderr
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    lost = darnel_command("sweep", "--ledger", tmp_path / ".darnel/ledger.db", cwd=elsewhere)
    assert lost.returncode == 3, "from a folder without the application nothing must count as swept"
    swept = darnel_command("sweep", cwd=tmp_path)
    assert swept.returncode == 0, swept.stderr + swept.stdout
    chromadb = need("chromadb")
    client = chromadb.PersistentClient(
        str(tmp_path / "chroma"), settings=chromadb.config.Settings(anonymized_telemetry=False)
    )
    assert client.get_collection("docs").count() == 40
    rows = client.get_collection("docs").get()
    assert sorted(rows["ids"]) == [row[0] for row in before["docs"]]


def test_doctor_looks_a_store_over_and_its_probe_leaves_nothing(app: Callable[..., str], tmp_path: Path) -> None:
    app()
    found = darnel_command("doctor", "langchain:ragapp:store", "--probe", cwd=tmp_path)
    assert found.returncode == 0, found.stdout + found.stderr
    for line in ("read whole", "re-embeds 16 sampled records at cosine 1.0000", "probe: delete works"):
        assert line in " ".join(found.stdout.split()), found.stdout
