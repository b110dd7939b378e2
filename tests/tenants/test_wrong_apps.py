"""On real stores: the right application passes, and each wrong one fails by the check that is made for it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import darnel
from darnel.core.planting.ledger import Ledger
from darnel.tenants.model import CHECKS, TenantResults
from tests.tenants.apps import WRONG, Filtered
from tests.tenants.houses import EMBEDDER, HOUSES, KEY, TENANTS, House


@pytest.fixture(params=HOUSES)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def house(kind: str, tmp_path: Path) -> Iterator[House]:
    with HOUSES[kind](tmp_path / "db") as built:
        yield built


def check(house: House, app: object, kind: str, ledger: Ledger) -> TenantResults:
    before = house.records()
    results = darnel.check_tenants(
        house.target,
        TENANTS,
        app,
        key=KEY,
        embedder=EMBEDDER.get(kind),
        ledger=ledger,  # type: ignore[arg-type]
    )
    assert house.records() == before
    assert results.cleanup.planted == results.cleanup.removed > 0
    assert results.leftovers == results.errors == []
    assert all(d.same for d in results.digests)
    assert ledger.campaigns(unfinished=True) == []
    return results


def test_an_app_that_lets_the_store_filter_passes(house: House, kind: str, ledger: Ledger) -> None:
    results = check(house, Filtered(house), kind, ledger)
    assert (results.exit_code, results.rows_of("breach"), results.rows_of("inconclusive")) == (0, [], [])
    assert [s.check for s in results.scores] == list(CHECKS)
    assert all(s.breaches.n and s.breaches.high is not None for s in results.scores)


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_app_fails_by_the_check_that_is_made_for_it(house: House, kind: str, name: str, ledger: Ledger) -> None:
    app, expected = WRONG[name]
    results = check(house, app(house), kind, ledger)
    assert results.exit_code == 1
    assert {row.check for row in results.rows_of("breach")} == expected
    assert all(row.detail for row in results.rows_of("breach"))
