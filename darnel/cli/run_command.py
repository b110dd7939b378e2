"""``darnel run``."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import click

from darnel.cli.options import (
    embedder_option,
    hosts_option,
    json_option,
    ledger_option,
    parse_metadata,
    plant_options,
    query_options,
    run_options,
    target_argument,
)
from darnel.core.queries import Query


@click.command("run")
@target_argument
@query_options
@embedder_option
@plant_options
@run_options
@json_option
@click.option("--dry-run", is_flag=True, help="Print what would be planted where, and write nothing.")
@ledger_option
@hosts_option
def command(target: str, as_json: bool, dry_run: bool, out: str | None, **given: Any) -> int:
    """Mode A on TARGET: plant, ask, verify from the sources, score, remove, prove.

    \b
    darnel run chroma:./db#docs --queries questions.txt --embedder wordllama
    darnel run chroma:http://localhost:8000#docs --queries beir/queries.jsonl --embedder myapp.rag:embedder \\
        --pattern echo:3 --pattern keywords:5 --fail-on 'exposure@5 > 0.2' --json
    """
    from darnel.api import open_target
    from darnel.cli.output import check_out, show
    from darnel.cli.progress import progress_bar, say
    from darnel.core.gate import parse_gate
    from darnel.core.ledger import Ledger
    from darnel.core.options import RunOptions
    from darnel.core.pattern import default_carrier, sized_carrier
    from darnel.core.runner import run_mode_a
    from darnel.patterns.registry import parse_doses, parse_strengths

    queries = read_query_option(given["queries"], given["qrels"])
    doses = parse_doses(given["patterns"], strengths=parse_strengths(given["strengths"]))
    settings = {
        "metadata": parse_metadata(given["metadata"]),
        **{k: given[k] for k in ("isolation", "seed", "visible_within", "gone_within", "full_digest")},
        **{k: given[k] for k in ("max_inconclusive", "gates", "accept", "budget")},
        "carrier": sized_carrier(given["carrier_words"]) if given["carrier_words"] else default_carrier,
    }
    check_out(out)
    opened = open_target(target, embedder=given["embedder"], allow_hosts=given["allow_hosts"], writes=not dry_run)
    try:
        settings["k"] = given["k"] or opened.k or RunOptions().k
        for text in given["gates"]:
            parse_gate(text, RunOptions(k=settings["k"]).ks)
        if dry_run:
            from darnel.cli.dry_run import print_plan

            return print_plan(opened, queries, doses, RunOptions(**settings), as_json=as_json)
        with Ledger(given["ledger"]) as ledger, progress_bar() as progress:
            results = run_mode_a(opened, queries, doses, RunOptions(**settings, notify=say, progress=progress), ledger)
    finally:
        opened.close()
    return show(results, as_json=as_json, out=out)


def read_query_option(queries: str | None, qrels: Iterable[str]) -> list[Query]:
    """The queries that ``--queries`` and ``--qrels`` name."""
    from darnel.api import read_queries
    from darnel.core.errors import UsageError
    from darnel.core.queries import load_queries

    if queries is None:
        raise UsageError("no questions: give a file with --queries FILE (a question a line will do)")
    judgments = [Path(name) for name in qrels]
    if queries == "-":
        with click.open_file("-", encoding="utf-8", errors="surrogateescape") as lines:
            return load_queries(lines, "standard input", judgments)
    return read_queries(queries, qrels=judgments)
