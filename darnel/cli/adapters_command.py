"""``darnel adapters``."""

from __future__ import annotations

import click

from darnel.cli.options import json_option


@click.command("adapters")
@json_option
def command(as_json: bool) -> int:
    """What stores and frameworks there are, which are installed, and the line that installs what is not."""
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
