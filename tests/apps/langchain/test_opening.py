"""``langchain:module:attr`` of an application: what it names, which store, and how the ledger opens it again."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import chromadb
import pytest
from langchain_core.documents import Document
from langchain_core.runnables import RunnableLambda, RunnableParallel

import darnel
from darnel.adapters.apps.options import AppOptions
from darnel.adapters.langchain.apps.find import find_asking, find_stores
from darnel.adapters.langchain.apps.spy import watch
from darnel.adapters.langchain.open import langchain_stores
from darnel.adapters.spec import parse_spec
from darnel.api import open_target
from darnel.core.errors import UnknownNameError, UsageError
from darnel.core.options import RunOptions
from darnel.core.planting.ledger import Ledger
from tests.apps.langchain.conftest import QUESTIONS
from tests.apps.langchain.zoo import parts
from tests.support.command import Outcome, environment

ROOT = Path(__file__).parents[3]

APP = """
from langchain_core.runnables import RunnablePassthrough
from tests.apps.langchain.zoo import parts, two_stores

store = parts.in_memory()
retriever = store.as_retriever(search_kwargs={"k": 3})
chain = {"context": retriever | parts.joined, "question": RunnablePassthrough()} | parts.PROMPT | parts.quotes()
both = two_stores.make()

def make(): return chain
def make_function(): return ask
def ask(question): return parts.joined(store.similarity_search(question, k=2))
async def ask_later(question): return parts.joined(await store.asimilarity_search(question, k=2))
def two(question, language): return ask(question)

class Service:
    def ask(self, question): return ask(question)

