"""``darnel report``."""

from __future__ import annotations

import click

from darnel.cli.options import outputs_option


@click.command("report")
@click.argument("results", nargs=-1, required=True, metavar="RESULT...")
@outputs_option
def command(results: tuple[str, ...], outputs: tuple[str, ...]) -> int:
    """Show a results.json again, or write it in other formats.

    \b
    darnel report results.json
    darnel report results.json -o report.html -o report.sarif
    darnel report monday.json tuesday.json -o html:'reports/{name}.html'

    With several results, {name} in a file's name stands for each one's own. The exit code says whether this could be
    done, not how the run ended.
    """
    from darnel.cli.files import check_outputs, write_outputs
    from darnel.cli.output import show_text
    from darnel.core.document import load_results

    documents = [load_results(name) for name in results]
    per_result = [check_outputs(names) for names in _names(results, outputs)]
    good = True
    for loaded, files in zip(documents, per_result, strict=True):
        if files:
            good = write_outputs(loaded, files) and good
        else:
            show_text(loaded)
    return 0 if good else 2


def _names(results: tuple[str, ...], outputs: tuple[str, ...]) -> list[list[str]]:
    from pathlib import Path

    from darnel.cli.files import NAME, each_named

    if len(results) > 1:
        each_named(outputs, "results")
    names = [Path(result).stem for result in results]
    if len(set(names)) < len(names):
        names = [f"{number}-{name}" for number, name in enumerate(names, 1)]
    return [[output.replace(NAME, name) for output in outputs] for name in names]
