"""``darnel compare``."""

from __future__ import annotations

import sys

import click

from darnel.cli.options import json_option


@click.command("compare")
@click.argument("before", type=click.Path(dir_okay=False))
@click.argument("after", type=click.Path(dir_okay=False))
@click.option(
    "--fail-on-regression", is_flag=True, help="Exit 1 where a pattern's exposure@k rose by more than chance."
)
@json_option
def command(before: str, after: str, fail_on_regression: bool, as_json: bool) -> int:
    """Two result documents, BEFORE and AFTER a change: what each pattern reached, and what the true answers lost.

    \b
    darnel run chroma:./db#docs --queries q.txt --out before      (the change)      darnel run ... --out after
    darnel compare before/results.json after/results.json --fail-on-regression
    """
    from darnel.core import written
    from darnel.core.document import load_results
    from darnel.core.scoring.comparing import compare
    from darnel.reports.escape import json_visible

    found = compare(load_results(before), load_results(after))
    if as_json:
        click.echo(json_visible(written.as_json(found).decode()), nl=False)
    else:
        from rich.console import Console

        from darnel.reports.comparison import print_comparison

        print_comparison(found, Console(width=None if sys.stdout.isatty() else 120, highlight=False))
    return 1 if fail_on_regression and found.regressions else 0
