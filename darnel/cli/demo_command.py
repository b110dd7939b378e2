"""``darnel demo``."""

from __future__ import annotations

import tempfile
from pathlib import Path

import click

from darnel.cli.options import json_option, outputs_option


@click.command("demo")
@json_option
@outputs_option
@click.option("--out", type=click.Path(file_okay=False), metavar="DIR", help="Write results.json and report.md there.")
@click.option("-p", "--pattern", "patterns", multiple=True, metavar="NAME[:N]", help="Only these (default: all).")
@click.option("--k", type=click.IntRange(1, 100), default=5, show_default=True, help="Sources the application reads.")
def command(as_json: bool, out: str | None, outputs: tuple[str, ...], patterns: tuple[str, ...], k: int) -> int:
    """Mode A on a bundled corpus: the handbook of an invented company, in a throwaway Chroma store.

    Nothing to configure, no network, and nothing stays: store and ledger live in a temporary folder.
    """
    from darnel.cli.files import check_outputs
    from darnel.cli.output import check_out, show
    from darnel.cli.progress import progress_bar, say
    from darnel.core.options import RunOptions
    from darnel.core.planting.ledger import Ledger
    from darnel.core.running.runner import run_mode_a
    from darnel.demo import demo_queries, open_demo
    from darnel.patterns.registry import parse_doses

    doses = parse_doses(patterns)
    check_out(out)
    files = check_outputs(outputs)
    with tempfile.TemporaryDirectory(prefix="darnel-demo-", ignore_cleanup_errors=True) as folder:
        say("building a throwaway Chroma store from the bundled handbook ...")
        target = open_demo(Path(folder) / "store")
        with Ledger(Path(folder) / "ledger.db") as ledger, progress_bar() as progress:
            results = run_mode_a(target, demo_queries(), doses, RunOptions(k=k, notify=say, progress=progress), ledger)
        target.close()
    return show(results, as_json=as_json, out=out, outputs=files)