service = Service()
"""


@pytest.fixture
def ragapp(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "lcapp.py").write_text(APP, encoding="utf-8")
    yield "langchain:lcapp"
    sys.modules.pop("lcapp", None)


@pytest.mark.parametrize(
    ("attr", "k", "kind"),
    [
        ("chain", 3, "chain"),
        ("make", 3, "chain"),
        ("make_function", None, "function"),
        ("ask", None, "function"),
        ("ask_later", None, "function"),
        ("service.ask", None, "function"),
    ],
)
def test_what_an_application_may_be(attr: str, k: int | None, kind: str, ragapp: str, ledger: Ledger) -> None:
    target = open_target(f"{ragapp}:{attr}")
    assert (target.k, target.spec, target.store_search) == (k, f"{ragapp}:{attr}", False)
    assert target.app.startswith(kind)
    results = darnel.run(f"{ragapp}:{attr}", QUESTIONS, ["echo:1"], ledger=ledger)
    assert results.exit_code == 0, {o.detail for o in results.observations}
    assert any(o.stage in ("in prompt", "in answer") for o in results.observations)
    assert results.leftovers == []


def test_a_function_of_two_is_refused(ragapp: str) -> None:
    with pytest.raises(UsageError, match="takes several arguments"):
        open_target(f"{ragapp}:two")


def test_a_store_and_a_plain_retriever_stay_what_they_are(ragapp: str) -> None:
    for attr in ("store", "retriever"):
        target = open_target(f"{ragapp}:{attr}")
        assert target.store_search
        assert target.app == ""


def test_several_stores_are_named_and_one_is_chosen(ragapp: str, ledger: Ledger) -> None:
    with pytest.raises(
        UsageError, match=r"holds 2 vector stores: both\.\S+\['notes'\]\S+, \S+ choose with --store PATH"
    ):
        open_target(f"{ragapp}:both")
    paths = [found.path for found in find_stores(sys.modules["lcapp"].both, "both")]
    for path in paths:
        by_option = open_target(f"{ragapp}:both", app=AppOptions(store=path))
        again = open_target(by_option.spec)
        assert "?store=" in by_option.spec
        assert again.injector.describe().identity == by_option.injector.describe().identity
        assert again.injector.describe().size == (24 if "notes" in path else 8)
    with pytest.raises(UnknownNameError, match="did you mean"):
        open_target(f"{ragapp}:both", app=AppOptions(store=paths[0][:-1]))


def test_a_store_behind_a_corpus_of_documents_is_found() -> None:
    corpus = [Document(page_content=f"record {n}", metadata={"number": [n]}) for n in range(30_000)]
    store = parts.in_memory()
    layers: Any = store.as_retriever()
    for _ in range(6):
        layers = {"inner": layers}

    class Service:
        def __init__(self) -> None:
            self.documents, self.by_id = corpus, {str(n): d for n, d in enumerate(corpus)}
            self.layers = layers

        def __call__(self, question: str) -> Any:
            inner: Any = self.layers
            while isinstance(inner, dict):
                inner = inner["inner"]
            return inner.invoke(question)

    service = Service()
    assert [f.store for f in find_stores(service.layers)] == [store]
    assert [f.store for f in find_stores(service)] == [store]
    target = open_target(service)
    assert target.retriever is not None
    assert len(target.retriever.retrieve([QUESTIONS[0]], 4)[0].sources) == 4


def test_the_same_store_by_several_ways_is_one() -> None:
    store = parts.in_memory()
    again = type(store)(parts.HashedEmbeddings())
    again.store = store.store
    chroma = parts.in_chroma()
    twin = type(chroma)(chroma._collection.name, parts.HashedEmbeddings(), client=chroma._client)
    for one, other in ((store, store), (chroma, twin)):
        app = RunnableParallel(a=one.as_retriever(), b=other.as_retriever())
        found = find_stores(app)
        assert len(found) == 1
        assert found[0].path == "app.steps__['a'].vectorstore"
        reply = open_target(app).retriever.retrieve([QUESTIONS[0]], 4)[0]
        assert len(reply.sources) == 4
        assert reply.error is None
    assert find_stores(RunnableParallel(a=store.as_retriever(), b=parts.in_memory().as_retriever()))[1:]


def test_how_the_nearest_retriever_asks_is_taken_over() -> None:
    store = parts.in_memory()
    retriever = store.as_retriever(search_type="mmr", search_kwargs={"k": 2, "filter": len})
    (found,) = find_stores(retriever | parts.joined)
    asking = find_asking(retriever | parts.joined, found)
    assert (asking.kind, asking.k, asking.narrowing) == ("mmr", 2, {"filter": len})
    assert find_asking(RunnableLambda(lambda q: store.similarity_search(q)), found).k is None
    assert find_asking(store.as_retriever() | parts.joined, found).k == 4


def test_a_filter_that_only_shows_while_asking_is_said(ledger: Ledger) -> None:
    store = parts.in_chroma()

    def ask(question: str) -> list[str]:
        return [d.page_content for d in store.similarity_search(question, k=4, filter={"tenant": "red"})]

    results = darnel.run(ask, QUESTIONS, ["echo:1"], ledger=ledger)
    assert results.exit_code == 2, "plants look like most records, which are blue"
    assert any("searches with {'filter': {'tenant': 'red'}}" in w and "--metadata" in w for w in results.warnings)
    settings = RunOptions(metadata={"tenant": "red"})
    results = darnel.run(ask, QUESTIONS, ["echo:1"], ledger=ledger, options=settings)
    assert results.exit_code == 0
    assert any(o.outcome == "retrieved" for o in results.observations)


HIDDEN: dict[str, Any] = {}


def test_a_store_that_is_named_apart(ledger: Ledger) -> None:
    store = HIDDEN["store"] = parts.in_memory()
    # nothing that the walk goes into leads there
    app = RunnableLambda(lambda question: vars(sys.modules[__name__])["HIDDEN"]["store"].similarity_search(question))
    with pytest.raises(UsageError, match="--into TARGET"):
        open_target(app)
    results = darnel.run(app, QUESTIONS, ["echo:1"], ledger=ledger, into=store)
    assert results.exit_code == 0, {o.detail for o in results.observations}
    assert results.leftovers == []
    assert any(o.outcome == "retrieved" for o in results.observations)


def test_all_stores_one_after_the_other(ragapp: str, cli: Callable[..., Outcome], tmp_path: Path) -> None:
    (tmp_path / "questions.txt").write_text("\n".join(QUESTIONS), encoding="utf-8")
    done = cli("run", f"{ragapp}:both", "--queries", "questions.txt", "-p", "echo:1", "--all-stores", "--json")
    assert done.code in (0, 2), done.err
    told = json.loads(done.out)
    assert [each["store"] for each in told] == [
        "both.first.steps__['notes'].first.vectorstore",
        "both.first.steps__['drafts'].first.vectorstore",
    ]
    assert all(each["results"]["cleanup"]["planted"] == each["results"]["cleanup"]["removed"] for each in told)


def test_the_paths_of_all_stores(ragapp: str) -> None:
    assert langchain_stores(parse_spec(f"{ragapp}:both")) == [
        "both.first.steps__['notes'].first.vectorstore",
        "both.first.steps__['drafts'].first.vectorstore",
    ]


def test_the_methods_of_a_class_are_put_back_exactly() -> None:
    class Own(type(parts.in_memory())):  # type: ignore[misc]
        def similarity_search(self, query: str, k: int = 4, **kwargs: Any) -> Any:
            return super().similarity_search(query, k, **kwargs)

    store, other, seen = Own(parts.HashedEmbeddings()), Own(parts.HashedEmbeddings()), list[Any]()
    store.add_documents(parts.documents())
    before, base = dict(vars(Own)), dict(vars(Own.__mro__[1]))
    with pytest.raises(ZeroDivisionError), watch([store], lambda found, _settings: seen.append(found)):
        with watch([store], lambda found, _settings: seen.append(found)):
            store.similarity_search("salt")
        other.similarity_search("salt")
        store.similarity_search_with_score("salt")
        1 / 0  # noqa: B018
    assert [len(found) for found in seen] == [4, 4]
    assert dict(vars(Own)) == before
    assert dict(vars(Own.__mro__[1])) == base
    store.similarity_search("salt")
    assert len(seen) == 2


def test_the_command_says_what_is_asked_and_where(ragapp: str, cli: Callable[..., Outcome], tmp_path: Path) -> None:
    done = cli("doctor", f"{ragapp}:chain", "--json")
    assert "chain.first.steps__['context'].first.vectorstore" in done.out, done.err


CHROMA_APP = """
import chromadb
from langchain_chroma import Chroma
from langchain_core.runnables import RunnableParallel
from tests.apps.langchain.zoo import parts

