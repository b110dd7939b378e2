"""What every page shares: templates that escape what they print, and our own files, which alone the page's policy lets run."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from darnel.reports.escape import visible

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

HERE = Path(__file__).parent
MOST = 2_000
"""Characters of one text shown."""


@cache
def environment() -> Environment:
    """Where the templates are, with everything they print escaped."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    return Environment(
        loader=FileSystemLoader(HERE),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_shown,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def _shown(value: Any) -> Any:
    """Whatever the template prints: plain text as ``visible`` has it, our own markup as it is."""
    return visible(value, MOST) if type(value) is str else value


def put_in(parts: Mapping[str, str]) -> dict[str, Markup]:
    """Scripts and styles by their name in the template; ``parts``: name → file beside this one."""
    from markupsafe import Markup

    return {name: Markup(_part(path)) for name, path in parts.items()}  # noqa: S704  # our own files


def policy(parts: Mapping[str, str]) -> str:
    """The content security policy: our own scripts and styles by their hash, and nothing from anywhere."""
    scripts, styles = (" ".join(_hash(p) for p in parts.values() if p.endswith(end)) for end in (".js", ".css"))
    return f"default-src 'none'; script-src {scripts}; style-src {styles}; img-src data:; base-uri 'none'; form-action 'none'"


@cache
def _part(path: str) -> str:
    return (HERE / path).read_text(encoding="utf-8")


def _hash(path: str) -> str:
    digest = hashlib.sha256(_part(path).encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"
