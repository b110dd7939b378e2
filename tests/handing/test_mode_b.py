"""Mode B: payloads handed straight to what answers from passages, judged mechanically, and kept apart from mode A."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

import darnel
from darnel.adapters.apps.options import AppOptions
from darnel.adapters.memory import MemoryCorpus
from darnel.core.corpus import ToolCall
from darnel.core.errors import DarnelError, UnknownNameError, UsageError
from darnel.core.handing.results import HandedResults
from darnel.core.handing.run import HandingOptions
from darnel.core.plant import find_markers
from darnel.patterns.payloads.registry import known_payloads
from tests.support.command import Outcome
from tests.support.corpora import make_query_list, make_records

QUESTIONS = ["How long is the warranty?", "Who approves travel?", "Where is the harbour?", "What does it cost?"]
FAST = AppOptions(retries=0, timeout=0.5, jobs=2)
Cli = Callable[..., Outcome]


def obedient(_question: str, passages: Sequence[str]) -> str:
    """Does what the first passage asks for, if it asks for anything."""
    return (
        f"As told: {' '.join(find_markers(passages[0]))}" if "Ignore the previous" in passages[0] else "It is 2 years."
    )


def parrot(_question: str, passages: Sequence[str]) -> str:
    """Repeats whatever it is given."""
    return " ".join(passages)


def deaf(_question: str, _passages: Sequence[str]) -> str:
    return "It is 2 years."


def score(results: HandedResults, name: str) -> Any:
    return next(s for s in results.scores if s.payload == name)


def test_an_obedient_model_is_told_from_one_that_is_not() -> None:
    results = darnel.run_context(obedient, QUESTIONS, ["order", "polite"])
    assert [s.payload for s in results.scores] == ["control", "order", "polite"]
    assert (score(results, "order").obeyed.hits, score(results, "order").obeyed.n) == (4, 4)
    assert (score(results, "polite").obeyed.hits, score(results, "control").obeyed.hits) == (0, 0)
    assert score(results, "order").lift.value == 1.0
    assert score(results, "order").obeyed.low == pytest.approx(0.51, abs=0.01)
    assert results.exit_code == 0  # nobody said what would be too much
    assert results.mode == "context" and not hasattr(results, "observations")


def test_a_model_that_repeats_everything_has_no_lift_over_the_control() -> None:
    results = darnel.run_context(parrot, QUESTIONS, ["order"])
    assert score(results, "control").obeyed.hits == score(results, "order").obeyed.hits == 4
    assert score(results, "order").lift.value == 0.0


def test_every_payload_is_handed_over_whole_and_first() -> None:
    seen: list[Sequence[str]] = []

    def note(_question: str, passages: Sequence[str]) -> str:
        seen.append(passages)
        return "noted"

    corpus = MemoryCorpus(records := make_records())
    queries = make_query_list(1)
    darnel.run_context(note, queries, ["all"], corpus=corpus, k=4, asking=AppOptions(jobs=1))
    parts = [1, *(p.parts for p in known_payloads().values())]
    assert [len(passages) for passages in seen] == [n + 3 for n in parts]
    own = {record.text for record in make_records()}
    for passages, n in zip(seen, parts, strict=True):
        assert own.isdisjoint(passages[:n]) and own.issuperset(passages[n:])
    assert list(corpus.records.values()) == records  # nothing was planted


def test_silence_failure_and_hanging_are_never_a_pass() -> None:
    release = threading.Event()

    def hangs(_question: str, _passages: Sequence[str]) -> str:
        release.wait(20)
        return "late"

    def raises(_question: str, _passages: Sequence[str]) -> str:
        raise RuntimeError("no quota")

    try:
        for app, why in ((lambda _q, _p: "", "no answer"), (raises, "no quota"), (hangs, "no answer within 0.5 s")):
            results = darnel.run_context(app, QUESTIONS[:2], ["order"], asking=FAST)
            assert results.exit_code == 2
            assert score(results, "order").obeyed.n == 0 and score(results, "order").obeyed.value is None
            assert all(row.verdict == "could not tell" and why in row.why for row in results.rows)
    finally:
        release.set()


def test_an_interruption_keeps_what_was_judged() -> None:
    calls: list[str] = []

    class Stops:
        name = "stops"

        def answer(self, handings: Sequence[Any]) -> list[Any]:
            calls.append("")
            if len(calls) == 3:
                raise KeyboardInterrupt
            return [darnel.Reply(answer=parrot("", h.passages)) for h in handings]

    from darnel.core.handing.run import run_mode_b

    payloads = [known_payloads()["order"], known_payloads()["polite"]]
    results = run_mode_b(Stops(), darnel.read_queries(QUESTIONS), payloads, HandingOptions())
    assert results.interrupted and results.exit_code == 2
    assert score(results, "order").obeyed.n == 4
    assert score(results, "polite").inconclusive == 4


def test_whatever_an_application_says_can_be_written_down() -> None:
    def says(_question: str, passages: Sequence[str]) -> str:
        if "Ignore" in passages[0]:
            raise ValueError("\ud800 is half a character")
        return "\ud800 \x1b[31m"

    document = json.loads(darnel.run_context(says, QUESTIONS[:1], ["order"], asking=FAST).to_json())
    assert [row["answer"] for row in document["rows"]] == ["\\ud800 \x1b[31m", ""]
    assert "\\ud800 is half" in document["rows"][1]["why"]


def test_one_payload_by_its_name() -> None:
    assert [s.payload for s in darnel.run_context(deaf, QUESTIONS, "order").scores] == ["control", "order"]


def test_what_would_mean_nothing_is_refused() -> None:
    with pytest.raises(UsageError, match="canary is empty"):
        darnel.run_context(deaf, QUESTIONS, ["disclose"], options=HandingOptions(canary=""))
    with pytest.raises(UsageError, match="k must be 1 or more"):
        darnel.run_context(deaf, QUESTIONS, ["order"], corpus=MemoryCorpus(make_records()), k=0)


def test_a_canary_of_the_prompt_is_what_a_payload_for_it_is_judged_by() -> None:
    def gives_away(_question: str, _passages: Sequence[str]) -> str:
        return "My instructions hold the word kestrel-41."

    with_it = darnel.run_context(gives_away, QUESTIONS, ["disclose"], options=HandingOptions(canary="kestrel-41"))
    without = darnel.run_context(gives_away, QUESTIONS, ["disclose"])
    assert score(with_it, "disclose").obeyed.hits == 4
    assert score(without, "disclose").obeyed.hits == 0
    assert any("--canary" in warning for warning in without.warnings)


@pytest.mark.parametrize(
    ("condition", "app", "verdict", "code"),
    [
        ("obeyed > 0.5", obedient, "failed", 1),
        ("polite obeyed > 0.5", obedient, "passed", 0),
        ("obeyed > 0.5", deaf, "passed", 0),
        ("obeyed > 0", lambda _q, _p: "", "unclear", 2),
    ],
)
def test_conditions(condition: str, app: Any, verdict: str, code: int) -> None:
    options = HandingOptions(conditions=[condition])
    results = darnel.run_context(app, QUESTIONS, ["order", "polite"], options=options)
    assert (results.gates[0].verdict, results.exit_code) == (verdict, code)


@pytest.mark.parametrize("condition", ["exposure@5 > 0.2", "obeyed@5 > 0.2", "obeyed > 2", "order > 0", "obeyed > x"])
def test_a_condition_that_means_nothing_here_is_refused(condition: str) -> None:
    with pytest.raises(UsageError):
        darnel.run_context(deaf, QUESTIONS, ["order"], options=HandingOptions(conditions=[condition]))
    with pytest.raises(UnknownNameError, match="order"):
        darnel.run_context(deaf, QUESTIONS, ["order"], options=HandingOptions(conditions=["ordr obeyed > 0"]))


@pytest.mark.parametrize("app", [lambda _question: "x", "chroma:./db#docs", "python:os.path:sep", 7])
def test_what_takes_no_passages_is_refused(app: Any) -> None:
    with pytest.raises(DarnelError):
        darnel.run_context(app, QUESTIONS, ["order"])


def test_a_langchain_chain() -> None:
    from langchain_core.output_parsers import StrOutputParser
    from langchain_core.prompts import ChatPromptTemplate
    from langchain_core.runnables import RunnableLambda

    prompt = ChatPromptTemplate.from_template("Answer {question} from:\n{context}")
    chain = prompt | RunnableLambda(lambda given: obedient("", [given.to_string()])) | StrOutputParser()
    with pytest.raises(UsageError, match="--input"):
        darnel.run_context(chain, QUESTIONS, ["order"])
    takes = AppOptions(input='{"question": "{query}", "context": "{passages}"}')
    assert score(darnel.run_context(chain, QUESTIONS, ["order"], asking=takes), "order").obeyed.hits == 4


def test_a_llamaindex_synthesizer() -> None:
    from llama_index.core.base.llms.types import CompletionResponse
    from llama_index.core.llms import CustomLLM, LLMMetadata
    from llama_index.core.llms.callbacks import llm_completion_callback
    from llama_index.core.response_synthesizers import get_response_synthesizer

    class Obedient(CustomLLM):
        @property
        def metadata(self) -> LLMMetadata:
            return LLMMetadata()

        @llm_completion_callback()
        def complete(self, prompt: str, *_args: Any, **_kwargs: Any) -> CompletionResponse:
            return CompletionResponse(text=obedient("", [prompt]))

        @llm_completion_callback()
        def stream_complete(self, *_args: Any, **_kwargs: Any) -> Any:
            raise NotImplementedError

    synthesizer = get_response_synthesizer(llm=Obedient())
    assert score(darnel.run_context(synthesizer, QUESTIONS, ["order"]), "order").obeyed.hits == 4


def test_an_application_behind_a_url(handed_server: str) -> None:
    takes = AppOptions(input='{"q": "{query}", "passages": "{passages}"}', answer_path="reply.text")
    results = darnel.run_context(handed_server, QUESTIONS, ["order", "polite"], asking=takes)
    assert (score(results, "order").obeyed.hits, score(results, "polite").obeyed.hits) == (4, 0)


@pytest.fixture
def handed_server() -> Any:
    from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            given = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            assert given["q"] in QUESTIONS
            body = json.dumps({"reply": {"text": obedient("", given["passages"])}}).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_args: Any) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/answer"
    server.shutdown()
    server.server_close()


@pytest.fixture
def app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.chdir(tmp_path)
    name = f"handed_{time.monotonic_ns()}"
    Path(f"{name}.py").write_text(
        "def answer(question, passages):\n"
        "    print('chatty')\n"
        "    return ' '.join(passages) if 'Ignore the previous' in passages[0] else 'It is 2 years.'\n"
    )
    Path("q.txt").write_text("\n".join(QUESTIONS))
    return ["run", "--mode", "context", f"python:{name}:answer", "--queries", "q.txt"]


def test_the_command(cli: Cli, app: list[str]) -> None:
    ended = cli(*app, "--payload", "order", "-o", "r.md", "-o", "r.json", "--fail-on", "obeyed > 0.5")
    assert ended.code == 1
    assert "order was obeyed for 4 of 4 questions (1.00, 95 % interval 0.51–1.00)" in ended.out
    assert "no retriever is tested" in ended.out
    assert Path("r.md").read_text().startswith("# Handed straight to the model, order was obeyed for 4 of 4")
    told = json.loads(cli(*app, "--payload", "order", "--json").out)
    kept = json.loads(Path("r.json").read_text())
    assert [told[key] == kept[key] for key in ("mode", "scores", "rows")] == [True, True, True]


def test_the_command_hands_over_the_corpus_behind_the_payload(cli: Cli, app: list[str]) -> None:
    lines = [json.dumps({"_id": f"r{i}", "text": f"the warranty of lamp {i} is {i} years"}) for i in range(9)]
    Path("corpus.jsonl").write_text("\n".join(lines))
    told = json.loads(cli(*app, "--into", "memory:corpus.jsonl#bm25", "--k", "3", "--payload", "order", "--json").out)
    assert told["honest"] == 2
    assert "lamp" in next(row["answer"] for row in told["rows"] if row["payload"] == "order")


@pytest.mark.parametrize(
    "options",
    [["-p", "echo"], ["--retriever", "bm25"], ["--isolation", "query"], ["-o", "x.html"], ["-o", "json:."], ["--canary", " "],
     ["--payload", "ordr"], ["--input", '{"q": "{query}"}'], ["--dry-run"]],
)  # fmt: skip
def test_what_means_nothing_in_mode_b_is_one_line(cli: Cli, app: list[str], options: list[str]) -> None:
    ended = cli(*app, *options)
    assert ended.code == 2
    assert ended.err.startswith("darnel: ") and ended.err.count("\n") == 1


def test_settings_of_mode_a_do_not_stop_mode_b(cli: Cli, app: list[str]) -> None:
    Path("darnel.toml").write_text("fail-on = ['exposure@5 > 0.2']\noutput = ['run.html', 'run.json']\n")
    ended = cli(*app, "--payload", "order")
    assert (ended.code, Path("run.json").exists()) == (0, False)
    assert "the setting 'fail-on' is left out" in ended.err and "the setting 'output' is left out" in ended.err
    Path("darnel.toml").write_text("mode = 'context'\nfail-on = ['obeyed > 0.5']\noutput = ['run.json']\n")
    ended = cli("run", *app[3:], "--payload", "order")
    assert (ended.code, Path("run.json").exists()) == (1, True)


def test_a_canary_is_of_mode_b(cli: Cli, app: list[str]) -> None:
    ended = cli("run", *app[3:], "--canary", "kestrel-41")
    assert (ended.code, ended.err) == (2, "darnel: only --mode context looks for a canary; leave --canary away\n")


def test_a_result_of_mode_b_is_no_result_of_mode_a(cli: Cli, app: list[str]) -> None:
    assert cli(*app, "--payload", "order", "-o", "r.json").code == 0
    ended = cli("report", "r.json", "-o", "x.html")
    assert ended.code == 2
    assert "r.json" in ended.err


CALL = {"name": "file_note", "args": {"text": "MARKER"}, "id": "1", "type": "tool_call"}
OPENAI = {"id": "1", "type": "function", "function": {"name": "file_note", "arguments": '{"text": "MARKER"}'}}


def _message(marker: str) -> Any:
    from langchain_core.messages import AIMessage

    return AIMessage("", tool_calls=[{**CALL, "args": {"text": marker}}])


SHOWN: dict[str, Callable[[str], Any]] = {
    "a message of LangChain's": _message,
    "a graph's state": lambda marker: {"messages": [_message(marker)]},
    "OpenAI's JSON": lambda marker: {
        "content": "",
        "tool_calls": [json.loads(json.dumps(OPENAI).replace("MARKER", marker))],
    },
    "arguments that are no JSON": lambda m: {
        "content": "",
        "tool_calls": [{"name": "file_note", "arguments": f"text={m}"}],
    },
    "calls that are no JSON, as LangChain keeps them": lambda m: {
        "content": "",
        "tool_calls": [],
        "invalid_tool_calls": [{"name": "file_note", "args": f"text={m}"}],
    },
    "LlamaIndex's": lambda m: {"content": "", "tool_calls": [{"tool_name": "file_note", "tool_kwargs": {"text": m}}]},
    "darnel's own": lambda m: darnel.Reply(calls=(ToolCall("file_note", {"text": m}),)),
}


@pytest.mark.parametrize("shown", SHOWN)
def test_a_tool_that_was_asked_for_is_seen(shown: str) -> None:
    def calls(_question: str, passages: Sequence[str]) -> Any:
        return SHOWN[shown](next(iter(find_markers(passages[0]))))

    assert score(darnel.run_context(calls, QUESTIONS, ["tool-call"]), "tool-call").obeyed.hits == 4


def test_an_empty_list_of_calls_was_seen_and_none_at_all_was_not() -> None:
    seen = darnel.run_context(lambda _q, _p: {"content": "It is 2 years.", "tool_calls": []}, QUESTIONS, ["tool-call"])
    assert (score(seen, "tool-call").obeyed.hits, score(seen, "tool-call").obeyed.n) == (0, 4)
    unknown: Any = {"content": "It is 2 years.", "tool_calls": [{"kind": "file_note"}]}
    for app in (deaf, lambda _q, _p: unknown):
        unseen = darnel.run_context(app, QUESTIONS, ["tool-call"])
        assert score(unseen, "tool-call").inconclusive == 4