def make():
    client = chromadb.PersistentClient("db", settings=chromadb.config.Settings(anonymized_telemetry=False))
    one, other = (Chroma(name, parts.HashedEmbeddings(), client=client) for name in ("one", "other"))
    for store in (one, other):
        if not store.get()["ids"]:
            store.add_documents(parts.documents(), ids=[d.id for d in parts.documents()])
    return RunnableParallel(one=one.as_retriever(), other=other.as_retriever())
"""


def counts(folder: Path) -> list[int]:
    client = chromadb.PersistentClient(str(folder), settings=chromadb.config.Settings(anonymized_telemetry=False))
    found = [client.get_collection(name).count() for name in ("one", "other")]
    client.close()
    return found


def test_what_one_process_planted_another_sweeps(tmp_path: Path) -> None:
    def command(*args: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-W", "ignore", "-m", "darnel", *args],
            cwd=tmp_path,
            env={"PATH": "", "PYTHONPATH": str(ROOT), "HOME": str(tmp_path)},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    (tmp_path / "lcapp.py").write_text(CHROMA_APP, encoding="utf-8")
    (tmp_path / "questions.txt").write_text("\n".join(QUESTIONS), encoding="utf-8")
    target = "langchain:lcapp:make?store=make.steps__['other'].vectorstore"
    planted = command("plant", target, "--queries", "questions.txt", "-p", "echo:1")
    assert planted.returncode == 0, planted.stderr
    assert counts(tmp_path / "db")[0] == 24 < counts(tmp_path / "db")[1]
    swept = command("sweep")
    assert swept.returncode == 0, swept.stderr
    assert counts(tmp_path / "db") == [24, 24]


INSIDE = """
from langchain_chroma import Chroma
from tests.apps.langchain.zoo import parts

def answer(question: str):
    db = Chroma(collection_name="notes", persist_directory="db", embedding_function=parts.HashedEmbeddings())
    found = [document for document, _ in db.similarity_search_with_score(question, k=4)]
    return parts.quotes().invoke(parts.PROMPT.format_messages(context=parts.joined(found), question=question)).content
"""


def test_a_store_that_is_made_anew_for_each_question(tmp_path: Path) -> None:
    """As the tutorials have it: nothing to find beforehand, no callback, and a second client on the folder in this process."""
    from langchain_chroma import Chroma

    filled = Chroma(
        collection_name="notes", persist_directory=str(tmp_path / "db"), embedding_function=parts.HashedEmbeddings()
    )
    filled.add_documents(parts.documents(), ids=[f"n{i}" for i in range(len(parts.documents()))])
    filled._client.close()
    (tmp_path / "inside.py").write_text(INSIDE, encoding="utf-8")
    (tmp_path / "q.txt").write_text("\n".join(QUESTIONS), encoding="utf-8")
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "darnel",
            "run",
            "langchain:inside:answer",
            "--into",
            "chroma:db#notes",
            "--queries",
            "q.txt",
            "--embedder",
            "tests.support.embedder:hashed",
            "-p",
            "echo:2",
            "--json",
        ],
        env=environment(),
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    echo = next(score for score in told["scores"] if score["pattern"] == "echo:2")
    assert echo["funnel"]["in prompt"]["value"] > 0.5
    assert told["leftovers"] == [] and told["corpus_digest"]["same"]


def test_every_class_of_store_is_put_back_as_it_was() -> None:
    from langchain_core.vectorstores import InMemoryVectorStore, VectorStore

    before = [dict(vars(cls)) for cls in (VectorStore, InMemoryVectorStore)]
    seen: list[int] = []
    with watch([], lambda found, _settings: seen.append(len(found))):
        parts.in_memory().similarity_search("harbour", k=3)
    parts.in_memory().similarity_search("harbour", k=3)
    assert seen == [3]
    assert [dict(vars(cls)) for cls in (VectorStore, InMemoryVectorStore)] == before
