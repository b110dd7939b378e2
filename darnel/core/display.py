"""How a notebook shows a result. The core knows no report: ``darnel/__init__`` sets what makes one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

_renderers: list[Callable[[Any], str]] = []


def set_renderer(renderer: Callable[[Any], str]) -> None:
    """From now on results are shown by this function: results to HTML."""
    _renderers[:] = [renderer]


def rendered(results: Any) -> str | None:
    """The HTML of a result, or None where nothing was set to make it."""
    return _renderers[0](results) if _renderers else None
