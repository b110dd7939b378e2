"""Applications behind a URL: bodies, paths, headers, and all the ways in which a server refuses."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import darnel
from darnel.adapters.apps import pace as pace_module
from darnel.adapters.apps.options import AppOptions
from darnel.adapters.memory import MemoryCorpus
from darnel.adapters.spec import parse_spec
from darnel.api import open_target
from darnel.core.corpus import Reply
from darnel.core.errors import HostNotAllowedError, UsageError
from darnel.core.options import RunOptions
from darnel.core.planting.ledger import Ledger
from tests.adapters.http.server import App, serve
from tests.support.corpora import make_query_list, make_records

QUESTION = "How do flour & yeast go with 100 % oven?"
SECRET = "s3cret-token-0123456789"


@pytest.fixture(autouse=True)
def no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pace_module, "LONGEST_PAUSE", 0.001)


@pytest.fixture
def corpus() -> MemoryCorpus:
    return MemoryCorpus(make_records())


@pytest.fixture
def app(corpus: MemoryCorpus) -> Iterator[App]:
    def search(question: str) -> list[dict[str, Any]]:
        found = corpus.retrieve([question], 4)[0].sources
        return [{"id": s.id, "text": corpus.read([s.id])[s.id].text} for s in found if s.id]

    with serve(search) as served:
        yield served


def ask(url: str, corpus: MemoryCorpus, options: AppOptions | None = None) -> Reply:
    opened = open_target(url, into=corpus, app=options or AppOptions(timeout=20))
    assert opened.retriever is not None
    try:
        return opened.retriever.retrieve([QUESTION], 4)[0]
    finally:
        opened.close()


@pytest.mark.parametrize("prefix", ["", "http:"])
def test_a_question_is_posted_as_json(prefix: str, app: App, corpus: MemoryCorpus) -> None:
    reply = ask(f"{prefix}{app.url}/ask", corpus)
    assert [s.id for s in reply.sources] == [s.id for s in corpus.retrieve([QUESTION], 4)[0].sources]
    assert reply.answer is not None and reply.answer.startswith("I read: ") and reply.searched
    ((method, path, headers, body),) = app.seen
    assert (method, path, body) == ("POST", "/ask", {"query": QUESTION})
    assert headers["content-type"] == "application/json"


def test_a_template_and_paths(app: App, corpus: MemoryCorpus) -> None:
    options = AppOptions(
        input='{"messages": [{"content": "{query}", "role": "user"}], "top": 3}',
        answer_path="data.text",
        sources_path="data.hits[].doc",
    )
    reply = ask(f"{app.url}/nested", corpus, options)
    assert reply.error is None and len(reply.sources) == 4 and reply.answer
    assert app.seen[0][3] == {"messages": [{"content": QUESTION, "role": "user"}], "top": 3}


@pytest.mark.parametrize("where", ["/ask?lang=en&q={query}&lang=de", "/ask/{query}"])
def test_a_question_in_the_url_is_got(where: str, app: App, corpus: MemoryCorpus) -> None:
    reply = ask(f"{app.url}{where}", corpus)
    assert [s.id for s in reply.sources] == [s.id for s in corpus.retrieve([QUESTION], 4)[0].sources]
    method, path, _headers, _body = app.seen[0]
    assert method == "GET"
    assert path == where.replace("{query}", "How%20do%20flour%20%26%20yeast%20go%20with%20100%20%25%20oven%3F")


def test_a_header_takes_its_secret_from_the_environment(
    app: App, corpus: MemoryCorpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAG_TOKEN", SECRET)
    options = AppOptions(headers=("Authorization=Bearer $RAG_TOKEN", "X-Key=${RAG_TOKEN}"))
    assert ask(f"{app.url}/ask", corpus, options).error is None
    headers = app.seen[0][2]
    assert (headers["authorization"], headers["x-key"]) == (f"Bearer {SECRET}", SECRET)
    assert SECRET not in repr(options)
    refused = ask(f"{app.url}/teapot", corpus, options)
    assert refused.error == f"418 I'm a Teapot from {app.url}/teapot: no, Bearer [secret]"


@pytest.mark.parametrize(
    ("header", "said"),
    [
        (f"Authorization={SECRET}", "write --header"),
        ("Authorization", "write --header"),
        ("Bad Name=$RAG_TOKEN", "write --header"),
        ("Authorization=$RAG_TOKEN", "needs the environment variable RAG_TOKEN, which is not set"),
        ("Authorization=$BROKEN", "a character that no header may hold"),
        ("Authorization=$RAG_TOKEN $", "write --header"),
    ],
)
def test_headers_that_do_not_read_and_never_their_values(
    header: str, said: str, corpus: MemoryCorpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BROKEN", f"{SECRET}\r\nX: y")
    with pytest.raises(UsageError, match=said) as refused:
        ask("http://127.0.0.1:9/ask", corpus, AppOptions(headers=(header,)))
    assert SECRET not in str(refused.value)


def test_what_fails_for_a_moment_is_asked_again(app: App, corpus: MemoryCorpus) -> None:
    app.failures = 2
    assert ask(f"{app.url}/flaky", corpus, AppOptions(retries=2)).error is None
    assert len(app.seen) == 3
    app.failures = 2
    reply = ask(f"{app.url}/flaky", corpus, AppOptions(retries=1))
    assert reply.error == f"HttpError: 503 Service Unavailable from {app.url}/flaky: busy"


@pytest.mark.parametrize(
    ("path", "said", "asked"),
    [
        ("/teapot", "418 I'm a Teapot from {url}", 1),
        ("/moved", "307 Temporary Redirect from {url}: redirects are not followed", 1),
        ("/page", "{url} returned no JSON (text/html): <html>Log in</html>", 1),
        ("/empty", "neither an answer nor sources can be recognised in the reply with the keys status", 1),
        ("/cut", "HttpError: {url}: RemoteProtocolError: Server disconnected", 2),
    ],
)
def test_refusals(path: str, said: str, asked: int, app: App, corpus: MemoryCorpus) -> None:
    reply = ask(f"{app.url}{path}", corpus, AppOptions(retries=1))
    assert reply.error is not None and reply.error.startswith(said.format(url=f"{app.url}{path}"))
    assert len(app.seen) == asked


def test_a_server_that_hangs_or_is_not_there(app: App, corpus: MemoryCorpus) -> None:
    assert ask(f"{app.url}/stuck", corpus, AppOptions(timeout=0.2)).error == "no answer within 0.2 s"
    reply = ask("http://127.0.0.1:1/ask", corpus, AppOptions(retries=0))
    assert reply.error is not None and reply.error.startswith("HttpError: http://127.0.0.1:1/ask: ConnectError")


def test_what_cannot_be_opened(corpus: MemoryCorpus) -> None:
    with pytest.raises(UsageError, match="Say where to plant with --into TARGET"):
        open_target("http://127.0.0.1:9/ask")
    with pytest.raises(UsageError, match="leave --input away"):
        open_target("http://127.0.0.1:9/ask?q={query}", into=corpus, app=AppOptions(input='{"q": "{query}"}'))
    with pytest.raises(UsageError, match="without a #fragment"):
        open_target("http://127.0.0.1:9/ask#docs", into=corpus)
    with pytest.raises(UsageError, match="no JMESPath"):
        open_target("http://127.0.0.1:9/ask", into=corpus, app=AppOptions(answer_path="a["))
    with pytest.raises(UsageError, match="write the application's URL"):
        open_target("http:ask", into=corpus)


@pytest.mark.parametrize("writes", [True, False])
def test_another_host_must_be_allowed_even_to_be_asked(writes: bool, corpus: MemoryCorpus) -> None:
    with pytest.raises(HostNotAllowedError, match="--allow-host rag.example"):
        open_target("https://rag.example/ask", into=corpus, writes=writes)
    opened = open_target("https://rag.example/ask", into=corpus, writes=writes, allow_hosts=["rag.example"])
    assert opened.app == "https://rag.example/ask"
    opened.close()


def test_credentials_in_the_url_are_not_shown(corpus: MemoryCorpus) -> None:
    opened = open_target("http://user:pass-w0rd@127.0.0.1:1/ask?api_key=abc", into=corpus, app=AppOptions(retries=0))
    assert opened.retriever is not None
    said = f"{opened.app} {opened.retriever.retrieve(['q'], 1)[0].error}"
    assert "pass-w0rd" not in said and "abc" not in said and "127.0.0.1:1" in said
    opened.close()


def test_a_url_is_a_spec() -> None:
    spec = parse_spec("https://h.example:8443/a/{query}?x=1&x=%20")
    assert (spec.adapter, spec.where, spec.query) == ("http", "https://h.example:8443/a/{query}", "x=1&x=%20")


def test_a_whole_run(app: App, corpus: MemoryCorpus, ledger: Ledger) -> None:
    before = dict(corpus.records)
    options = RunOptions(k=4, visible_within=0.3, gone_within=0.3, gates=["echo in_answer > 0.9"])
    results = darnel.run(f"{app.url}/ask", make_query_list(), ["echo:1"], options=options, ledger=ledger, into=corpus)
    echo = next(s for s in results.scores if s.pattern == "echo:1")
    assert echo.funnel["retrieved"].hits == echo.funnel["in answer"].hits == 3
    assert (results.exit_code, results.gates[0].verdict, results.target.app) == (1, "failed", f"{app.url}/ask")
    assert corpus.records == before
