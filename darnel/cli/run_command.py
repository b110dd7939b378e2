"""``darnel run``."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from darnel.cli.app_options import all_stores_option, app_options, asking_options, store_options
from darnel.cli.options import (
    baseline_options,
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

if TYPE_CHECKING:
    from darnel.adapters.apps.options import AppOptions
    from darnel.core.corpus import Target
    from darnel.core.options import RunOptions
    from darnel.core.pattern import Dose
    from darnel.core.queries import Query
    from darnel.core.results import Results


@click.command("run")
@target_argument
@query_options
@embedder_option
@plant_options
@run_options
@baseline_options
@store_options
@all_stores_option
@asking_options
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
    darnel run langchain:myapp.rag:chain --queries questions.txt
    darnel run chroma:./db#docs --queries questions.txt --embedder wordllama --retriever own --retriever hybrid+trust
    darnel run http://localhost:8000/ask --into chroma:http://localhost:8001#docs --queries questions.txt
    """
    from darnel.cli.files import check_outputs
    from darnel.cli.output import check_out, show
    from darnel.cli.settings import load_suppressions
    from darnel.core.document import load_results
    from darnel.core.pattern import default_carrier, sized_carrier
    from darnel.patterns.registry import parse_doses, parse_strengths

    job = Job(
        target,
        read_query_option(given["queries"], given["qrels"]),
        parse_doses(given["patterns"], strengths=parse_strengths(given["strengths"])),
        {
            "metadata": parse_metadata(given["metadata"]),
            **{k: given[k] for k in ("isolation", "seed", "visible_within", "gone_within", "full_digest")},
            **{k: given[k] for k in ("max_inconclusive", "gates", "accept", "budget", "transfer")},
            "allowed_rise": given["allowed_rise"],
            "baseline": load_results(given["baseline"]) if given["baseline"] else None,
            "suppressions": load_suppressions(),
            "carrier": sized_carrier(given["carrier_words"]) if given["carrier_words"] else default_carrier,
        },
        given,
    )
    check_out(out)
    app, retrievers = app_options(given), list(dict.fromkeys(given["retrievers"])) or ["own"]
    if given["all_stores"] or len(retrievers) > 1:
        return _run_several(job, app, retrievers, dry_run=dry_run, as_json=as_json, out=out)
    outputs = check_outputs(given["outputs"])
    if dry_run:
        return job.plan(app, as_json=as_json)
    return show(job.run(app, retrievers[0]), as_json=as_json, out=out, outputs=outputs)


def _run_several(
    job: Job, app: AppOptions, retrievers: list[str], *, dry_run: bool, as_json: bool, out: str | None
) -> int:
    """The whole run once for each store, or once for each retriever, which are then compared with the first."""
    from darnel.cli.files import each_named
    from darnel.cli.several import run_each, show_comparisons
    from darnel.core.errors import UsageError

    outputs = job.given["outputs"]
    if dry_run:
        raise UsageError("--dry-run is of one run; leave --all-stores and further --retriever away")
    if job.given["baseline"]:
        raise UsageError("--baseline is of one run; leave --all-stores and further --retriever away")
    if not job.given["all_stores"]:
        each_named(outputs, "retrievers")
        return run_each(
            "retriever",
            retrievers,
            lambda name: job.run(app, name),
            as_json=as_json,
            out=out,
            outputs=outputs,
            finish=show_comparisons,
        )
    if app.store or len(retrievers) > 1:
        raise UsageError("--all-stores goes with neither --store nor several --retriever; give --store PATH alone")
    each_named(outputs, "stores")
    return run_each(
        "store",
        job.stores(),
        lambda store: job.run(replace(app, store=store), retrievers[0]),
        as_json=as_json,
        out=out,
        outputs=outputs,
    )


@dataclass(frozen=True)
class Job:
    """One command's run; with ``--all-stores`` or several ``--retriever`` it is run several times."""

    target: str
    queries: list[Query]
    doses: list[Dose]
    settings: dict[str, Any]
    given: dict[str, Any]

    def run(self, app: AppOptions, retriever: str) -> Results:
        """Plant, ask, score, remove, prove."""
        from darnel.cli.progress import progress_bar, say
        from darnel.core.planting.ledger import Ledger
        from darnel.core.running.runner import run_mode_a

        with closing(self._open(app, writes=True, retriever=retriever)) as opened:
            options = self._options(opened)
            with Ledger(self.given["ledger"]) as ledger, progress_bar() as progress:
                told = replace(options, notify=say, progress=progress)
                return run_mode_a(opened, self.queries, self.doses, told, ledger)

    def plan(self, app: AppOptions, *, as_json: bool) -> int:
        """Print what would be planted, and write nothing."""
        from darnel.cli.dry_run import print_plan

        with closing(self._open(app, writes=False)) as opened:
            return print_plan(opened, self.queries, self.doses, self._options(opened), as_json=as_json)

    def stores(self) -> list[str]:
        """Paths of the stores in the application."""
        from darnel.adapters.registry import find_stores
        from darnel.adapters.spec import parse_spec

        return find_stores(parse_spec(self.target))

    def _open(self, app: AppOptions, *, writes: bool, retriever: str = "own") -> Target:
        from darnel.api import open_target

        embedder, hosts = self.given["embedder"], self.given["allow_hosts"]
        return open_target(
            self.target, embedder=embedder, allow_hosts=hosts, writes=writes, app=app, retriever=retriever
        )

    def _options(self, opened: Target) -> RunOptions:
        from darnel.core.options import RunOptions
        from darnel.core.scoring.gate import parse_gate

        options = RunOptions(k=self.given["k"] or opened.k or RunOptions().k, **self.settings)
        for text in options.gates:
            parse_gate(text, options.ks)
        return options


def read_query_option(queries: str | None, qrels: Iterable[str]) -> list[Query]:
    """The queries that ``--queries`` and ``--qrels`` name."""
    from darnel.api import read_queries
    from darnel.core.errors import UsageError
    from darnel.core.queries import STANDARD_INPUT, load_queries

    if queries is None:
        raise UsageError("no questions: give a file with --queries FILE (a question a line will do)")
    judgments = [Path(name) for name in qrels]
    if queries == "-":
        with click.open_file("-", encoding="utf-8", errors="surrogateescape") as lines:
            return load_queries(lines, STANDARD_INPUT, judgments)
    return read_queries(queries, qrels=judgments)
