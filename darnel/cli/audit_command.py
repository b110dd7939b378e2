"""``darnel audit``."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from darnel.cli.options import embedder_option, json_option, outputs_option

if TYPE_CHECKING:
    from darnel.audit.results import AuditResults


def _share(_ctx: click.Context, _param: click.Parameter, value: str) -> float:
    """``0.5%`` or ``0.005`` as a number above 0 and up to 0.5."""
    text = value.strip()
    try:
        share = float(text[:-1]) / 100 if text.endswith("%") else float(text)
    except ValueError:
        share = 0.0
    if not 0 < share <= 0.5:
        raise click.BadParameter(f"'{text}' is no share; write for instance 0.5%")
    return share


@click.command("audit")
@click.argument("sources", nargs=-1, required=True, metavar="TARGET|FILE...")
@click.option("--queries", metavar="FILE", help="Questions that users ask, for the echo detector.")
@embedder_option
@click.option("--detectors", metavar="A,B", help="Only these (default: all that can run).")
@click.option(
    "--alert-budget",
    callback=_share,
    default="0.5%",
    metavar="SHARE",
    show_default=True,
    help="Share of clean records that may be flagged.",
)
@click.option(
    "--fail-on",
    type=click.Choice(["low", "medium", "high"]),
    default="high",
    show_default=True,
    help="Exit 1 on a finding of this severity or worse.",
)
@click.option("--calibrate", metavar="PROFILE", help="Write what this corpus, held to be good, teaches the detectors.")
@click.option("--since", metavar="PROFILE", help="Judge only records that the profile lacks, by its thresholds.")
@click.option(
    "--new", multiple=True, metavar="FILE", help="Judge only these, beside TARGET|FILE, which are held to be good."
)
@click.option("--baseline", metavar="FILE", help="An earlier findings.json: only findings that it has not count.")
@click.option("--suppress", metavar="FILE", help="TOML of [[suppress]] entries: findings accepted until a date.")
@click.option("--allow-unreadable", is_flag=True, help="Do not exit 2 because records could not be read.")
@click.option(
    "--self-test", is_flag=True, help="Plant patterns into a copy of a sample, in memory: how many are found?"
)
@click.option("--pattern", "patterns", multiple=True, metavar="NAME[:N,N]", help="For --self-test (default: all).")
@click.option("--sarif", "as_sarif", is_flag=True, help="Print SARIF 2.1.0 on standard output, and nothing else.")
@click.option(
    "--jobs", type=click.IntRange(1, 64), metavar="N", help="Processes (default: one a core, for large corpora)."
)
@click.option("--quiet", is_flag=True, help="Print nothing where the exit code is 0, as a pre-commit hook does.")
@json_option
@click.option(
    "--out", type=click.Path(file_okay=False), metavar="DIR", help="Write findings.json, .md and .sarif there."
)
@outputs_option
def command(sources: tuple[str, ...], as_json: bool, as_sarif: bool, out: str | None, **given: Any) -> int:
    """What is in a corpus that should not be: in stores, and in JSONL, CSV, Parquet, text, Markdown or HTML files. Writes
    to none of them.

    \b
    darnel audit docs/ --fail-on medium
    darnel audit chroma:./db#docs --queries questions.txt --embedder myapp.rag:embedder -o report.html -o report.sarif
    darnel audit docs/ --baseline findings.json --suppress accepted.toml
    darnel audit docs/ --calibrate good.json
    darnel audit docs/ --since good.json
    darnel audit docs/ --self-test
    """
    from darnel.api.auditing import audit_corpus
    from darnel.audit.workers import cores
    from darnel.cli.files import check_outputs, write_outputs
    from darnel.cli.progress import progress_bar
    from darnel.cli.settings import load_acceptances
    from darnel.core.errors import UsageError
    from darnel.reports.formats import FINDINGS_FORMATS

    if as_json and as_sarif:
        raise UsageError("give --json or --sarif, not both; -o FILE writes any format")
    files = [str(Path(out, f"findings.{ending}")) for ending in ("json", "md", "sarif")] if out is not None else []
    outputs = check_outputs([*files, *given["outputs"]], FINDINGS_FORMATS)
    shared = {
        **{key: given[key] for key in ("queries", "embedder", "alert_budget")},
        "detectors": [name.strip() for name in (given["detectors"] or "").split(",") if name.strip()],
    }
    if given["self_test"]:
        return _self_test(sources, shared, given["patterns"], as_json=as_json, apart=bool(as_sarif or outputs))
    if given["patterns"]:
        raise UsageError("--pattern says what --self-test plants; give both or neither")
    with progress_bar("records") as progress:
        results = audit_corpus(
            sources,
            **shared,
            fail_on=given["fail_on"],
            allow_unreadable=given["allow_unreadable"],
            jobs=given["jobs"] or cores(),
            **{key: given[key] for key in ("calibrate", "since", "new")},
            baseline=given["baseline"],
            accepted=load_acceptances(given["suppress"]),
            progress=progress,
        )
    if not given["quiet"] or results.exit_code:
        _show(results, "json" if as_json else "sarif" if as_sarif else "text")
    return results.exit_code if write_outputs(results, outputs) else max(results.exit_code, 2)


def _self_test(
    sources: Sequence[str], shared: dict[str, Any], patterns: Sequence[str], *, as_json: bool, apart: bool
) -> int:
    from rich.console import Console

    from darnel.api.selftest import self_test
    from darnel.cli.output import WIDTH_ELSEWHERE
    from darnel.cli.progress import progress_bar
    from darnel.core.errors import UsageError
    from darnel.reports.escape import json_visible
    from darnel.reports.selftest import print_self_test

    if apart:
        raise UsageError("--self-test prints a table, or with --json its document; leave -o, --out and --sarif away")
    with progress_bar("records") as progress:
        test = self_test(sources, patterns=patterns or ("all",), progress=progress, **shared)
    if as_json:
        click.echo(json_visible(test.to_json().decode()), nl=False)
    else:
        print_self_test(test, Console(width=None if sys.stdout.isatty() else WIDTH_ELSEWHERE, highlight=False))
    return test.exit_code


def _show(results: AuditResults, form: str) -> None:
    from darnel.cli.progress import say
    from darnel.reports import findings_wording as wording

    if form == "text":
        from rich.console import Console

        from darnel.cli.output import WIDTH_ELSEWHERE
        from darnel.reports.findings_terminal import print_findings

        width = None if sys.stdout.isatty() else WIDTH_ELSEWHERE
        print_findings(results, Console(width=width, highlight=False))
        return
    if form == "json":
        from darnel.reports.formats import render_json

        click.echo(render_json(results), nl=False)
    else:
        from darnel.reports.findings_sarif import render_findings_sarif

        click.echo(render_findings_sarif(results), nl=False)
    say(f"{wording.counts_line(results)}. {wording.verdict(results)}")
