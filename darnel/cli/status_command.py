"""``darnel status``."""

from __future__ import annotations

import click

from darnel.cli.options import json_option, ledger_option


@click.command("status")
@click.argument("target", required=False)
@json_option
@ledger_option
def command(target: str | None, as_json: bool, ledger: str | None) -> int:
    """What is planted now: in every corpus the ledger knows, or in TARGET, as the store itself shows it.

    \b
    darnel status
    darnel status chroma:./db#docs
    """
    from darnel.cli.recovering import found_campaigns
    from darnel.cli.tables import print_json, print_table
    from darnel.core.planting.ledger import ledger_path

    if target is None and not ledger_path(ledger).exists():
        print_json([]) if as_json else click.echo(f"nothing is planted: there is no ledger at {ledger_path(ledger)}")
        return 0
    with found_campaigns(target, ledger, (), writes=False) as (campaigns, _ledger):
        rows = [
            {
                "campaign": found.campaign,
                "container": found.container,
                "known_from": "ledger" if found.origin != "store" else "store",
                "announced": len(found.plants),
                "present": None if found.present is None else len(found.present),
                "state": "running" if found.running else (found.problem or "not running"),
            }
            for found, _target in campaigns
        ]
    if as_json:
        print_json(rows)
    elif not rows:
        click.echo("nothing is planted")
    else:
        heads = ["campaign", "container", "known from", "announced", "in the store now", "state"]
        print_table(heads, ([("?" if v is None else v) for v in row.values()] for row in rows))
    return 0
