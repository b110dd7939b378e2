"""``darnel doctor``."""

from __future__ import annotations

import click

from darnel.cli.options import embedder_option, json_option, target_argument

MARKS = {True: "ok", False: "FAIL", None: "warn"}


@click.command("doctor")
@target_argument
@embedder_option
@json_option
def command(target: str, embedder: str | None, as_json: bool) -> int:
    """Look TARGET over before a run, each line with its mend; writes nothing.

    \b
    darnel doctor chroma:./db#docs --embedder wordllama
    """
    from darnel.api import open_target
    from darnel.cli.tables import print_json, print_table
    from darnel.core.corpus import Check

    opened = open_target(target, embedder=embedder, writes=False)
    try:
        where = opened.injector.describe()
        container = Check("container", True, f"{where.backend} {where.container} ({where.identity})")
        versions = Check("versions", True, ", ".join(f"{k} {v}" for k, v in where.versions.items()) or "none to tell")
        checks = [container, versions, *opened.checks()]
    finally:
        opened.close()
    if as_json:
        print_json([{"name": c.name, "ok": c.ok, "detail": c.detail, "mend": c.mend} for c in checks])
    else:
        print_table(["", "check", "found", "mend"], ((MARKS[c.ok], c.name, c.detail, c.mend) for c in checks))
    return 2 if any(c.ok is False for c in checks) else 0
