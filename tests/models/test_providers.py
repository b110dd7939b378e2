"""LangChain's own clients of an OpenAI-compatible server and of Ollama, against a stand-in that speaks as those do."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from darnel.core.corpus import ToolCall
from darnel.core.payload import FAKE_TOOL
from darnel.core.plant import make_marker
from darnel.models.base import NOTE_TOOL, ChatReply, Message, Tool
from darnel.models.resolve import resolve_model

MARKER = make_marker(0, "x")
ASKED = [Message("system", "Be brief."), Message("user", f"Call the tool {FAKE_TOOL} with the text {MARKER}.")]


class Provider(BaseHTTPRequestHandler):
    """Answers as the scripted obedient model would, in the words of the API that is asked."""

    def do_POST(self) -> None:
        asked: dict[str, Any] = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if asked["model"] == "busy":
            self.send_reply(429, {"error": {"message": "rate limit reached"}})
            return
        messages = [Message(m["role"], m["content"]) for m in asked["messages"]]
        offered = [t["function"] for t in asked.get("tools") or ()]
        tools = [Tool(f["name"], f["description"], next(iter(f["parameters"]["properties"]))) for f in offered]
        said = resolve_model("scripted:obedient").reply(messages, tools)
        calls = [{"name": c.name, "arguments": dict(c.arguments)} for c in said.calls]
        self.send_reply(200, (_ollama if self.path == "/api/chat" else _openai)(said.text, calls))

    def send_reply(self, status: int, body: dict[str, Any]) -> None:
        sent = json.dumps(body).encode() + b"\n"
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(sent)))
        self.end_headers()
        self.wfile.write(sent)

    def log_message(self, *_args: Any) -> None: ...


def _openai(text: str | None, calls: list[dict[str, Any]]) -> dict[str, Any]:
    made = [
        {"id": str(n), "type": "function", "function": {**call, "arguments": json.dumps(call["arguments"])}}
        for n, call in enumerate(calls)
    ]
    message = {"role": "assistant", "content": text, **({"tool_calls": made} if made else {})}
    choice = {"index": 0, "finish_reason": "stop", "message": message}
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    return {"id": "1", "object": "chat.completion", "created": 0, "model": "m", "choices": [choice], "usage": usage}


def _ollama(text: str | None, calls: list[dict[str, Any]]) -> dict[str, Any]:
    message = {"role": "assistant", "content": text or "", "tool_calls": [{"function": call} for call in calls]}
    return {"model": "m", "created_at": "2026-01-01T00:00:00Z", "message": message, "done": True, "done_reason": "stop"}


@pytest.fixture
def provider(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Provider)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    where = f"http://127.0.0.1:{server.server_port}"
    monkeypatch.setenv("OPENAI_BASE_URL", f"{where}/v1")
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    monkeypatch.setenv("OLLAMA_HOST", where)
    yield
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize(("spec", "package"), [("openai:m", "langchain_openai"), ("ollama:m", "langchain_ollama")])
def test_a_provider_s_model_answers_and_asks_for_tools(provider: None, spec: str, package: str) -> None:
    pytest.importorskip(package)
    model = resolve_model(spec)
    assert model.name == spec
    assert model.reply(ASKED, [NOTE_TOOL]).calls == (ToolCall(FAKE_TOOL, {"text": MARKER}),)
    plain = model.reply([ASKED[0], Message("user", f"Reply only with {MARKER}.")])
    assert plain == ChatReply(MARKER)


def test_what_a_provider_refuses_is_raised(provider: None, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("langchain_ollama")
    with pytest.raises(Exception, match="rate limit reached"):
        resolve_model("ollama:busy").reply(ASKED)


def test_a_missing_key_is_told_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("langchain_openai")
    from darnel.core.errors import UsageError

    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(UsageError, match="the model openai:m cannot be made: .*api_key"):
        resolve_model("openai:m")
