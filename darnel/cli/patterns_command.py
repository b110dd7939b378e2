"""``darnel patterns``."""

from __future__ import annotations

import click

from darnel.cli.options import json_option


@click.command("patterns")
@json_option
def command(as_json: bool) -> int:
    """What patterns there are: what each does, what its strength counts, and its default strength."""
    from darnel.cli.tables import print_json, print_table
    from darnel.patterns.registry import known_patterns

    rows = [
        {
            "name": p.name,
            "control": p.is_control,
            "strength": p.default_strength,
            "counts": p.dose,
            "summary": p.summary,
        }
        for p in known_patterns().values()
    ]
    if as_json:
        print_json(rows)
    else:
        heads = ["pattern", "default strength", "what it counts", "what it does"]
        print_table(heads, ((r["name"], r["strength"], r["counts"], r["summary"]) for r in rows))
    return 0
