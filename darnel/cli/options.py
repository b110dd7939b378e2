"""Options that several commands share, each in one place with its environment variable and settings key."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

import click

from darnel.cli.numbers import shares, whole_numbers
from darnel.core.errors import UsageError

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]

SETTINGS = {
    "accept": "accept",
    "all-stores": "all_stores",
    "allow-host": "allow_hosts",
    "allow-model": "allow_model",
    "allowed-rise": "allowed_rise",
    "answer-path": "answer_path",
    "answers": "answers",
    "baseline": "baseline",
    "budget": "budget",
    "canary": "canary",
    "carrier-words": "carrier_words",
    "copies": "copies",
    "corpus-share": "shares",
    "embedder": "embedder",
    "fail-on": "gates",
    "full-digest": "full_digest",
    "gone-within": "gone_within",
    "header": "headers",
    "input": "input",
    "into": "into",
    "isolation": "isolation",
    "jobs": "jobs",
    "k": "k",
    "ledger": "ledger",
    "max-inconclusive": "max_inconclusive",
    "metadata": "metadata",
    "mode": "mode",
    "out": "out",
    "output": "outputs",
    "pattern": "patterns",
    "payload": "payloads",
    "qrels": "qrels",
    "queries": "queries",
    "reach": "reach",
    "retries": "retries",
    "retriever": "retrievers",
    "seed": "seed",
    "sources-path": "sources_path",
    "store": "store",
    "strengths": "strengths",
    "timeout": "timeout",
    "transfer": "transfer",
    "visible-within": "visible_within",
}
"""Settings key → parameter name."""
REPEATED = frozenset(
    {"accept", "allow-host", "fail-on", "header", "metadata", "output", "pattern", "payload", "qrels", "retriever"}
)
"""Settings that may be given several times."""


def option(*names: str, **settings: Any) -> Decorator:
    """An option of click's that is also read from ``DARNEL_NAME``."""
    variable = "DARNEL_" + next(n for n in names if n.startswith("--"))[2:].upper().replace("-", "_")
    return click.option(*names, envvar=variable, show_envvar=False, **settings)


def bundle(*decorators: Decorator) -> Decorator:
    """Several options as one decorator, in the order in which help shows them."""

    def apply(function: Callable[..., Any]) -> Callable[..., Any]:
        for decorator in reversed(decorators):
            function = decorator(function)
        return function

    return apply


def parse_metadata(given: Sequence[str], name: str = "--metadata") -> dict[str, Any]:
    """``KEY=VALUE`` pairs; a value that reads as a JSON number, boolean or list is one, anything else is text.

    Raises:
        UsageError: there is no ``=``.
    """
    metadata: dict[str, Any] = {}
    for pair in given:
        key, equals, value = pair.partition("=")
        if not equals or not key:
            raise UsageError(f"{name} {pair}: write KEY=VALUE, for instance {name} tenant=acme")
        try:
            parsed = json.loads(value)
        except json.JSONDecodeError:
            parsed = value
        metadata[key] = parsed if isinstance(parsed, str | int | float | bool | list) else value
    return metadata


def refuse_two_bodies(given: dict[str, Any]) -> None:
    """A payload stands in the carrier's place and has a length of its own.

    Raises:
        UsageError: both are given.
    """
    if given["payloads"] and given["carrier_words"]:
        raise UsageError("a payload stands in the carrier's place; leave --carrier-words or --payload away")


target_argument = click.argument("target")

json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON on standard output, and nothing else.")

ledger_option = option("--ledger", type=click.Path(dir_okay=False), help="The journal (default .darnel/ledger.db).")

hosts_option = option(
    "--allow-host",
    "allow_hosts",
    multiple=True,
    metavar="HOST",
    help="A host of yours, other than this machine, to write to.",
)

embedder_option = option(
    "--embedder", metavar="SPEC", help="The application's embedder: wordllama, or module:attr from this folder."
)

outputs_option = option(
    "-o",
    "--output",
    "outputs",
    multiple=True,
    metavar="[FORMAT:]FILE",
    help="Write a report there, by its ending: .html .md .json .jsonl .csv .xml (JUnit) .sarif; may be repeated.",
)

query_options = bundle(
    option(
        "--queries", metavar="FILE", help="Questions: BEIR or other JSONL, CSV, or a question a line; - reads stdin."
    ),
    option(
        "--qrels",
        multiple=True,
        metavar="FILE",
        help="Judgments (BEIR qrels TSV); found beside a BEIR file by themselves.",
    ),
)

