"""``-o FILE``: results into files of any format, checked before the first write to a corpus."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence

from darnel.cli.progress import say
from darnel.core.errors import UsageError
from darnel.reports.formats import FORMATS, Format, Output, parse_output

NAME = "{name}"
"""Stands in a file's name for each result's own, where there are several."""


def check_outputs(given: Iterable[str], formats: Sequence[Format] = FORMATS) -> list[Output]:
    """The files to write, each of a known format and in a folder that can be written to.

    Raises:
        UsageError: one line that says what to change.
    """
    outputs = [parse_output(name, formats) for name in given]
    for output in outputs:
        folder = output.path.parent
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UsageError(f"cannot write {output.path}: {error.strerror}; choose another place with -o") from None
        if output.path.is_dir():
            raise UsageError(f"cannot write {output.path}: it is a folder; name a file with -o")
        if not os.access(output.path if output.path.exists() else folder, os.W_OK):
            raise UsageError(f"cannot write {output.path}: not permitted; choose another place with -o")
    return outputs


def write_outputs(document: object, outputs: Sequence[Output]) -> bool:
    """Write a run's or an audit's results into every file; says which, or why not, and goes on with the others."""
    good = True
    for output in outputs:
        try:
            output.path.write_bytes(output.format.render(document))
        except OSError as error:
            say(f"darnel: cannot write {output.path}: {error.strerror}; the result itself is done")
            good = False
        else:
            say(f"wrote {output.path}")
    return good


def each_named(given: Sequence[str], of: str) -> None:
    """Check names for several results: each of a known format, with ``{name}`` in it for each result's own.

    Raises:
        UsageError: one line that says what to change.
    """
    for name in given:
        parse_output(name)
        if NAME not in name:
            raise UsageError(f"several {of} would all be written to {name}; write {NAME} in it, for each one's own")
