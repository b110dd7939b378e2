"""Headers whose secrets stay in the environment."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from string import Template

from darnel.core.errors import UsageError

_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")


def resolve_headers(given: Sequence[str]) -> tuple[dict[str, str], tuple[str, ...]]:
    """The headers to send, and the secrets in them, which must not be shown.

    Raises:
        UsageError: one is not ``NAME=$VARIABLE``, or the variable is not set; its value is never shown.
    """
    headers: dict[str, str] = {}
    secrets: list[str] = []
    for item in given:
        name, equals, value = item.partition("=")
        variables = Template(value).get_identifiers()
        if not equals or not _NAME.fullmatch(name) or not variables or not Template(value).is_valid():
            # not shown: it may be the secret itself
            raise UsageError("write --header 'NAME=$VARIABLE', for instance --header 'Authorization=Bearer $RAG_TOKEN'")
        if missing := [v for v in variables if not os.environ.get(v)]:
            raise UsageError(f"the header {name} needs the environment variable {missing[0]}, which is not set")
        found = {v: os.environ[v].strip() for v in variables}
        secrets.extend(found.values())
        headers[name] = Template(value).substitute(found)
        if not headers[name].isprintable() or not headers[name].isascii():
            raise UsageError(f"the header {name} holds a character that no header may hold; look at {variables[0]}")
    return headers, tuple(sorted(secrets, key=len, reverse=True))
