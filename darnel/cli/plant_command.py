"""``darnel plant``."""

from __future__ import annotations

from typing import Any

import click

from darnel.cli.app_options import app_options, store_options
from darnel.cli.options import (
    embedder_option,
    hosts_option,
    json_option,
    ledger_option,
    parse_metadata,
    plant_options,
    query_options,
    refuse_two_bodies,
    target_argument,
)


@click.command("plant")
@target_argument
@query_options
@embedder_option
@plant_options
@store_options
@json_option
@click.option("--dry-run", is_flag=True, help="Print what would be planted where, and write nothing.")
@ledger_option
@hosts_option
def command(target: str, as_json: bool, dry_run: bool, **given: Any) -> int:
    """Plant by hand into TARGET and leave it there, to look at the application yourself.

    The ledger keeps every plant: 'darnel status' shows them, 'darnel sweep' takes them out.
    """
    from darnel.api import open_target
    from darnel.cli.dry_run import print_plan
    from darnel.cli.questions import read_query_option
    from darnel.core.errors import UsageError
    from darnel.core.options import RunOptions
    from darnel.core.pattern import default_carrier, sized_carrier
    from darnel.core.planting.ledger import Ledger
    from darnel.patterns.registry import parse_doses

    if not given["patterns"]:
        raise UsageError("name what to plant with --pattern NAME (see: darnel patterns)")
    if len(given["carrier_words"]) > 1:
        raise UsageError("--carrier-words: several lengths make several runs; give one")
    refuse_two_bodies(given)
    queries = read_query_option(given["queries"], given["qrels"])
    doses = parse_doses(
        given["patterns"],
        controls=False,
        strengths=given["strengths"],
        copies=given["copies"],
        payloads=given["payloads"],
    )
    options = RunOptions(
        seed=given["seed"],
        accept=given["accept"],
        budget=given["budget"],
        carrier=sized_carrier(*given["carrier_words"]) if given["carrier_words"] else default_carrier,
        metadata=parse_metadata(given["metadata"]),
        visible_within=given["visible_within"],
        gone_within=given["gone_within"],
    )
    opened = open_target(
        target,
        embedder=given["embedder"],
        allow_hosts=given["allow_hosts"],
        writes=not dry_run,
        app=app_options(given),
    )
    try:
        if dry_run:
            return print_plan(opened, queries, doses, options, as_json=as_json)
        with Ledger(given["ledger"]) as ledger:
            return _plant(opened, queries, doses, options, ledger, as_json)
    finally:
        opened.close()


def _plant(opened: Any, queries: Any, doses: Any, options: Any, ledger: Any, as_json: bool) -> int:
    from darnel.cli.progress import say
    from darnel.cli.tables import print_json, print_table
    from darnel.core.running.by_hand import plant_and_hold

    held = plant_and_hold(opened, queries, doses, options, ledger, notify=say)
    for warning in held.warnings:
        say(f"warning: {warning}")
    rows = [(p.id, p.name, p.marker) for p in held.plants]
    if as_json:
        named = [dict(zip(("id", "plant", "marker"), row, strict=True)) for row in rows]
        leftovers = [{"id": item.id, "reason": item.reason} for item in held.leftovers]
        whole = {"campaign": held.campaign, "container": held.container, "planted": named}
        print_json({**whole, "error": held.error, "leftovers": leftovers})
    elif rows:
        print_table(["id", "plant", "marker"], rows)
    if held.error:
        for left in held.leftovers:
            say(f"left over: {left.id}: {left.reason}")
        say(f"darnel: {held.error}; what had landed was removed ({len(held.leftovers)} left over)")
        return 3 if held.leftovers else 2
    say(f"{len(rows):,} plants are in {held.container} now; take them out with: darnel sweep")
    return 0
