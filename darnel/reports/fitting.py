"""A page of lines cut to a size in bytes, with a count of what was left out."""

from __future__ import annotations

from collections.abc import Iterable

STEP_SUMMARY = 1_048_576
"""Bytes that GitHub takes of a step's summary (``GITHUB_STEP_SUMMARY``); of a longer one it shows nothing at all."""
ROOM = 200
"""Bytes kept for the sentence that says what is missing."""


def fit(lines: Iterable[str], most: int = STEP_SUMMARY) -> str:
    """The lines, each with its line end, as far as they go into ``most`` bytes; else a last line says how many are missing."""
    given = [f"{line}\n" for line in lines]
    whole = "".join(given)
    if len(whole.encode()) <= most:
        return whole
    kept: list[str] = []
    size = 0
    for line in given:
        size += len(line.encode())
        if size > most - ROOM:
            break
        kept.append(line)
    left = len(given) - len(kept)
    return (
        "".join(kept) + f"\n**{left:,} more lines were left out to stay under {most:,} bytes; results.json has all.**\n"
    )
