"""``darnel doctor``."""

from __future__ import annotations

from typing import Any

import click

from darnel.cli.app_options import app_options, asking_options, store_options
from darnel.cli.options import embedder_option, hosts_option, json_option, ledger_option, target_argument

MARKS = {True: "ok", False: "FAIL", None: "warn"}


@click.command("doctor")
@target_argument
@embedder_option
@store_options
@asking_options
@click.option("--probe", is_flag=True, help="Also plant one document, find it, and remove it with proof.")
@json_option
@ledger_option
@hosts_option
def command(target: str, embedder: str | None, probe: bool, as_json: bool, ledger: str | None, **given: Any) -> int:
    """Look TARGET over before a run, each line with its mend; writes nothing unless --probe is given.

    An application is asked for a document of its own corpus, to see whether what it retrieves can be seen.

    \b
    darnel doctor chroma:./db#docs --embedder wordllama
    """
    from darnel.api import open_target
    from darnel.cli.tables import print_json, print_table
    from darnel.core.planting.ledger import Ledger
    from darnel.core.running.doctor import examine
    from darnel.core.running.doctor import probe as run_probe

    hosts, app = given["allow_hosts"], app_options(given)
    opened = open_target(target, embedder=embedder, allow_hosts=hosts, writes=probe, app=app)
    try:
        checks = list(examine(opened))
        if probe and not any(c.ok is False for c in checks):
            with Ledger(ledger) as journal:
                checks.extend(run_probe(opened, journal))
    finally:
        opened.close()
    if as_json:
        print_json([{"name": c.name, "ok": c.ok, "detail": c.detail, "mend": c.mend} for c in checks])
    else:
        print_table(["", "check", "found", "mend"], ((MARKS[c.ok], c.name, c.detail, c.mend) for c in checks))
    if any(c.name == "probe: delete works" and c.ok is False for c in checks):
        return 3
    return 2 if any(c.ok is False for c in checks) else 0
