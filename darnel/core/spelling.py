"""Other spellings of a token, for payloads that ask for one, and whole tokens found in texts."""

from __future__ import annotations

import base64
import codecs
import re
from collections.abc import Callable, Iterable, Mapping

SPELLINGS: Mapping[str, Callable[[str], str]] = {
    "base64": lambda token: base64.b64encode(token.encode()).decode().rstrip("="),
    "hex": lambda token: token.encode().hex(),
    "reversed": lambda token: token[::-1],
    "rot13": lambda token: codecs.encode(token, "rot13"),
}
"""How a token is written otherwise; Base64 without its padding, which models leave away."""
EXACT = frozenset({"base64"})
"""Spellings in which the case of letters counts."""


def holds_token(text: str, token: str, forms: Iterable[str] = ()) -> bool:
    """Whether a token stands in a text, whole and regardless of case, plainly or in one of the spellings."""
    if _holds(text.casefold(), token.casefold()):
        return True
    for form in forms:
        spelt = SPELLINGS[form](token)
        if _holds(text, spelt) if form in EXACT else _holds(text.casefold(), spelt.casefold()):
            return True
    return False


def _holds(text: str, token: str) -> bool:
    return re.search(rf"(?<![0-9a-zA-Z_-]){re.escape(token)}(?![0-9a-zA-Z_-])", text) is not None
