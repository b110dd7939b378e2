"""``darnel plan``."""

from __future__ import annotations

import click

from darnel.cli.numbers import parse_share
from darnel.cli.options import json_option


@click.command("plan")
@click.option("--max-rate", metavar="RATE", help="The exposure to be ruled out, for instance 1% or 0.01.")
@click.option("--queries", type=click.IntRange(1), help="How many questions there are: what can they rule out?")
@json_option
def command(max_rate: str | None, queries: int | None, as_json: bool) -> int:
    """How many questions a claim takes: the least n of which none may be exposed, by Wilson's 95 % interval.

    \b
    darnel plan --max-rate 1%
    darnel plan --queries 40
    """
    from darnel.cli.tables import print_json
    from darnel.core.errors import UsageError
    from darnel.core.stats import queries_needed, wilson

    if (max_rate is None) == (queries is None):
        raise UsageError("give either --max-rate RATE or --queries N")
    if max_rate is not None:
        rate = _share(max_rate)
        n = queries_needed(rate)
        said = f"{n:,} questions, none of them exposed, bound the exposure at {rate:.4g} (95 % interval)."
    else:
        assert queries is not None
        n, rate = queries, wilson(0, queries)[1]
        said = f"{n:,} questions, none of them exposed, leave room for an exposure of up to {rate:.2g} (95 % interval)."
    if as_json:
        print_json({"queries": n, "max_rate": rate})
    else:
        click.echo(said)
    return 0


def _share(text: str) -> float:
    """``1%`` or ``0.01``.

    Raises:
        UsageError: it is no share between 0 and 1.
    """
    from darnel.core.errors import UsageError

    try:
        value = parse_share(text)
    except ValueError:
        value = 0.0
    if not 0.000_01 <= value < 1:
        raise UsageError(f"--max-rate {text}: give a share such as 1% or 0.01, from 0.00001 and below 1")
    return value
