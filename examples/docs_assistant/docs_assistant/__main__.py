"""``python -m docs_assistant``: run the cases, print the tables, write the records."""

from __future__ import annotations

import dataclasses
import json
import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import click
from rich.console import Console
from rich.table import Table as Grid

from darnel.core.errors import DarnelError
from darnel.core.planting.ledger import Ledger
from darnel.models.resolve import resolve_model
from darnel.reports.escape import visible
from docs_assistant.controls import MITIGATED, MODES
from docs_assistant.lab import PACKAGES, Run, run_store
from docs_assistant.pages import Documentation, find_pages, read_documentation
from docs_assistant.tables import Table, tables, to_markdown

WIDTH = 140


@click.command()
@click.option("--mode", type=click.Choice(list(MODES)), help="One mode alone (default: mitigated, compared).")
@click.option("--compare", is_flag=True, help="The unmitigated mode beside it.")
@click.option("--store", "stores", type=click.Choice(list(PACKAGES)), multiple=True, help="Default: both.")
@click.option("--model", default="scripted:obedient", show_default=True, help="Any model that darnel knows.")
@click.option("--own", is_flag=True, help="The small documentation of the lab, even where FastAPI's is at hand.")
@click.option("--pages", type=click.Path(dir_okay=False, exists=True), help="FastAPI's pages, as JSON Lines.")
@click.option("--timeout", type=click.FloatRange(0, min_open=True), default=20.0, help="Seconds for a question.")
@click.option("--out", type=click.Path(file_okay=False), help="Where report, results, records and log go.")
def main(mode: str | None, compare: bool, own: bool, pages: str | None, out: str | None, **given: object) -> None:
    """Ask an assistant over documentation 14 ways in which it should hold, with its controls and without."""
    modes = list(MODES) if compare or mode is None else [mode]
    judged = mode or MITIGATED.name
    try:
        docs = read_documentation(None if own else find_pages(pages))
        runs = _run(docs, modes, out, **given)  # type: ignore[arg-type]  # click hands over a mapping
    except DarnelError as error:
        click.echo(f"docs_assistant: {visible(str(error))}", err=True)
        raise SystemExit(error.exit_code) from None
    found = [table for run in runs for table in tables(run)]
    console = Console(width=WIDTH, highlight=False)
    console.print(f"{docs.name} documentation, {len(docs.pages)} pages; model {given['model']}", markup=False)
    for table in found:
        _show(console, table)
    if out is not None:
        _write(Path(out), runs, found)
    raise SystemExit(exit_code(runs, judged))


def _run(
    docs: Documentation, modes: Sequence[str], out: str | None, *, stores: Sequence[str], model: str, timeout: float
) -> list[Run]:
    chat = resolve_model(model)
    runs: list[Run] = []
    with (
        TemporaryDirectory(prefix="docs-assistant-") as folder,
        Ledger(Path(folder) / "ledger.db") as ledger,
        _log(out),
    ):
        for store in stores or PACKAGES:
            ablate = len(modes) > 1 and not runs  # what a control buys does not hang on the store
            runs.append(run_store(store, docs, chat, modes, ledger, timeout=timeout, ablate=ablate))
            if runs[-1].evaluation.interrupted:
                break
    return runs


def exit_code(runs: Sequence[Run], mode: str) -> int:
    """3 where documents may be left, 1 where an attack worked in the mode that is judged, 2 where that could not be told."""
    outcomes = [o for run in runs for o in run.evaluation.outcomes if o.mode == mode]
    tenants = {run.tenants.exit_code if run.tenants else 2 for run in runs}
    if 3 in tenants or not all(run.evaluation.clean for run in runs):
        return 3
    if 1 in tenants or any(o.breaches().hits for o in outcomes):
        return 1
    doubtful = any(o.untold() for o in outcomes) or any(run.evaluation.interrupted for run in runs)
    return 2 if 2 in tenants or doubtful else 0


def _show(console: Console, table: Table) -> None:
    grid = Grid(*table.heads, box=None)
    for row in table.rows:
        grid.add_row(*map(visible, row))
    console.print(table.title, style="bold", markup=False)
    console.print(grid)
    console.print(*table.notes, "", sep="\n", markup=False)


@contextmanager
def _log(out: str | None) -> Iterator[None]:
    """The assistant's log, in a file beside the report."""
    if out is None:
        yield
        return
    Path(out).mkdir(parents=True, exist_ok=True)
    handler = logging.FileHandler(Path(out) / "assistant.log", mode="w", encoding="utf-8")
    log = logging.getLogger("docs_assistant")
    level, handler.level = log.level, logging.INFO
    log.addHandler(handler)
    log.setLevel(logging.INFO)
    try:
        yield
    finally:
        log.removeHandler(handler)
        log.setLevel(level)
        handler.close()


def _write(folder: Path, runs: Sequence[Run], found: Sequence[Table]) -> None:
    (folder / "report.md").write_text(to_markdown(found), encoding="utf-8")
    kept = [
        {"store": run.evaluation.store, "clean": run.evaluation.clean, "mode": o.mode, **dataclasses.asdict(row)}
        for run in runs
        for o in run.evaluation.outcomes
        for row in (*o.rows, *o.fair)
    ]
    lines = "".join(json.dumps(item, ensure_ascii=False) + "\n" for item in kept)
    (folder / "records.jsonl").write_text(lines, encoding="utf-8")
    for run in runs:
        if run.tenants is not None:
            (folder / f"tenants-{run.evaluation.store}.json").write_bytes(run.tenants.to_json())


if __name__ == "__main__":
    main()
