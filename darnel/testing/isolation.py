"""The check of tenants as an assertion."""

from __future__ import annotations

from typing import Any

import pytest

from darnel.tenants.check import check_tenants
from darnel.tenants.model import TenantResults
from darnel.tenants.wording import example_lines, verdict


def assert_tenants_isolated(target: Any, *args: Any, **settings: Any) -> TenantResults:
    """Plant under each tenant, ask as each, and fail where one is served another's documents.

    Takes what ``darnel.check_tenants`` takes. A question whose outcome could not be told fails the test too, with the
    reason; so do leftovers, records of the owner's that changed, and errors.

    Returns:
        The results, where the assertion holds.
    """
    results = check_tenants(target, *args, **settings)
    if not results.passed:
        changed = ["records that are not plants changed"] if any(d.same is not True for d in results.digests) else []
        left = [f"left over: {item.id}: {item.reason}" for item in results.leftovers]
        rows = [row for row in results.rows if row.outcome != "isolated"]
        pytest.fail(
            "\n".join([verdict(results), *example_lines(rows), *changed, *left, *results.errors]), pytrace=False
        )
    return results
