"""``darnel run``."""

from __future__ import annotations

from typing import Any

import click

from darnel.cli.app_options import all_stores_option, app_options, asking_options, store_options
from darnel.cli.job import Job
from darnel.cli.options import (
    baseline_options,
    embedder_option,
    hosts_option,
    json_option,
    ledger_option,
    mode_options,
    parse_metadata,
    plant_options,
    query_options,
    refuse_two_bodies,
    run_options,
    target_argument,
)
from darnel.cli.questions import read_query_option
from darnel.cli.series import Series, series_of


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
@mode_options
def command(target: str, as_json: bool, dry_run: bool, out: str | None, **given: Any) -> int:
    """Mode A on TARGET: plant, ask, verify from the sources, score, remove, prove.

    \b
    darnel run chroma:./db#docs --queries questions.txt --embedder wordllama
    darnel run chroma:http://localhost:8000#docs --queries beir/queries.jsonl --embedder myapp.rag:embedder \\
        --pattern echo:3 --pattern keywords:5 --fail-on 'exposure@5 > 0.2' --json
    darnel run langchain:myapp.rag:chain --queries questions.txt
    darnel run chroma:./db#docs --queries questions.txt --embedder wordllama --retriever own --retriever hybrid+trust
    darnel run http://localhost:8000/ask --into chroma:http://localhost:8001#docs --queries questions.txt

    With --mode context (mode B) nothing is planted: payloads are handed straight to what answers from passages.

    \b
    darnel run --mode context python:myapp.rag:answer_from --queries questions.txt --payload authority
    """
    from darnel.cli.files import check_outputs
    from darnel.cli.handing import refuse_here, run_handed
    from darnel.cli.output import check_out, show
    from darnel.cli.settings import load_suppressions
    from darnel.core.document import load_results
    from darnel.patterns.registry import parse_doses

    if given["mode"] == "context":
        return run_handed(target, given, as_json=as_json)
    refuse_here(["canary"], "only --mode context looks for a canary")
    refuse_two_bodies(given)
    job = Job(
        target,
        read_query_option(given["queries"], given["qrels"]),
        parse_doses(
            given["patterns"], strengths=given["strengths"], copies=given["copies"], payloads=given["payloads"]
        ),
        {
            "metadata": parse_metadata(given["metadata"]),
            **{k: given[k] for k in ("isolation", "seed", "visible_within", "gone_within", "full_digest", "reach")},
            **{k: given[k] for k in ("max_inconclusive", "gates", "accept", "budget", "transfer", "allowed_rise")},
            "further_ks": given["k"][1:],
            "baseline": load_results(given["baseline"]) if given["baseline"] else None,
            "suppressions": load_suppressions(),
        },
        given,
    )
    check_out(out)
    app = app_options(given)
    if (series := series_of(job, app)) is not None:
        return _run_series(series, job, dry_run=dry_run, as_json=as_json, out=out)
    outputs = check_outputs(given["outputs"])
    if dry_run:
        return job.plan(app, as_json=as_json)
    return show(job.run(app), as_json=as_json, out=out, outputs=outputs)


def _run_series(series: Series, job: Job, *, dry_run: bool, as_json: bool, out: str | None) -> int:
    from darnel.cli.several import run_each
    from darnel.core.errors import UsageError

    for name, asked in (("--dry-run", dry_run), ("--baseline", job.given["baseline"])):
        if asked:
            raise UsageError(f"{name} is of one run; leave it away, or give one value of {series.option}")
    return run_each(series, as_json=as_json, out=out, outputs=job.given["outputs"])
