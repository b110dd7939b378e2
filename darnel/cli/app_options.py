"""Options for targets that are applications: where to plant, and how to ask."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from darnel.cli.options import bundle, option

if TYPE_CHECKING:
    from darnel.adapters.apps.options import AppOptions

NAMES = (
    "jobs",
    "timeout",
    "retries",
    "answers",
    "allow_model",
    "input",
    "store",
    "into",
    "answer_path",
    "sources_path",
    "headers",
)

store_options = bundle(
    option("--into", metavar="TARGET", help="Where to plant, for an application whose store darnel cannot find."),
    option("--store", metavar="PATH", help="Which of the stores found in the application, by its path."),
)

all_stores_option = option("--all-stores", is_flag=True, help="The whole run once for each store found.")

asking_options = bundle(
    option("--jobs", type=click.IntRange(1, 256), default=4, show_default=True, help="Questions asked at once."),
    option(
        "--timeout",
        type=click.FloatRange(0, min_open=True),
        default=60.0,
        show_default=True,
        help="Seconds for each call of the application.",
    ),
    option(
        "--retries",
        type=click.IntRange(0, 20),
        default=2,
        show_default=True,
        help="Further tries of a call that fails.",
    ),
    option(
        "--answers", is_flag=True, help="Let the model answer; else the run stops before the model and spends nothing."
    ),
    option("--allow-model", is_flag=True, help="Let models be called that are needed before that, such as a router."),
    option("--input", metavar="JSON", help='What the application takes, e.g. \'{"question": "{query}"}\'.'),
    option("--answer-path", metavar="JMESPATH", help="Where the answer is in what it returns."),
    option("--sources-path", metavar="JMESPATH", help="Where the sources are in what it returns."),
    option(
        "--header",
        "headers",
        multiple=True,
        metavar="NAME=$VARIABLE",
        help="HTTP header with a value from the environment.",
    ),
)


def app_options(given: Mapping[str, Any]) -> AppOptions:
    """How to ask, from a command's options; those that a command does not have keep their defaults."""
    from darnel.adapters.apps.options import AppOptions

    return AppOptions(**{name: given[name] for name in NAMES if name in given})
