"""The conformance suite for adapters, and the pytest plugin; needs ``pip install 'darnel[testing]'``.

>>> from darnel.testing import ConformanceFixtures, ConformanceSuite  # doctest: +SKIP
>>> class TestMyStore(MyFixtures, ConformanceSuite): ...  # doctest: +SKIP

``MyFixtures`` is a ``ConformanceFixtures`` that you fill in: a store with records in it, how to open your adapter on it,
and a witness that reads it without your adapter.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from darnel.testing.declared import Declared
    from darnel.testing.embedding import word_embedder
    from darnel.testing.exposure import assert_not_exposed
    from darnel.testing.fixtures import App, ConformanceFixtures
    from darnel.testing.isolation import assert_tenants_isolated
    from darnel.testing.planted import PlantedCorpus
    from darnel.testing.suite import PROMISES, ConformanceSuite
    from darnel.testing.witness import Witness

_WHERE = {
    "App": "fixtures",
    "ConformanceFixtures": "fixtures",
    "ConformanceSuite": "suite",
    "Declared": "declared",
    "PROMISES": "suite",
    "PlantedCorpus": "planted",
    "Witness": "witness",
    "assert_not_exposed": "exposure",
    "assert_tenants_isolated": "isolation",
    "word_embedder": "embedding",
}
_PROMISES = {
    "Batches": "batches",
    "Campaigns": "campaigns",
    "Concurrency": "concurrency",
    "Containers": "containers",
    "Describing": "describing",
    "ForeignRecords": "foreign",
    "Histories": "histories",
    "Injecting": "injecting",
    "Likeness": "likeness",
    "Neighbours": "neighbours",
    "Reading": "reading",
    "Recovery": "recovery",
    "Removing": "removing",
    "RestOfCorpus": "corpus",
    "Scanning": "scanning",
    "Texts": "texts",
    "Vectors": "vectors",
    "Visibility": "visibility",
}

# so that a failing promise shows both sides of its assertion
pytest.register_assert_rewrite(
    *(
        f"{__name__}.{module}"
        for module in ("scenarios", "machine", *_WHERE.values(), *_PROMISES.values())
        if module != "suite"
    )
)

__all__ = [
    "PROMISES",
    "App",
    "ConformanceFixtures",
    "ConformanceSuite",
    "Declared",
    "PlantedCorpus",
    "Witness",
    "assert_not_exposed",
    "assert_tenants_isolated",
    "word_embedder",
]


def __getattr__(name: str) -> Any:
    """Load on first use: the plugin is imported by every pytest run, and must not bring hypothesis or numpy along."""
    module = "suite" if name in _PROMISES else _WHERE.get(name)  # from the suite, so that the guard knows all of them
    if module is None:
        raise AttributeError(f"module 'darnel.testing' has no attribute '{name}'")
    return getattr(importlib.import_module(f"darnel.testing.{module}"), name)


def __dir__() -> list[str]:
    return sorted([*__all__, *_PROMISES])
