"""``darnel run --mode context``: mode B."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from darnel.cli.options import SETTINGS

if TYPE_CHECKING:
    from darnel.core.handing.results import HandedResults
    from darnel.reports.formats import Output

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
KEYS = {name: key for key, name in SETTINGS.items()}
"""Parameter name → settings key."""


def run_handed(target: str, given: Mapping[str, Any], *, as_json: bool) -> int:
    """Hand payloads over, judge the answers, show what was found.

    Raises:
        UsageError: an option on the command line has no meaning here, or a file's format is none of mode B's.
    """
    from darnel.adapters.apps.options import AppOptions
    from darnel.api import run_context
    from darnel.cli.files import check_outputs
    from darnel.cli.progress import progress_bar
    from darnel.cli.questions import read_query_option
    from darnel.core.handing.run import HandingOptions
    from darnel.reports.formats import HANDED_FORMATS

    others = [name for name in click.get_current_context().params if name not in TAKEN]
    refuse_here(others, "--mode context hands text over and plants nothing")
    outputs = check_outputs(_of_this_mode("outputs", given["outputs"]), HANDED_FORMATS)
    queries = read_query_option(given["queries"], given["qrels"])
    asked = ("jobs", "timeout", "retries", "input", "answer_path", "headers")
    with progress_bar() as progress:
        options = HandingOptions(
            seed=given["seed"],
            canary=given["canary"],
            conditions=_of_this_mode("gates", given["gates"]),
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


def refuse_here(names: Iterable[str], why: str) -> None:
    """Refuse what stands on the command line and means nothing in this mode; settings of a file may stand for the other.

    Raises:
        UsageError: names the option.
    """
    from darnel.core.errors import UsageError

    context = click.get_current_context()
    for name in names:
        if context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            option = f"--{KEYS.get(name, name.replace('_', '-'))}"
            raise UsageError(f"{why}; leave {option} away")


def _of_this_mode(name: str, given: Sequence[str]) -> Sequence[str]:
    """The values of an option that both modes have; a settings file means mode A with it, unless it sets the mode, too."""
    from darnel.cli.progress import say

    source = click.get_current_context().get_parameter_source
    if source(name) is not ParameterSource.DEFAULT_MAP or source("mode") is ParameterSource.DEFAULT_MAP:
        return given
    say(f"the setting '{KEYS[name]}' is left out: it is for mode A, since the settings file has no mode = 'context'")
    return ()


def _show(results: HandedResults, outputs: Sequence[Output], *, as_json: bool) -> int:
    from rich.console import Console

    from darnel.cli.files import write_outputs
    from darnel.cli.output import WIDTH_ELSEWHERE
    from darnel.reports.escape import json_visible
    from darnel.reports.handed import print_handed

    if as_json:
        click.echo(json_visible(results.to_json().decode()), nl=False)
    else:
        print_handed(results, Console(width=None if sys.stdout.isatty() else WIDTH_ELSEWHERE, highlight=False))
    return results.exit_code if write_outputs(results, outputs) else max(results.exit_code, 2)
