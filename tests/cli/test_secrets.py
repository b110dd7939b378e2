"""Credentials in a target reach no ledger, no output, no report: only their fingerprint does."""

from __future__ import annotations

import base64
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from darnel.core.secrets import fingerprint
from tests.support import chroma, corpora
from tests.support.command import Outcome, darnel_process

USER, PASSWORD, TOKEN = "m3llory", "hun@ter2", "t0ken-of-the-owner"


@contextmanager
def guarded(port: int, seen: list[str]) -> Iterator[int]:
    """A proxy before a Chroma server that lets only the right credentials through."""
    import http.client

    allowed = {f"Basic {base64.b64encode(f'{USER}:{PASSWORD}'.encode()).decode()}", f"Bearer {TOKEN}"}

    class Proxy(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def _pass(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            given = self.headers.get("Authorization", "")
            seen.append(given)
            if given not in allowed:
                status, answer = 401, json.dumps({"error": "AuthError", "message": f"bad credentials {given}"}).encode()
            else:
                upstream = http.client.HTTPConnection("127.0.0.1", port)
                upstream.request(self.command, self.path, body, {"Content-Type": "application/json"})
                response = upstream.getresponse()
                status, answer = response.status, response.read()
                upstream.close()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        do_GET = do_POST = do_PUT = do_DELETE = _pass  # noqa: N815

        def log_message(self, *_args: object) -> None: ...

    proxy = ThreadingHTTPServer(("127.0.0.1", 0), Proxy)
    threading.Thread(target=proxy.serve_forever, daemon=True).start()
    try:
        yield proxy.server_address[1]
    finally:
        proxy.shutdown()
        proxy.server_close()


def test_nothing_of_a_secret_is_kept_or_said(
    cli: Callable[..., Outcome], server: int, tmp_path: Path, run_args: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    import chromadb

    client = chromadb.HttpClient("127.0.0.1", server, settings=chroma.settings())
    collection = chroma.fill(client, corpora.make_records(), "guarded")
    seen: list[str] = []

    def with_token(token: str) -> Outcome:
        monkeypatch.setenv("DARNEL_CHROMA_TOKEN", token)
        return cli("run", bare, *run_args)

    said = []
    with guarded(server, seen) as port:
        good = f"chroma:http://{USER}:{PASSWORD}@127.0.0.1:{port}#guarded"
        bare, bad = (
            f"chroma:http://127.0.0.1:{port}#guarded",
            f"chroma:http://{USER}:wr0ng-{PASSWORD}@127.0.0.1:{port}#guarded",
        )
        run = cli("run", good, *run_args, "--json", "--out", "report")
        assert run.code == 0, run.err
        plant = cli("plant", good, *run_args)
        assert plant.code == 0, plant.err
        status = cli("status")
        assert "its URL carried credentials, which no ledger keeps; name it" in " ".join(status.out.split())
        said += [run, plant, status]
        said += [cli("sweep"), cli("run", bad, *run_args)]
        assert [o.code for o in said[-2:]] == [3, 2]
        said.append(cli("sweep", good))
        assert said[-1].code == 0
        assert chroma.kit_records(collection) == []
        by_token = with_token(TOKEN)
        assert by_token.code == 0, by_token.err
        said += [by_token, with_token(f"wr0ng{TOKEN}")]
        assert said[-1].code == 2
    assert f"Bearer {TOKEN}" in seen
    encoded = base64.b64encode(f"{USER}:{PASSWORD}".encode()).decode()
    written = [p for p in tmp_path.rglob("*") if p.is_file() and p.name != "questions.txt"]
    assert any(p.name.startswith("ledger.db") for p in written)
    haystack = b"".join(p.read_bytes() for p in written) + "".join(o.out + o.err for o in said).encode()
    for secret in (USER, PASSWORD, "ter2", TOKEN, encoded):
        assert secret.encode() not in haystack
    assert f"sha256-{fingerprint(f'{USER}:{PASSWORD}')}@".encode() in haystack
    assert f"sha256-{fingerprint(f'{USER}:{PASSWORD}')}@" in json.loads(run.out)["target"]["spec"]
    client.delete_collection("guarded")


@pytest.mark.parametrize("extra", ["?token=t0ken-of-the-owner", "?api_key=t0ken-of-the-owner&tenant=a"])
def test_a_token_in_the_url_is_not_repeated(tmp_path: Path, run_args: list[str], extra: str) -> None:
    ended = darnel_process(["run", f"chroma:http://127.0.0.1:{chroma.free_port()}{extra}#docs", *run_args], tmp_path)
    assert ended.code == 2
    assert "t0ken" not in ended.err + ended.out
    assert not any(b"t0ken" in p.read_bytes() for p in tmp_path.rglob("*") if p.is_file())
