"""``darnel tenants``."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from darnel.cli.app_options import app_options, asking_options
from darnel.cli.options import (
    embedder_option,
    hosts_option,
    json_option,
    ledger_option,
    option,
    parse_metadata,
    target_argument,
)

if TYPE_CHECKING:
    from darnel.tenants.model import TenantResults


@click.command("tenants")
@target_argument
@option("--tenants", metavar="A,B", help="Their names; NAME=VALUE where the records hold another value.")
@option("--tenant-key", metavar="KEY", help="The metadata key that says whose a record is.")
@option("--ask", metavar="MODULE:FUNCTION", help="Asks the application: function(question, tenant).")
@click.option(
    "--queries", "questions", metavar="FILE", help="Questions (default: three on invented subjects); - reads stdin."
)
@embedder_option
@option(
    "--flood",
    type=click.IntRange(1, 10_000),
    default=60,
    show_default=True,
    help="Documents that another tenant puts in front of each question.",
)
@option("--metadata", multiple=True, metavar="KEY=VALUE", help="Metadata for every plant, over what the corpus shows.")
@option("--accept", multiple=True, metavar="CHECK", help="Go on although this check of doctor fails.")
@option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Same seed: same markers.")
@option(
    "--visible-within", type=click.FloatRange(0), default=10.0, show_default=True, help="Seconds to wait for plants."
)
@option(
    "--gone-within", type=click.FloatRange(0), default=10.0, show_default=True, help="Seconds to wait for removals."
)
@asking_options
@json_option
@ledger_option
@hosts_option
def command(target: str, as_json: bool, **given: Any) -> int:
    """Plant under each tenant of TARGET, ask as each, and find what one is served of another's.

    TARGET holds the records of all tenants, told apart by --tenant-key; or it has {tenant} in it, and each has its own.

    \b
    darnel tenants chroma:./db#docs --tenant-key tenant --tenants acme,globex --ask myapp.rag:ask_as --embedder myapp.rag:embed
    darnel tenants 'chroma:./db?tenant={tenant}#docs' --tenants acme,globex --embedder wordllama
    """
    from darnel.adapters.python.load import load_object
    from darnel.cli.progress import say
    from darnel.cli.questions import read_query_option
    from darnel.core.errors import UsageError
    from darnel.tenants.check import check_tenants
    from darnel.tenants.model import TenantOptions
    from darnel.tenants.texts import DEFAULT_QUESTIONS

    if not given["tenants"]:
        raise UsageError("name the tenants with --tenants A,B")
    results = check_tenants(
        target,
        read_tenants(given["tenants"]),
        None if given["ask"] is None else load_object(given["ask"], "--ask"),
        key=given["tenant_key"],
        queries=DEFAULT_QUESTIONS if given["questions"] is None else read_query_option(given["questions"], ()),
        embedder=given["embedder"],
        ledger=given["ledger"],
        options=TenantOptions(
            **{name: given[name] for name in ("flood", "seed", "accept", "visible_within", "gone_within")},
            metadata=parse_metadata(given["metadata"]),
            notify=say,
        ),
        allow_hosts=given["allow_hosts"],
        app=app_options(given),
    )
    _show(results, as_json=as_json)
    return results.exit_code


def read_tenants(text: str) -> Any:
    """Names, or a mapping from names to the values of the key."""
    parts = [part.strip() for part in text.split(",") if part.strip()]
    if not any("=" in part for part in parts):
        return parts
    return parse_metadata([part if "=" in part else f"{part}={part}" for part in parts], "--tenants")


def _show(results: TenantResults, *, as_json: bool) -> None:
    if as_json:
        from darnel.reports.escape import json_visible

        click.echo(json_visible(results.to_json().decode()), nl=False)
        return
    from rich.console import Console

    from darnel.cli.output import WIDTH_ELSEWHERE
    from darnel.reports.tenants import print_tenants

    print_tenants(results, Console(width=None if sys.stdout.isatty() else WIDTH_ELSEWHERE, highlight=False))
