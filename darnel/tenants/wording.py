"""Results in words."""

from __future__ import annotations

from collections.abc import Iterable

from darnel.tenants.model import CHECKS, TenantResults, TenantRow

SHOWN = 3
"""Rows of one check that are shown; the results have all."""


def verdict(results: TenantResults) -> str:
    """The result in one sentence."""
    breaches, told = len(results.rows_of("breach")), sum(s.breaches.n for s in results.scores)
    if results.leftovers:
        return f"{len(results.leftovers)} plants may be left behind; run: darnel sweep"
    if breaches:
        return f"Not isolated: {breaches} of {told} questions as one tenant touched another's documents."
    if results.interrupted:
        return "Interrupted, so nothing is proved; no document of another tenant came back so far."
    if results.exit_code:
        return (
            f"Could not tell: of {len(results.rows)} questions {len(results.rows_of('inconclusive'))} are inconclusive."
        )
    return f"Isolated: {told} questions as {len(results.tenants)} tenants brought no document of another."


def example_lines(rows: Iterable[TenantRow]) -> list[str]:
    """The first rows of each check in words."""
    lines = []
    ordered = list(rows)
    for check in CHECKS:
        found = [row for row in ordered if row.check == check]
        lines += [f"{check}, as {r.tenant}: {r.asked!r}: {r.detail}" for r in found[:SHOWN]]
        if len(found) > SHOWN:
            lines.append(f"{check}: and {len(found) - SHOWN} more")
    return lines
