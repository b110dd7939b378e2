"""What an ingest should drop: text that no reader of the page sees or could read. Plain rules, each on its own."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable

from darnel.core.spelling import base64_texts

LEFT_OUT = "[left out]"
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_HIDDEN = re.compile(
    r"<(\w+)\b[^>]*?(?:\bhidden\b|style\s*=\s*[\"'][^\"']*?(?:display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0)"
    r"[^\"']*[\"'])[^>]*>.*?(?:</\1\s*>|\Z)",
    re.DOTALL | re.IGNORECASE,
)


def drop_comments(text: str) -> str:
    """Without HTML comments, one that is never closed included."""
    return _COMMENT.sub("", text)


def drop_hidden_elements(text: str) -> str:
    """Without elements that their own attributes hide."""
    return _HIDDEN.sub("", text)


def drop_invisible(text: str) -> str:
    """NFKC, without characters that draw nothing: zero-width, direction, tags; and without control characters."""
    plain = unicodedata.normalize("NFKC", text)
    return "".join(ch for ch in plain if ch in "\n\t" or unicodedata.category(ch) not in ("Cf", "Cc"))


def drop_encoded(text: str) -> str:
    """Without Base64 that is a text in disguise; hashes and ids stay."""
    for run, _plain in base64_texts(text):
        text = text.replace(run, LEFT_OUT)
    return text


PASSES: tuple[Callable[[str], str], ...] = (drop_invisible, drop_comments, drop_hidden_elements, drop_encoded)


def sanitise(text: str) -> str:
    """All passes, invisible characters first, which could split what the others look for."""
    for drop in PASSES:
        text = drop(text)
    return text
