"""``darnel audit``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from darnel.cli.options import embedder_option, json_option

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
@click.option("--allow-unreadable", is_flag=True, help="Do not exit 2 because records could not be read.")
@click.option("--sarif", "as_sarif", is_flag=True, help="Print SARIF 2.1.0 on standard output, and nothing else.")
@json_option
@click.option(
    "--out", type=click.Path(file_okay=False), metavar="DIR", help="Write findings.json, .md and .sarif there."
)
def command(sources: tuple[str, ...], as_json: bool, as_sarif: bool, out: str | None, **given: Any) -> int:
    """What is in a corpus that should not be: in stores, and in JSONL, CSV, Parquet, text, Markdown or HTML files. Writes
    to none of them.

    \b
    darnel audit docs/ --fail-on medium
    darnel audit chroma:./db#docs --queries questions.txt --embedder myapp.rag:embedder --out report
    """
    from darnel.api import audit_corpus
    from darnel.cli.output import check_out
    from darnel.cli.progress import progress_bar
    from darnel.core.errors import UsageError

    if as_json and as_sarif:
        raise UsageError("give --json or --sarif, not both; --out writes every format")
    check_out(out)
    names = [name.strip() for name in (given["detectors"] or "").split(",") if name.strip()]
    with progress_bar() as progress:
        results = audit_corpus(
            sources,
            queries=given["queries"],
            embedder=given["embedder"],
            detectors=names,
            alert_budget=given["alert_budget"],
            fail_on=given["fail_on"],
            allow_unreadable=given["allow_unreadable"],
            progress=progress,
        )
    _show(results, "json" if as_json else "sarif" if as_sarif else "text")
    if out is not None and not _write(results, Path(out)):
        return 2
    return results.exit_code


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
        from darnel.reports.escape import json_visible

        click.echo(json_visible(results.to_json().decode()), nl=False)
    else:
        from darnel.reports.findings_sarif import render_findings_sarif

        click.echo(render_findings_sarif(results), nl=False)
    say(f"{wording.counts_line(results)}. {wording.verdict(results)}")


def _write(results: AuditResults, folder: Path) -> bool:
    from darnel.cli.progress import say
    from darnel.reports.findings_markdown import render_findings
    from darnel.reports.findings_sarif import render_findings_sarif

    try:
        (folder / "findings.json").write_bytes(results.to_json())
        (folder / "findings.md").write_text(render_findings(results), encoding="utf-8")
        (folder / "findings.sarif").write_text(render_findings_sarif(results), encoding="utf-8")
    except OSError as error:
        say(f"darnel: cannot write to {folder}: {error.strerror}; the audit itself is over")
        return False
    say(f"wrote findings.json, findings.md and findings.sarif to {folder}")
    return True
