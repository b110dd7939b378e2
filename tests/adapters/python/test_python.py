"""``python:module:function``: whatever a function is and returns, its answers and sources are read."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from typing import Any

import pytest

import darnel
from darnel.adapters.apps.options import AppOptions
from darnel.adapters.memory import MemoryCorpus
from darnel.api import open_target
from darnel.core.corpus import Reply
from darnel.core.errors import TargetError, UsageError
from darnel.core.options import RunOptions
from darnel.core.plant import Plant
from darnel.core.planting.ledger import Ledger
from tests.adapters.python import ask_app
from tests.support.corpora import make_query_list, make_records

HERE = "python:tests.adapters.python.ask_app:"
QUERIES = make_query_list()
APP = AppOptions(retries=0, timeout=30)


class Shelf(MemoryCorpus):
    """A corpus that the application reads, in its own way."""

    def inject(self, plants: Sequence[Plant]) -> None:
        super().inject(plants)
        self.show()

    def remove(self, ids: Sequence[str]) -> None:
        super().remove(ids)
        self.show()

    def show(self) -> None:
        ask_app.DOCUMENTS[:] = [{"id": r.id, "text": r.text or ""} for r in self.records.values()]


@pytest.fixture
def shelf() -> Iterator[Shelf]:
    corpus = Shelf(make_records())
    corpus.show()
    ask_app.CALLS.clear()
    yield corpus
    ask_app.DOCUMENTS.clear()


def ask(target: Any, shelf: Shelf, question: str = "How do flour and yeast go?", app: AppOptions = APP) -> Reply:
    opened = open_target(target, into=shelf, app=app)
    assert opened.retriever is not None and opened.injector is shelf and not opened.store_search
    reply = opened.retriever.retrieve([question], 4)[0]
    opened.close()
    return reply


@pytest.mark.parametrize(
    ("name", "answered", "sources"),
    [
        ("obey", True, 4),
        ("answer_only", True, None),
        ("sources_only", False, 4),
        ("slow", True, 4),
        ("stream", True, None),
        ("bot", True, 4),
        ("bot.ask", True, 4),
        ("method", True, 4),
        ("make", True, 4),
        ("Bot", True, 4),
        ("any_number", True, 4),
    ],
)
def test_whatever_it_is_it_is_asked(name: str, answered: bool, sources: int | None, shelf: Shelf) -> None:
    reply = ask(HERE + name, shelf)
    assert reply.error is None
    assert bool(reply.answer) is answered
    assert (len(reply.sources), reply.searched) == (sources or 0, sources is not None)


def test_input_and_paths(shelf: Shelf) -> None:
    app = AppOptions(retries=0, input='{"question": "{query}"}', answer_path="data.said", sources_path="data.hits[:2]")
    reply = ask(HERE + "keyed", shelf, app=app)
    assert reply.answer is not None and reply.answer.startswith("I read: ")
    assert [s.id for s in reply.sources] == [d["id"] for d in ask_app.search("How do flour and yeast go?")][:2]


@pytest.mark.parametrize(
    ("app", "said"),
    [
        ({}, "neither an answer nor sources can be recognised in the reply with the keys data; say where they are"),
        ({"answer_path": "data.text"}, "no text is at the answer path in the reply with the keys data"),
        ({"answer_path": "data.said", "sources_path": "data.none"}, "no list of sources is at the sources path"),
        ({"answer_path": "length(data.nothing)"}, "--answer-path 'length(data.nothing)' does not fit"),
    ],
)
def test_what_cannot_be_read_is_the_replys_error(app: dict[str, Any], said: str, shelf: Shelf) -> None:
    options = AppOptions(input='{"question": "{query}"}', **app)
    reply = ask(HERE + "keyed", shelf, app=options)
    assert reply.error is not None and reply.error.startswith(said)


@pytest.mark.parametrize(
    ("name", "error", "said"),
    [
        ("made_of_nothing", UsageError, "is a str and cannot be asked"),
        ("notes", UsageError, "is a str and cannot be asked"),
        ("two", UsageError, "must take one argument"),
        ("named_only", UsageError, "must take one argument"),
        ("nothing", UsageError, "has no 'nothing'"),
    ],
)
def test_what_cannot_be_asked_is_refused(name: str, error: type[Exception], said: str, shelf: Shelf) -> None:
    with pytest.raises(error, match=said):
        open_target(HERE + name, into=shelf)


@pytest.mark.parametrize(
    "source", ["raise RuntimeError('no key')", "import sys; sys.exit(4)", "def f(): raise SystemExit"]
)
def test_an_application_that_fails_on_import_or_when_made(
    source: str, shelf: Shelf, tmp_path: Any, request: pytest.FixtureRequest
) -> None:
    name = f"failing_{abs(hash(request.node.name))}"
    (tmp_path / f"{name}.py").write_text(source)
    with pytest.raises((TargetError, UsageError), match="failed"):
        open_target(f"python:{name}:f", into=shelf)


def test_without_into_it_says_so(shelf: Shelf) -> None:
    with pytest.raises(UsageError, match="Say where to plant with --into TARGET"):
        open_target(HERE + "obey")
    assert not ask_app.CALLS
    with pytest.raises(UsageError, match="Say where to plant"):
        open_target(ask_app.obey)
    with pytest.raises(UsageError, match="MODULE:FUNCTION"):
        open_target("python:ask", into=shelf)
    with pytest.raises(UsageError, match="leave --into away"):
        open_target("memory:x.jsonl", into=shelf)
    with pytest.raises(UsageError, match="leave --into away"):
        open_target(MemoryCorpus(make_records()), into=shelf)


OWN_CLIENT = """
import chromadb
from tests.support.embedder import embed

