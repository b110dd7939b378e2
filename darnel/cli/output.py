"""Results to standard output and to files."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from darnel.cli.progress import say
from darnel.core.errors import UsageError
from darnel.core.results import Results

WIDTH_ELSEWHERE = 120


def show(results: Results, *, as_json: bool, out: str | None) -> int:
    """Print a result, write its files, and return the exit code."""
    if out is not None:
        write_files(results, Path(out))
    if as_json:
        click.echo(results.to_json(), nl=False)
    else:
        from rich.console import Console

        from darnel.reports.terminal import print_results

        print_results(results, Console(width=None if sys.stdout.isatty() else WIDTH_ELSEWHERE, highlight=False))
    return results.exit_code


def write_files(results: Results, folder: Path) -> None:
    """``results.json`` and ``report.md``.

    Raises:
        UsageError: the folder cannot be written.
    """
    from darnel.reports.markdown import render_markdown

    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "results.json").write_bytes(results.to_json())
        (folder / "report.md").write_text(render_markdown(results), encoding="utf-8")
    except OSError as error:
        raise UsageError(f"cannot write to {folder}: {error.strerror}; the run itself is over and cleaned up") from None
    say(f"wrote {folder / 'results.json'} and {folder / 'report.md'}")
