"""The ``darnel`` command: which subcommands there are, settings, and what an error or an exit code looks like.

Nothing but click is imported until a subcommand runs, so that ``darnel --help`` and completion are quick.
"""

from __future__ import annotations

import importlib
import os
import sys
import threading
from contextlib import suppress
from typing import Any, NoReturn

import click

COULD_NOT_TEST = 2
ASKING = "darnel-ask"
"""Name of the threads in which applications are asked."""

COMMANDS = {
    "adapters": "What stores and frameworks there are, and how to install what is missing.",
    "audit": "What is in a corpus that should not be: stores and files, read only.",
    "compare": "Two results, before and after a change, on the same questions.",
    "completion": "Print the shell completion script for bash, zsh or fish.",
    "demo": "Mode A on a bundled corpus in a throwaway Chroma store: no configuration, no network.",
    "doctor": "Look a target over before a run; writes nothing.",
    "patterns": "What patterns there are, and what each does.",
    "plan": "How many questions a claim takes.",
    "plant": "Plant by hand and leave it there; sweep takes it out.",
    "report": "Show a results.json again, or write it as HTML, Markdown, CSV, JUnit, SARIF.",
    "run": "Mode A: plant, ask, verify from the sources, score, remove, prove.",
    "status": "What is planted now.",
    "sweep": "Take out what a crash, or plant, left in a corpus.",
    "tenants": "What one tenant is served of another's documents: plant under each, ask as each.",
}


class LazyGroup(click.Group):
    """Knows its commands' names and one-liners; imports a command's module when it is used."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """All names, sorted."""
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import and return one command."""
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = importlib.import_module(f"darnel.cli.{cmd_name}_command").command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As click does it, with the nearest name offered for an unknown one."""
        if args and args[0] not in COMMANDS and not args[0].startswith("-") and not ctx.resilient_parsing:
            from darnel.core.errors import UnknownNameError

            raise UnknownNameError("command", args[0], COMMANDS)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list in ``--help``, without importing anything."""
        with formatter.section("Commands"):
            formatter.write_dl(sorted(COMMANDS.items()))


def _print_version(ctx: click.Context, _param: click.Parameter, value: bool) -> None:
    if value:
        from darnel.core.version import darnel_version

        click.echo(f"darnel {darnel_version()}")
        ctx.exit()


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--version", is_flag=True, expose_value=False, is_eager=True, callback=_print_version, help="Print it.")
@click.pass_context
def cli(ctx: click.Context) -> None:
    """Plant harmless marked documents in your own corpus, see which ones the retriever serves, and take all of them out.

    \b
    Exit codes: 0 passed, 1 a gate failed, 2 could not test, 3 documents may be left behind.
    """
    if ctx.invoked_subcommand in ("audit", "demo", "doctor", "plant", "run", "status", "sweep", "tenants"):
        import logging

        from darnel.cli.settings import load_settings

        if not (client := logging.getLogger("httpx")).level:  # its every request, in an application that logs
            client.setLevel(logging.WARNING)
        ctx.default_map = dict.fromkeys(COMMANDS, load_settings())


def main(args: list[str] | None = None) -> NoReturn:
    """Run the command line and exit."""
    code = _run(args)
    if args is None and any(thread.name == ASKING for thread in threading.enumerate()):
        # a call of the application's hangs, and whatever threads it made would be waited for
        for stream in (sys.stdout, sys.stderr):
            with suppress(Exception):  # a pipe that nobody reads any more
                stream.flush()
        os._exit(code)
    sys.exit(code)


def _run(args: list[str] | None) -> int:
    from darnel.core.errors import DarnelError

    try:
        result: Any = cli.main(args=args, prog_name="darnel", standalone_mode=False)
        return result if isinstance(result, int) else 0
    except click.exceptions.Exit as stop:
        return stop.exit_code
    except click.ClickException as error:
        error.show()
    except DarnelError as error:
        _say(f"darnel: {error}")
        return error.exit_code
    except (KeyboardInterrupt, click.Abort):
        _say("darnel: interrupted; to see what is planted now: darnel status")
    except BrokenPipeError:
        sys.stderr.close()
    except Exception:  # a bug: its traceback, and an exit code that no one takes for a finding
        import traceback

        traceback.print_exc()
        _say("darnel: this is a bug in darnel; please report it with the lines above")
    return COULD_NOT_TEST


def _say(text: str) -> None:
    from darnel.reports.escape import visible

    click.echo(visible(text, 2_000), err=True)
