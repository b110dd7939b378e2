"""``darnel patterns``."""

from __future__ import annotations

from typing import Any

import click

from darnel.cli.options import json_option

EXAMPLE_QUERY = "How long may a pilot be on duty?"
EXAMPLE_OTHERS = ("When must a pilot rest?", "How long is a duty period?")
EXAMPLE_PASSAGES = ("A duty period ends when the crew leaves the aircraft. Rest follows every duty period.",)


@click.command("patterns")
@click.argument("names", nargs=-1, metavar="[NAME...]")
@click.option("--query", default=EXAMPLE_QUERY, show_default=True, help="The query that each NAME is shown on.")
@json_option
def command(names: tuple[str, ...], query: str, as_json: bool) -> int:
    """What patterns there are; with NAME (or a template file), what that one makes of a query.

    \b
    darnel patterns zero-width
    darnel patterns ./my-pattern.toml:3 --query "Who may enter the hangar?"
    """
    from darnel.cli.tables import print_json, print_table
    from darnel.patterns.registry import known_patterns, parse_doses

    if names:
        return _show(parse_doses(names, controls=False), query, as_json)
    rows = [describe(pattern, pattern.default_strength) for pattern in known_patterns().values()]
    if as_json:
        print_json(rows)
    else:
        heads = ["pattern", "default strength", "what it counts", "what it does"]
        print_table(heads, ((r["name"], r["strength"], r["counts"], r["summary"]) for r in rows))
    return 0


def describe(pattern: Any, strength: int) -> dict[str, Any]:
    """What is known of a pattern."""
    from darnel.core.pattern import about

    said = about(pattern)
    return {
        "name": pattern.name,
        "control": pattern.is_control,
        "family": said.family,
        "box": said.box,
        "fields": list(said.fields),
        "beats": list(said.beats),
        "references": list(said.references),
        "strength": strength,
        "counts": pattern.dose,
        "summary": pattern.summary,
    }


def _show(doses: list[Any], query: str, as_json: bool) -> int:
    from darnel.cli.tables import print_json
    from darnel.reports.escape import visible

    shown = [_example(dose, query) for dose in doses]
    if as_json:
        print_json(shown)
        return 0
    for number, item in enumerate(shown):
        click.echo(
            "\n" * bool(number) + f"{item['name']} (strength {item['strength']}: {item['counts']})\n  {item['summary']}"
        )
        click.echo(f"  family {item['family']}, {item['box']} box, touches {', '.join(item['fields'])}")
        for label in ("beats", "references"):
            if item[label]:
                click.echo(f"  {label}: {'; '.join(item[label])}")
        click.echo(f"  {item['documents']} document(s), {item['words']} words, {item['bait']:.0%} of them bait")
        click.echo(f"\n  query: {visible(query)}\n  text:  {visible(item['text'], 2_000)}")
        for key, value in item["metadata"].items():
            click.echo(f"  {key}: {visible(str(value))}")
        if item["vector_of"]:
            click.echo(f"  stored under the mean vector of: {'; '.join(visible(text) for text in item['vector_of'])}")
    return 0


def _example(dose: Any, query: str) -> dict[str, Any]:
    """One document of a dose, and how much of it is bait rather than carrier."""
    import random

    from darnel.core.pattern import Crafted, CraftRequest, default_carrier
    from darnel.core.plant import make_marker

    marker = make_marker(0, dose.label, query)
    request = CraftRequest(
        *(query, dose.strength, 0, marker, default_carrier, EXAMPLE_PASSAGES, random.Random(0)),
        others=EXAMPLE_OTHERS,
        translations=("¿Cuánto tiempo puede estar de servicio un piloto?",),
        template={"title": "", "tags": ""},
    )
    made = dose.pattern.craft(request)
    made = Crafted(made) if isinstance(made, str) else made
    words, body = len(made.text.split()), len(request.body.split())
    carried = body if request.body in made.text else min(body, words) if dose.pattern.is_control else 0
    return {
        **describe(dose.pattern, dose.strength),
        "documents": dose.pattern.copies(dose.strength),
        "words": words,
        "bait": (words - carried) / words,
        "query": query,
        "text": made.text,
        "metadata": dict(made.metadata),
        "vector_of": list(made.vector_of),
    }
