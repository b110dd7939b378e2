"""``darnel patterns``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from darnel.cli.options import json_option

if TYPE_CHECKING:
    from darnel.core.payload import Payload

EXAMPLE_QUERY = "How long may a pilot be on duty?"
EXAMPLE_OTHERS = ("When must a pilot rest?", "How long is a duty period?")
EXAMPLE_PASSAGES = ("A duty period ends when the crew leaves the aircraft. Rest follows every duty period.",)
GOALS = {
    "marker": "the answer holds the marker",
    "canary": "the answer holds the prompt's canary",
    "tool": "the fake tool is called with the marker",
    "refusal": "the question is refused, with the marker",
}


@click.command("patterns")
@click.argument("names", nargs=-1, metavar="[NAME...]")
@click.option("--query", default=EXAMPLE_QUERY, show_default=True, help="The query that each NAME is shown on.")
@click.option("--payload", "payload", metavar="NAME", help="What the pattern is to say; alone: what that payload says.")
@json_option
def command(names: tuple[str, ...], query: str, payload: str | None, as_json: bool) -> int:
    """What patterns and payloads there are; with NAME (or a template file), what that one makes of a query.

    \b
    darnel patterns zero-width
    darnel patterns --payload authority
    darnel patterns echo:3 --payload authority
    darnel patterns ./my-pattern.toml:3 --query "Who may enter the hangar?"
    """
    from darnel.cli.tables import print_json, print_table
    from darnel.patterns.payloads.registry import known_payloads, parse_payloads
    from darnel.patterns.registry import known_patterns, parse_doses

    said = parse_payloads([] if payload is None else [payload])
    if names:
        return _show(parse_doses(names, controls=False, payloads=said), query, as_json)
    if said:
        return _show_payloads(said, as_json)
    patterns = [describe(pattern, pattern.default_strength) for pattern in known_patterns().values()]
    payloads = [describe_payload(item) for item in known_payloads().values()]
    if as_json:
        print_json([*patterns, *payloads])
    else:
        heads = ["pattern", "default strength", "what it counts", "what it does"]
        print_table(heads, ((r["name"], r["strength"], r["counts"], r["summary"]) for r in patterns))
        heads = ["payload", "plants", "what shows that it was obeyed", "what it says"]
        print_table(heads, ((r["name"], r["plants"], GOALS[r["goal"]], r["summary"]) for r in payloads))
    return 0


def describe(pattern: Any, strength: int) -> dict[str, Any]:
    """What is known of a pattern."""
    from darnel.core.pattern import about

    said = about(pattern)
    return {
        "kind": "pattern",
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


def describe_payload(payload: Payload) -> dict[str, Any]:
    """What is known of a payload."""
    return {
        "kind": "payload",
        "name": payload.name,
        "family": payload.family,
        "references": list(payload.references),
        "goal": payload.goal,
        "forms": list(payload.forms),
        "plants": payload.parts,
        "summary": payload.summary,
    }


def _show_payloads(said: list[Payload], as_json: bool) -> int:
    from darnel.cli.tables import print_json
    from darnel.core.plant import make_marker
    from darnel.reports.escape import visible

    shown = []
    for payload in said:
        markers = [make_marker(0, payload.name, part) for part in range(payload.parts)]
        texts = [payload.say(markers, part) for part in range(payload.parts)]
        shown.append({**describe_payload(payload), "texts": texts})
    if as_json:
        print_json(shown)
        return 0
    for item in shown:
        click.echo(f"{item['name']}\n  {item['summary']}\n  obeyed where {GOALS[item['goal']]}")
        if item["forms"]:
            click.echo(f"  where the marker also counts {', '.join(item['forms'])}")
        if item["references"]:
            click.echo(f"  references: {'; '.join(item['references'])}")
        click.echo("\n".join(f"  text:  {visible(text, 2_000)}" for text in item["texts"]))
    return 0


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

    payload = dose.payload
    markers = [make_marker(0, dose.label, query, part) for part in range(payload.parts if payload else 1)]
    request = CraftRequest(
        *(query, dose.strength, 0, markers[0], default_carrier, EXAMPLE_PASSAGES, random.Random(0)),
        others=EXAMPLE_OTHERS,
        translations=("¿Cuánto tiempo puede estar de servicio un piloto?",),
        template={"title": "", "tags": ""},
        says=payload.say(markers) if payload else None,
    )
    made = dose.pattern.craft(request)
    made = Crafted(made) if isinstance(made, str) else made
    words, body = len(made.text.split()), len(request.body.split())
    carried = body if request.body in made.text else min(body, words) if dose.pattern.is_control else 0
    return {
        **describe(dose.pattern, dose.strength),
        "documents": dose.plants,
        "words": words,
        "bait": (words - carried) / words,
        "query": query,
        "text": made.text,
        "metadata": dict(made.metadata),
        "vector_of": list(made.vector_of),
    }