client = chromadb.PersistentClient("db")
collection = client.get_collection("docs", embedding_function=None)


def ask(question):
    found = collection.query(query_embeddings=[embed(question)], n_results=4)
    texts, ids = found["documents"][0], found["ids"][0]
    return texts[0], [{"id": i, "text": t} for i, t in zip(ids, texts)]
"""


def test_an_application_with_a_folder_of_its_own_is_planted_through_its_own_client(
    folder: Any, tmp_path: Any, ledger: Ledger
) -> None:
    (tmp_path / "own_client.py").write_text(OWN_CLIENT)
    options = RunOptions(k=4)
    settings: dict[str, Any] = {"options": options, "ledger": ledger, "embedder": "tests.support.embedder:hashed"}
    ask_it = "python:own_client:ask"
    results = darnel.run(ask_it, QUERIES, ["echo:1"], into="python:own_client:collection", **settings)
    assert results.exit_code == 0, results.warnings
    assert results.target.spec == "python:own_client:collection"
    assert next(s for s in results.scores if s.pattern == "echo:1").funnel["retrieved"].hits >= 1
    alone = open_target(results.target.spec, embedder="tests.support.embedder:hashed")
    assert alone.store_search and not alone.app and alone.injector.describe().size == 40
    beside = darnel.run(ask_it, QUERIES, ["echo:1"], into=f"chroma:{folder}#docs", **settings)
    assert beside.exit_code == 0, beside.warnings  # written through the client that the application has on the folder
    assert beside.scores == results.scores
    sys.modules.pop("own_client").client.close()


def run(target: Any, shelf: Shelf, ledger: Ledger, app: AppOptions = APP, **options: Any) -> darnel.Results:
    settings = RunOptions(k=4, visible_within=0.3, gone_within=0.3, **options)
    return darnel.run(target, QUERIES, ["echo:1"], options=settings, ledger=ledger, app=app, into=shelf)


@pytest.mark.parametrize("target", [HERE + "obey", ask_app.obey, ask_app.bot, ask_app.bot.ask, ask_app.slow])
def test_a_whole_run(target: Any, shelf: Shelf, ledger: Ledger, capsys: pytest.CaptureFixture[str]) -> None:
    before = dict(shelf.records)
    results = run(target, shelf, ledger)
    assert results.exit_code == 0, results.errors
    assert results.target.app.startswith("python ")
    echo = {s.pattern: s for s in results.scores}["echo:1"]
    assert echo.exposure["3"].hits == 3
    assert echo.funnel["retrieved"].hits == echo.funnel["in answer"].hits == 3
    assert "delivered" not in echo.funnel and "in prompt" not in echo.funnel
    assert {o.stage for o in results.observations if o.pattern == "echo:1"} == {"in answer"}
    assert shelf.records == before
    assert capsys.readouterr().out == ""


def test_an_application_that_shows_only_answers_is_judged_by_them_and_is_no_pass(shelf: Shelf, ledger: Ledger) -> None:
    results = run(HERE + "answer_only", shelf, ledger, gates=["in_answer > 0.5"])
    scores = {s.pattern: s for s in results.scores}
    assert scores["echo:1"].funnel["in answer"].hits == scores["echo:1"].funnel["in answer"].n == 3
    assert (scores["control:1"].funnel["in answer"].hits, scores["control:1"].funnel["in answer"].n) == (0, 3)
    assert scores["control:1"].inconclusive == 3
    unsure = [o for o in results.observations if o.outcome == "inconclusive"]
    assert {o.detail for o in unsure} == {"the application shows no sources, only its answers"}
    assert (results.exit_code, results.gates[0].verdict) == (1, "failed")


def test_answers_that_never_hold_a_plant_are_known_not_to(shelf: Shelf, ledger: Ledger) -> None:
    results = run(HERE + "deaf", shelf, ledger, gates=["in_answer > 0.5"])
    echo = next(s for s in results.scores if s.pattern == "echo:1")
    assert (echo.funnel["in answer"].hits, echo.funnel["in answer"].n) == (0, 3)
    assert echo.inconclusive == 3 and results.exit_code == 2
    assert results.gates[0].verdict == "passed"


@pytest.mark.parametrize(
    ("name", "said"), [("third_fails", "RuntimeError: out of tokens"), ("third_exits", "SystemExit: goodbye")]
)
def test_a_call_that_fails_is_its_own_rows_error(name: str, said: str, shelf: Shelf, ledger: Ledger) -> None:
    before = dict(shelf.records)
    results = run(HERE + name, shelf, ledger)
    failed = [o for o in results.observations if o.outcome == "inconclusive"]
    assert 0 < len(failed) < len(results.observations)
    assert {o.detail for o in failed} == {f"asking failed: {said}"}
    assert results.exit_code == 2
    assert shelf.records == before
