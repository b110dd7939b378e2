"""``darnel adapters``."""

from __future__ import annotations

from pathlib import Path

import click

from darnel.cli.options import json_option


@click.command("adapters")
@click.option("--new", metavar="NAME", help="Write a working adapter to start from, with its tests.")
@click.option("--into", type=click.Path(file_okay=False), metavar="DIR", help="Where (default: the current folder).")
@json_option
def command(as_json: bool, new: str | None, into: str | None) -> int:
    """What stores and frameworks there are, which are installed, and the line that installs what is not.

    \b
    darnel adapters --new my-store
    """
    from darnel.core.errors import UsageError

    if new is not None:
        return _write(new, Path(into or "."), as_json=as_json)
    if into is not None:
        raise UsageError("--into goes with --new NAME")
    return _list(as_json=as_json)


def _write(name: str, into: Path, *, as_json: bool) -> int:
    from darnel.cli.new_adapter import write_adapter
    from darnel.cli.progress import say
    from darnel.cli.tables import print_json

    written = [str(path) for path in write_adapter(name, into)]
    if as_json:
        print_json(written)
    else:
        click.echo("\n".join(written))
    say(f"next: cd {Path(written[0]).parent}; pip install -e '.[test]'; pytest")
    return 0


def _list(*, as_json: bool) -> int:
    from darnel.adapters.registry import known_adapters
    from darnel.cli.tables import print_json, print_table

    entries = known_adapters().values()
    if as_json:
        print_json(
            [
                {
                    "name": e.name,
                    "installed": e.installed,
                    "install": e.install,
                    "example": e.example,
                    "summary": e.summary,
                }
                for e in entries
            ]
        )
    else:
        heads = ["adapter", "installed", "example target", "what it is"]
        print_table(heads, ((e.name, "yes" if e.installed else e.install, e.example, e.summary) for e in entries))
    return 0
