"""Results to standard output and to files."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import click

from darnel.cli.files import write_outputs
from darnel.cli.progress import say
from darnel.core.errors import UsageError
from darnel.core.results import Results
from darnel.reports.escape import json_visible
from darnel.reports.formats import Output

WIDTH_ELSEWHERE = 120


def show(results: Results, *, as_json: bool, out: str | None, outputs: Sequence[Output] = ()) -> int:
    """Print a result, write its files, and return the exit code: 2 or more where they cannot be written."""
    if as_json:
        click.echo(json_visible(results.to_json().decode()), nl=False)
    else:
        show_text(results)
    written = out is None or write_files(results, Path(out))
    if not write_outputs(results, outputs) or not written:
        return max(results.exit_code, 2)
    return results.exit_code


def show_text(results: Results) -> None:
    """Print a result for people."""
    from rich.console import Console

    from darnel.reports.terminal import print_results

    print_results(results, Console(width=None if sys.stdout.isatty() else WIDTH_ELSEWHERE, highlight=False))


def check_out(out: str | None) -> None:
    """Make the folder for the files, before anything is planted.

    Raises:
        UsageError: it cannot be made.
    """
    try:
        if out is not None:
            Path(out).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"cannot write to {out}: {error.strerror}; choose another folder with --out") from None


def write_files(results: Results, folder: Path) -> bool:
    """Write ``results.json`` and ``report.md``; says so, or why not."""
    from darnel.reports.markdown import render_markdown

    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "results.json").write_bytes(results.to_json())
        (folder / "report.md").write_text(render_markdown(results), encoding="utf-8")
    except OSError as error:
        say(f"darnel: cannot write to {folder}: {error.strerror}; the run itself is over")
        return False
    say(f"wrote {folder / 'results.json'} and {folder / 'report.md'}")
    return True
