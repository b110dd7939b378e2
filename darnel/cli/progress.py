"""Progress on stderr, only where a person looks at it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

import click

from darnel.core.options import Progress
from darnel.reports.escape import visible


def say(text: str) -> None:
    """One line for people."""
    click.echo(visible(text, 1_000), err=True)


@contextmanager
def progress_bar(of: str = "questions") -> Iterator[Progress]:
    """A progress callback that counts questions or something else; it draws a bar on a terminal and nothing elsewhere."""
    if not sys.stderr.isatty():
        yield lambda _what, _done, _total: None
        return
    from rich.console import Console
    from rich.markup import escape
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn(f"{of},"),
        TimeElapsedColumn(),
        TextColumn("so far, about"),
        TimeRemainingColumn(),
        TextColumn("left"),
    )
    with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=None)
        yield lambda what, done, total: bar.update(
            task, description=escape(visible(what, 60)), completed=done, total=total or None
        )
