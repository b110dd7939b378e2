"""``python -m poisoned_rag``: the lab's commands."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import click
from rich.console import Console
from rich.table import Table as Grid

from darnel.adapters.memory.open import memory_target
from darnel.core.corpus import Source
from darnel.core.errors import DarnelError, UnknownNameError
from darnel.core.planting.ledger import Ledger
from darnel.models.base import NOTE_TOOL, ChatModel
from darnel.models.resolve import resolve_model
from darnel.reports.escape import visible
from poisoned_rag.attacks import all_attacks, families
from poisoned_rag.attacks.base import Attack
from poisoned_rag.context import HARDENED, MODES, build
from poisoned_rag.lab import PATIENCE, Rag
from poisoned_rag.matrix import run_matrix
from poisoned_rag.report import proof_line, render_lab, render_matrix_report, render_report
from poisoned_rag.runner import Row, craft_plants, run_attacks
from poisoned_rag.shelf import INSTALL, Shelf, cover, shelves
from poisoned_rag.tables import Table, cost_table, family_table, matrix_table

WIDTH = 150
SCRIPTED = ("scripted:obedient", "scripted:heedful")
"""The two that bound what a real model may do."""
COMPARED = (*SCRIPTED, "scripted:refusing", "scripted:silent", "scripted:raising:40")


class Model(click.ParamType[ChatModel]):
    """``--model``: what it names is made while the command line is read, so that nothing is planted for one that is not there."""

    name = "provider:model"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> ChatModel:
        """See click."""
        try:
            return resolve_model(value)
        except DarnelError as error:
            self.fail(str(error), param, ctx)


model_option = click.option(
    "--model",
    type=Model(),
    default=SCRIPTED[0],
    show_default=True,
    envvar="POISONED_RAG_MODEL",
    help="To ask; else that of $POISONED_RAG_MODEL.",
)
retriever_option = click.option(
    "--retriever",
    type=click.Choice(["words", "embeddings"]),
    default="words",
    show_default=True,
    help="How documents are found.",
)
questions_option = click.option("--questions", type=click.IntRange(1), help="Questions for each attack (default 8).")
timeout_option = click.option(
    "--timeout", type=float, default=PATIENCE, show_default=True, help="Seconds for one answer."
)


@click.group(invoke_without_command=True)
@click.pass_context
def main(context: click.Context) -> None:
    """Does a model do what a retrieved document asks, and what does hardening the context buy? Without a command: demo.

    Models: scripted:obedient, scripted:heedful, scripted:refusing, scripted:silent, scripted:raising:20,
    scripted:hanging:20, or any chat model of LangChain's, such as anthropic:MODEL, openai:MODEL or ollama:MODEL.
    """
    if context.invoked_subcommand is None:
        context.invoke(demo)


@main.command()
@click.option("-o", "--output", default="poisoned_rag.md", show_default=True, help="Where to write the report.")
def demo(output: str) -> None:
    """Everything, on scripted models: no key, no network."""
    found = shelves()
    with _ledger() as ledger:
        rows = [run_attacks(resolve_model(m), s, all_attacks(), ledger) for s in found for m in SCRIPTED]
    cost = cost_table(found, resolve_model(SCRIPTED[0]))
    _show([*map(family_table, rows), cost])
    if len(found) == 1:
        click.echo(f"not run: a real embedder needs wordllama: {INSTALL}")
    _finish(rows, output, render_lab(rows, cost))


@main.command("ingest-and-ask")
@click.argument("files", nargs=-1, type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--question", default="When does the harbour office open on weekdays?", show_default=True)
@click.option("--mode", type=click.Choice([m.name for m in MODES]), default=HARDENED.name, show_default=True)
@model_option
@click.option("--tool", is_flag=True, help="Offer the harmless fake tool.")
@timeout_option
def ingest_and_ask(
    files: Sequence[Path], question: str, mode: str, model: ChatModel, tool: bool, timeout: float
) -> None:
    """Ingest FILES beside the two documents, ask, and show what was found, what the model was given, and what it said."""
    rag = Rag(
        cover().fresh(), model, next(m for m in MODES if m.name == mode), (NOTE_TOOL,) if tool else (), patience=timeout
    )
    for path in files:
        rag.ingest(path.name, path.read_text(encoding="utf-8", errors="replace"), f"upload/{path.name}")
    reply = rag.ask(question)
    click.echo(f"found:  {', '.join(visible(source.id or '') for source in reply.sources)}\ngiven:")
    _show_text(reply.prompt or "")
    for call in reply.calls or ():
        click.echo(f"call:   {visible(call.name)} {visible(str(dict(call.arguments)))} (noted, not carried out)")
    click.echo(f"answer: {visible(reply.answer or '(none)', 2_000)}")
    if reply.error:
        click.echo(f"error:  {visible(reply.error)}")
        raise SystemExit(2)


@main.command()
@model_option
@click.option("--attack", "names", multiple=True, help="Only these; see list-attacks.")
@click.option("--family", "chosen", multiple=True, type=click.Choice(families()), help="Only these.")
@click.option("-o", "--output", default="attack.md", show_default=True, help="Where to write the report.")
@retriever_option
@questions_option
@timeout_option
def attack(
    model: ChatModel,
    names: Sequence[str],
    chosen: Sequence[str],
    output: str,
    retriever: str,
    questions: int | None,
    timeout: float,
) -> None:
    """Run the attacks on one model."""
    picked = [a for a in all_attacks() if not chosen or a.family in chosen]
    picked = [_named(name) for name in names] or picked
    with _ledger() as ledger:
        row = run_attacks(model, _shelf(retriever), picked, ledger, questions=questions, patience=timeout)
    _show([family_table(row)] if row.trials else [])
    _finish([row], output, render_report(row))


@main.command()
@click.option(
    "--model",
    "models",
    type=Model(),
    multiple=True,
    default=COMPARED,
    show_default=True,
    envvar="POISONED_RAG_MODELS",
    help="To compare; else those of $POISONED_RAG_MODELS, with spaces between.",
)
@click.option("-o", "--output", default="matrix.md", show_default=True, help="Where to write the report.")
@retriever_option
@questions_option
@timeout_option
def compare(models: Sequence[ChatModel], output: str, retriever: str, questions: int | None, timeout: float) -> None:
    """Run the attacks on several models; one that fails midway keeps what it answered."""
    attacks = all_attacks()
    with _ledger() as ledger:
        rows = run_matrix(models, _shelf(retriever), attacks, ledger, questions=questions, patience=timeout)
    _show([matrix_table(rows, attacks)])
    _finish(rows, output, render_matrix_report(rows, attacks))


@main.command("list-attacks")
def list_attacks() -> None:
    """The attacks, by family."""
    rows = [(a.id, a.family, a.dose.label, ", ".join(t.name for t in a.tools) or "–", a.shows) for a in all_attacks()]
    _show([Table("Attacks", ("attack", "family", "pattern and payload", "tool", "shows"), rows)])


@main.command()
@click.argument("name")
def show(name: str) -> None:
    """What the attack NAME plants for the first question, and what becomes of it naive and hardened."""
    found, shelf = _named(name), cover()
    query, target = shelf.questions[0], memory_target(shelf.fresh())
    plants = craft_plants(found, query, target, "shown")
    click.echo(f"{found.id} ({found.family}): {found.payload.summary}\nshows {found.shows}\nquestion: {query.text}")
    for plant in plants:
        click.echo(f"planted: {visible(plant.text, 2_000)}")
    sources = [Source(plant.id, plant.text, plant.metadata) for plant in plants]
    for mode in MODES:
        click.echo(f"\n{mode.name}:")
        for message in build(query.text, sources, found.tools, mode):
            _show_text(message.text, f"  {message.role}: ")


def _named(name: str) -> Attack:
    known = {a.id: a for a in all_attacks()}
    if name not in known:
        raise click.ClickException(str(UnknownNameError("attack", name, known)))
    return known[name]


def _shelf(retriever: str) -> Shelf:
    if retriever == "words":
        return cover()
    if len(found := shelves()) == 1:
        raise click.ClickException(f"a real embedder needs wordllama: {INSTALL}")
    return found[1]


@contextmanager
def _ledger() -> Iterator[Ledger]:
    """A journal for the length of a command; what darnel refuses meanwhile ends it in one line."""
    with TemporaryDirectory(prefix="poisoned-rag-") as folder, Ledger(Path(folder) / "ledger.db") as ledger:
        try:
            yield ledger
        except DarnelError as error:
            raise click.ClickException(str(error)) from error


def _show(tables: Sequence[Table]) -> None:
    console = Console(width=WIDTH, highlight=False)
    for table in tables:
        grid = Grid(box=None)
        for place, head in enumerate(table.heads):
            grid.add_column(visible(head), overflow="fold", no_wrap=place == 0)
        for row in table.rows:
            grid.add_row(*map(visible, row))
        console.print(table.title, style="bold", markup=False)
        console.print(grid)
        console.print(f"{visible(table.note, 1_000)}\n" if table.note else "", markup=False)


def _show_text(text: str, head: str = "  ") -> None:
    for line in text.splitlines():
        click.echo(f"{head}{visible(line, 2_000)}")


def _finish(rows: Sequence[Row], output: str, page: str) -> None:
    """Write the report, whatever came of the models; say what is proved."""
    Path(output).write_text(page, encoding="utf-8")
    for row in rows:
        if row.stopped:
            click.echo(f"{row.model}: {visible(row.stopped)}", err=True)
    click.echo(f"{proof_line(rows)}\nreport: {output}")
    if not all(row.clean for row in rows):
        raise SystemExit(3)
    if any(row.stopped for row in rows):
        raise SystemExit(2)


if __name__ == "__main__":
    main()
