"""Open ``http://...`` and ``https://...``."""

from __future__ import annotations

from urllib.parse import urlsplit

from darnel.adapters.apps.compose import planted_apart
from darnel.adapters.apps.options import DEFAULT_APP, AppOptions
from darnel.adapters.apps.reading import OutputReader
from darnel.adapters.http.ask import HttpAsker
from darnel.adapters.spec import TargetSpec, is_loopback
from darnel.core.corpus import Target
from darnel.core.errors import UsageError
from darnel.core.secrets import redact
from darnel.embedders.base import Embedder

ADVICE = "let the application return what it retrieved, and say where with --sources-path"


def open_http(
    spec: TargetSpec, _embedder: Embedder | None, *, exclusive: bool = True, app: AppOptions = DEFAULT_APP
) -> Target:
    """Open an application behind a URL: a POST of JSON, or a GET where the URL has ``{query}`` in it.

    Raises:
        UsageError: it is no URL of that kind, a header or path does not read, or ``app.into`` is missing.
    """
    url = spec.where + (f"?{spec.query}" if spec.query else "")
    if urlsplit(url).scheme not in ("http", "https") or spec.container:
        raise UsageError("write the application's URL, for instance http://localhost:8000/ask, without a #fragment")
    asker = HttpAsker(url, app, OutputReader(app), direct=is_loopback(urlsplit(url).hostname or ""))
    try:
        return planted_apart(asker.ask, redact(url), app, advice=ADVICE, close=asker.close)
    except UsageError:
        asker.close()
        raise