plant_options = bundle(
    option(
        "-p",
        "--pattern",
        "patterns",
        multiple=True,
        metavar="NAME[:N,N]",
        help="Pattern and strengths (echo:1,3,5), a template file, or all; see: darnel patterns.",
    ),
    option(
        "--payload",
        "payloads",
        multiple=True,
        metavar="NAME",
        help="What plants say in the place of the carrier, a request for their marker; or all; see: darnel patterns.",
    ),
    option(
        "--strengths",
        callback=whole_numbers(1, 1_000),
        metavar="N,N",
        help="Strengths of every pattern that names none: a curve, not one number.",
    ),
    option(
        "--copies",
        callback=whole_numbers(1, 100),
        metavar="N,N",
        help="How often each document is planted, of every pattern that names none (echo*5:3).",
    ),
    option(
        "--carrier-words",
        callback=whole_numbers(4, 2_000),
        metavar="N,N",
        help="Length of the carrier (default 34); several make a run each, and a curve.",
    ),
    option("--budget", type=click.IntRange(1), metavar="N", help="Plants of the run at most; says what was left out."),
    option(
        "--seed",
        type=click.IntRange(0),
        default=0,
        show_default=True,
        help="Same seed, corpus and questions: same results.",
    ),
    option(
        "--metadata", multiple=True, metavar="KEY=VALUE", help="Metadata for every plant, over what the corpus shows."
    ),
    option(
        "--accept", multiple=True, metavar="CHECK", help="Go on although this check of doctor fails, and warn of it."
    ),
    option(
        "--visible-within",
        type=click.FloatRange(0),
        default=10.0,
        show_default=True,
        help="Seconds to wait for plants.",
    ),
    option(
        "--gone-within", type=click.FloatRange(0), default=10.0, show_default=True, help="Seconds to wait for removals."
    ),
)

mode_options = bundle(
    option(
        "--mode",
        type=click.Choice(["corpus", "context"]),
        default="corpus",
        show_default=True,
        help="corpus: plant and ask. context: hand payloads straight to what answers from passages; tests no retriever.",
    ),
    option("--canary", metavar="TOKEN", help="A harmless secret you put into the prompt (--mode context)."),
)

baseline_options = bundle(
    option(
        "--baseline",
        type=click.Path(dir_okay=False),
        metavar="FILE",
        help="An earlier results.json: fail where a pattern's exposure@k rose over it by more than chance.",
    ),
    option(
        "--allowed-rise",
        type=click.FloatRange(0, 1),
        default=0.05,
        show_default=True,
        help="Share of the questions by which it may have risen.",
    ),
)

run_options = bundle(
    option(
        "--k",
        callback=whole_numbers(1, 1_000),
        metavar="N,N",
        help="Sources the application reads (its retriever's k, else 5); exposure at the further ones too.",
    ),
    option(
        "--reach",
        type=click.FloatRange(0, 1, min_open=True),
        default=0.5,
        show_default=True,
        help="The exposure for which the smallest dose is named.",
    ),
    option(
        "--isolation",
        type=click.Choice(["pattern", "query", "together"]),
        default="pattern",
        show_default=True,
        help="What is planted at once: a pattern, a pattern for one question, or all.",
    ),
    option("--fail-on", "gates", multiple=True, metavar="COND", help="Fail where it holds, e.g. 'exposure@5 > 0.2'."),
    option(
        "--max-inconclusive",
        type=click.FloatRange(0, 1),
        default=0.0,
        show_default=True,
        help="Share of a pattern's queries that may be inconclusive before the run counts as untestable.",
    ),
    option(
        "--retriever",
        "retrievers",
        multiple=True,
        metavar="NAME",
        help="Who answers: own, bm25, counts, dense, hybrid, with defences (own+trust+dedupe); several are compared.",
    ),
    option(
        "--corpus-share",
        "shares",
        callback=shares,
        metavar="N%,N%",
        help="Rank this share of the records only, with a --retriever of darnel's; several make a run each, and a curve.",
    ),
    option("--transfer", is_flag=True, help="Ask each question's paraphrases too, which no plant is made for."),
    option("--full-digest", is_flag=True, help="Digest every record, however many there are."),
    option("--out", type=click.Path(file_okay=False), metavar="DIR", help="Write results.json and report.md there."),
    outputs_option,
)
