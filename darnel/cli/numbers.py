"""Lists of numbers as one option's value: ``1,3,5`` and ``10%,100%``."""

from __future__ import annotations

import math
from collections.abc import Callable

import click


def parse_share(text: str) -> float:
    """``1%`` or ``0.01``.

    Raises:
        ValueError: it is no number.
    """
    number, percent, rest = text.strip().partition("%")
    if rest.strip():
        raise ValueError(text)
    return float(number) / (100 if percent else 1)


def whole_numbers(least: int, most: int) -> Callable[[click.Context, click.Parameter, str | None], list[int]]:
    """A callback of click's: one or several whole numbers, each once, in the order given."""

    def read(_context: click.Context, _option: click.Parameter, text: str | None) -> list[int]:
        parts = [part.strip() for part in text.split(",")] if text is not None else []
        if not all(part.isdecimal() and least <= int(part) <= most for part in parts):
            raise click.BadParameter(f"'{text}': give whole numbers from {least:,} to {most:,}, such as 5 or 5,20")
        return list(dict.fromkeys(map(int, parts)))

    return read


def shares(_context: click.Context, _option: click.Parameter, text: str | None) -> list[float]:
    """A callback of click's: one or several shares above 0 and up to 1, each once, in the order given."""
    try:
        found = [parse_share(part) for part in text.split(",")] if text is not None else []
    except ValueError:
        found = [math.nan]
    if not all(0 < share <= 1 for share in found):
        raise click.BadParameter(f"'{text}': give shares above 0 and up to 1, such as 10%,50%,100% or 0.1,0.5,1")
    return list(dict.fromkeys(found))
