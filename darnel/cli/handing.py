"""``darnel run --mode context``: mode B."""

from __future__ import annotations

import sys
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from darnel.cli.options import SETTINGS

TAKEN = frozenset(
    {
        *(
            "allow_hosts",
            "answer_path",
            "as_json",
            "canary",
            "embedder",
            "gates",
            "headers",
            "input",
            "into",
            "jobs",
            "k",
        ),
        *(
            "max_inconclusive",
            "mode",
            "outputs",
            "payloads",
            "queries",
            "qrels",
            "retries",
            "seed",
            "target",
            "timeout",
        ),
    }
)
"""Parameters of ``run`` that mean something in mode B."""


def run_handed(target: str, given: Mapping[str, Any], *, as_json: bool) -> int:
    """Hand payloads over, judge the answers, show what was found.

    Raises:
        UsageError: an option on the command line has no meaning here, or a file's format is none of mode B's.
    """
    from darnel.adapters.apps.options import AppOptions
    from darnel.api import run_context
    from darnel.cli.progress import progress_bar
    from darnel.cli.questions import read_query_option
    from darnel.core.handing.run import HandingOptions

    refuse_others(click.get_current_context(), TAKEN)
    outputs = _outputs(given["outputs"])
    queries = read_query_option(given["queries"], given["qrels"])
    asked = ("jobs", "timeout", "retries", "input", "answer_path", "headers")
    with progress_bar() as progress:
        options = HandingOptions(
            seed=given["seed"],
            canary=given["canary"],
            conditions=given["gates"],
            max_inconclusive=given["max_inconclusive"],
            progress=progress,
        )
        results = run_context(
            target,
            queries,
            given["payloads"] or ["all"],
            corpus=given["into"],
            k=next(iter(given["k"]), 5),
            embedder=given["embedder"],
            options=options,
            asking=AppOptions(**{name: given[name] for name in asked}),
            allow_hosts=given["allow_hosts"],
        )
    return _show(results, outputs, as_json=as_json)


def refuse_others(context: click.Context, taken: Collection[str]) -> None:
    """Refuse what stands on the command line and means nothing in mode B; settings of a file may stand there for mode A.

    Raises:
        UsageError: names the option.
    """
    from darnel.core.errors import UsageError

    keys = {name: key for key, name in SETTINGS.items()}
    for name in context.params:
        if name not in taken and context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            option = f"--{keys.get(name, name.replace('_', '-'))}"
            raise UsageError(f"--mode context hands text over and plants nothing; leave {option} away")


def _outputs(given: Collection[str]) -> list[Path]:
    from darnel.core.errors import UsageError

    for name in given:
        if Path(name).suffix not in (".json", ".md"):
            raise UsageError(f"cannot write {name}: results of --mode context are written as .json or .md")
        if not Path(name).absolute().parent.is_dir():
            raise UsageError(f"cannot write {name}: there is no such folder; choose another place with -o")
    return [Path(name) for name in given]


def _show(results: Any, outputs: Collection[Path], *, as_json: bool) -> int:
    from rich.console import Console

    from darnel.cli.output import WIDTH_ELSEWHERE
    from darnel.cli.progress import say
    from darnel.reports.escape import json_visible
    from darnel.reports.handed import print_handed, render_handed_markdown

    document = json_visible(results.to_json().decode())
    if as_json:
        click.echo(document, nl=False)
    else:
        print_handed(results, Console(width=None if sys.stdout.isatty() else WIDTH_ELSEWHERE, highlight=False))
    code = int(results.exit_code)
    for path in outputs:
        try:
            path.write_text(document if path.suffix == ".json" else render_handed_markdown(results), encoding="utf-8")
        except OSError as error:
            say(f"darnel: cannot write {path}: {error.strerror}; the run itself is over")
            code = max(code, 2)
        else:
            say(f"wrote {path}")
    return code
