"""``python -m ragtrust``: run the lab, print the comparison, write the page."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import click
from rich.console import Console
from rich.table import Table as Grid

from darnel.core.planting.ledger import Ledger
from darnel.reports.escape import visible
from ragtrust.bench import Bench, run_bench, run_main
from ragtrust.page import render
from ragtrust.tables import Table, further_tables, main_table

WIDTH = 140


@click.command()
@click.option("--html", "page", default="ragtrust.html", show_default=True, help="Where to write the page.")
@click.option("--only-main", is_flag=True, help="The comparison as described, and nothing beyond it.")
def main(page: str, only_main: bool) -> None:
    """Plant six documents beside twelve, ask twelve questions with and without the defence, and compare."""
    with TemporaryDirectory(prefix="ragtrust-") as folder, Ledger(Path(folder) / "ledger.db") as ledger:
        bench = Bench(run_main(ledger)) if only_main else run_bench(ledger)
    console = Console(width=WIDTH, highlight=False)
    for table in [main_table(bench.main), *([] if only_main else further_tables(bench))]:
        _show(console, table)
    for line in bench.skipped:
        console.print(f"not run: {line}", markup=False)
    planted, removed = sum(t.planted for t in bench.trials), sum(t.removed for t in bench.trials)
    proof = "all other records and lists are as before" if bench.clean else "NOT everything is as before"
    console.print(f"{len(bench.trials)} trials: {planted} planted, {removed} removed; {proof}", markup=False)
    Path(page).write_text(render(bench), encoding="utf-8")
    console.print(f"side by side: {page}", markup=False)
    if not bench.clean:
        raise SystemExit(3)


def _show(console: Console, table: Table) -> None:
    grid = Grid(*table.heads, box=None)
    for row in table.rows:
        grid.add_row(*map(visible, row))
    console.print(table.title, style="bold", markup=False)
    console.print(grid)
    console.print(table.note, "", sep="\n", markup=False)


if __name__ == "__main__":
    main()
