"""pytest plugin, found through its entry point: plant into your corpus from a test, or assert that nothing is exposed.

It is loaded by every pytest run of an environment that has darnel, so it imports nothing of darnel until a fixture is used.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from darnel.core.planting.ledger import Ledger
    from darnel.core.results import Results
    from darnel.tenants.model import TenantResults
    from darnel.testing.planted import PlantedCorpus

_PLANTED = pytest.StashKey[list["PlantedCorpus"]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Options of the conformance suite."""
    parser.getgroup("darnel").addoption(
        "--darnel-examples", type=int, metavar="N", help="Random histories that the conformance suite tries."
    )


@pytest.fixture
def darnel_ledger() -> Iterator[Ledger]:
    """The journal that ``darnel status`` and ``sweep`` read: ``$DARNEL_LEDGER``, else ``.darnel/ledger.db``.

    Override it to keep the journal elsewhere; after a test run that was killed, it is what finds the plants.
    """
    from darnel.core.planting.ledger import Ledger

    with Ledger() as ledger:
        yield ledger


@pytest.fixture
def corpus_campaign(request: pytest.FixtureRequest, darnel_ledger: Ledger) -> Iterator[Callable[..., PlantedCorpus]]:
    """``corpus_campaign(target, embedder=...)`` opens a corpus to plant into; see ``PlantedCorpus``.

    When the test ends, however it ends, every plant is removed and its absence read back; a leftover fails the test.
    """
    from darnel.testing.planted import PlantedCorpus

    opened: list[PlantedCorpus] = []
    request.node.stash[_PLANTED] = opened

    def open_corpus(target: Any, **settings: Any) -> PlantedCorpus:
        corpus = PlantedCorpus(target, darnel_ledger, **settings)
        opened.append(corpus)
        return corpus

    yield open_corpus
    if leftovers := _finish(opened):  # only what the test's own end, below, did not reach
        pytest.fail(leftovers)


@pytest.fixture
def assert_not_exposed(darnel_ledger: Ledger) -> Callable[..., Results]:
    """``assert_not_exposed(target, queries, k)`` runs mode A and fails where a plant is among the first k sources.

    See ``darnel.testing.exposure.assert_not_exposed`` for the rest of its arguments.
    """
    from functools import partial

    from darnel.testing.exposure import assert_not_exposed as check

    return partial(check, ledger=darnel_ledger)


@pytest.fixture
def assert_tenants_isolated(darnel_ledger: Ledger) -> Callable[..., TenantResults]:
    """``assert_tenants_isolated(target, tenants, ask)`` fails where one tenant is served another's documents.

    See ``darnel.check_tenants`` for the rest of its arguments.
    """
    from functools import partial

    from darnel.testing.isolation import assert_tenants_isolated as check

    return partial(check, ledger=darnel_ledger)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """Clean up while the test can still fail, so that a leftover is a failed test and not an error after a passed one."""
    try:
        result = yield
    except BaseException as error:
        if leftovers := _finish(item.stash.get(_PLANTED, [])):
            error.add_note(leftovers)
        raise
    if leftovers := _finish(item.stash.get(_PLANTED, [])):
        pytest.fail(leftovers, pytrace=False)
    return result


def _finish(corpora: list[PlantedCorpus]) -> str:
    """Close them, the last first; one line for each plant left over."""
    lines = []
    while corpora:
        lines.extend(corpora.pop().finish())
    return "\n".join(lines)
