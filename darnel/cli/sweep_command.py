"""``darnel sweep``."""

from __future__ import annotations

from typing import Any

import click

from darnel.cli.options import hosts_option, json_option, ledger_option

LEFT_BEHIND = 3


@click.command("sweep")
@click.argument("target", required=False)
@click.option("--dry-run", is_flag=True, help="Print what would be removed, and remove nothing.")
@click.option("--campaign", "only", multiple=True, metavar="ID", help="Only this campaign, even one that seems to run.")
@click.option("--forget", multiple=True, metavar="ID", help="Strike a campaign whose corpus is gone from the ledger.")
@click.option(
    "--within", type=click.FloatRange(0), default=10.0, show_default=True, help="Seconds to wait for removals."
)
@json_option
@ledger_option
@hosts_option
def command(target: str | None, dry_run: bool, only: tuple[str, ...], **given: Any) -> int:
    """Take out plants that a crash, or 'darnel plant', left behind; try --dry-run first.

    Without TARGET, everything the ledger knows. With TARGET, also plants that only the store knows, by their marks, when
    the ledger is lost. Only records that still carry their plant's stamp and text are removed; a campaign whose process
    is alive is left alone.

    \b
    darnel sweep --dry-run
    darnel sweep chroma:./db#docs
    """
    from darnel.cli.recovering import found_campaigns
    from darnel.core.planting.ledger import Ledger, ledger_path

    ledger_file = given["ledger"]
    for campaign in given["forget"]:
        with Ledger(ledger_file, create=False) as ledger:
            ledger.set_campaign(campaign, "closed")
    if target is None and not ledger_path(ledger_file).exists():
        return _report(
            [], as_json=given["as_json"], nothing=f"nothing to sweep: there is no ledger at {ledger_path(ledger_file)}"
        )
    with found_campaigns(target, ledger_file, given["allow_hosts"], writes=not dry_run) as (campaigns, ledger):
        chosen = [(f, t) for f, t in campaigns if not only or f.campaign in only]
        rows = [_sweep_one(f, t, ledger, bool(only), dry_run, given["within"]) for f, t in chosen]
    return _report(rows, as_json=given["as_json"], nothing="nothing is planted")


def _sweep_one(found: Any, target: Any, ledger: Any, named: bool, dry_run: bool, within: float) -> dict[str, Any]:
    from darnel.core.planting.recovery import sweep

    row = {"campaign": found.campaign, "container": found.container, "removed": 0, "leftovers": [], "note": ""}
    if found.running and not named:
        return {
            **row,
            "note": "running in another process; left alone (name it with --campaign to sweep it all the same)",
        }
    if target is None:
        left = [{"id": i, "reason": found.problem} for i in sorted(found.plants)]
        return {**row, "leftovers": left, "note": found.problem or "its corpus could not be opened; name it as TARGET"}
    if dry_run:
        present = sorted(found.present or ())
        return {
            **row,
            "note": f"would remove {len(present)}: {', '.join(present[:3])}{', ...' if len(present) > 3 else ''}",
        }
    swept = sweep(found, target, ledger, within=within)
    left = [{"id": item.id, "reason": item.reason} for item in swept.leftovers]
    return {
        **row,
        "removed": len(swept.removed & (swept.removed if found.present is None else found.present)),
        "leftovers": left,
    }


def _report(rows: list[dict[str, Any]], *, as_json: bool, nothing: str) -> int:
    from darnel.cli.progress import say
    from darnel.cli.tables import print_json, print_table

    if as_json:
        print_json(rows)
    elif not rows:
        click.echo(nothing)
    else:
        heads = ["campaign", "container", "removed", "left over", "note"]
        print_table(
            heads, ((r["campaign"], r["container"], r["removed"], len(r["leftovers"]), r["note"]) for r in rows)
        )
        for row in rows:
            for left in row["leftovers"]:
                say(f"left over: {left['id']}: {left['reason']}")
    return LEFT_BEHIND if any(row["leftovers"] for row in rows) else 0
