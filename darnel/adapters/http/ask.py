"""One question over HTTP."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any
from urllib.parse import quote

from darnel.adapters.apps.options import AppOptions, fill
from darnel.adapters.apps.reading import OutputReader
from darnel.adapters.http.headers import resolve_headers
from darnel.core.corpus import Reply
from darnel.core.errors import TargetError, UsageError
from darnel.core.secrets import redact
from darnel.core.version import darnel_version

BODY = '{"query": "{query}"}'
MAY_PASS = frozenset({408, 425, 429, 500, 502, 503, 504})
"""Status codes after which another try may succeed."""
SHOWN = 150
"""Characters of a refusal that are shown."""
GRACE = 1.0
"""Seconds that a request outlives the time limit of its call, so that the limit is the one to speak."""


class HttpError(Exception):
    """The application refused for now; another try may succeed."""


class HttpAsker:
    """Asks an application behind a URL; its methods may be called from several threads.

    Args:
        url: with ``{query}`` where the question goes in the URL of a GET; else the question is posted.
        options: ``input``, ``headers`` and ``timeout`` are used.
        reader: finds the answer and the sources in what comes back.
        direct: whether to leave the environment's proxies aside.

    Raises:
        UsageError: a header does not read, or there is a body for a GET.
    """

    def __init__(self, url: str, options: AppOptions, reader: OutputReader, *, direct: bool) -> None:
        import httpx

        self._url, self._reader, self._get = url, reader, "{query}" in url
        if self._get and options.input is not None:
            raise UsageError("the URL has {query} in it and is asked by GET, so there is no body: leave --input away")
        self._body = options.input or BODY
        headers, self._secrets = resolve_headers(options.headers)
        self._client = httpx.Client(
            headers={"User-Agent": f"darnel/{darnel_version()}", "Accept": "application/json", **headers},
            timeout=options.timeout + GRACE,
            trust_env=not direct,
        )

    def ask(self, question: str, passages: Sequence[str] | None = None) -> Reply:
        """Ask one question; ``passages``: what the answer is to be made from, in the input's ``{passages}``.

        Raises:
            HttpError: no answer for now.
            TargetError: the application refused for good, or what it returned cannot be read.
        """
        response = self._send(question, passages)
        refusal = f"{response.status_code} {response.reason_phrase} from {redact(self._url)}"
        if response.is_redirect:
            raise TargetError(f"{refusal}: redirects are not followed; give the URL it leads to")
        if not response.is_success:
            said = self._shown(response.text)
            raise (HttpError if response.status_code in MAY_PASS else TargetError)(
                f"{refusal}{': ' * bool(said)}{said}"
            )
        try:
            output = response.json()
        except ValueError:
            kind = response.headers.get("content-type", "no content type")
            raise TargetError(f"{redact(self._url)} returned no JSON ({kind}): {self._shown(response.text)}") from None
        return self._reader.read(output)

    def close(self) -> None:
        """Close all connections."""
        self._client.close()

    def _send(self, question: str, passages: Sequence[str] | None) -> Any:
        import httpx

        try:
            if self._get:
                return self._client.get(self._url.replace("{query}", quote(question, safe="")))
            body = json.dumps(fill(self._body, question, passages)).encode()
            return self._client.post(self._url, content=body, headers={"Content-Type": "application/json"})
        except httpx.InvalidURL as error:
            raise TargetError(f"{redact(self._url)} is no URL that can be asked: {self._shown(str(error))}") from None
        except httpx.HTTPError as error:
            what = self._shown(str(error)) or "the connection failed"
            raise HttpError(f"{redact(self._url)}: {type(error).__name__}: {what}") from None

    def _shown(self, text: str) -> str:
        """The beginning of a text, in one line, without the secrets that were sent."""
        for secret in self._secrets:
            text = text.replace(secret, "[secret]")
        return " ".join(text[:2_000].split())[:SHOWN]
