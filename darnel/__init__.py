"""darnel: plant harmless marked documents in a corpus, see which the retriever serves, take every one out again.

>>> import darnel
>>> results = darnel.run("chroma:./db#docs", queries="questions.txt", embedder="wordllama")  # doctest: +SKIP

Everything below loads on first use: ``import darnel`` alone imports no store, no framework and no numpy.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from darnel.adapters.memory import MemoryCorpus
    from darnel.api import open_target, read_queries, run, run_context
    from darnel.api.auditing import audit_corpus
    from darnel.api.selftest import self_test
    from darnel.core.corpus import (
        Capabilities,
        CorpusDescription,
        CorpusInjector,
        CorpusReader,
        Record,
        Reply,
        Retriever,
        Source,
        Target,
    )
    from darnel.core.document import load_results
    from darnel.core.errors import DarnelError
    from darnel.core.handing.results import HandedResults
    from darnel.core.handing.run import HandingOptions
    from darnel.core.options import RunOptions
    from darnel.core.pattern import CraftRequest, Dose, Pattern
    from darnel.core.payload import Payload
    from darnel.core.plant import Plant, make_plant
    from darnel.core.planting.campaign import Campaign
    from darnel.core.planting.ledger import Ledger
    from darnel.core.queries import Query
    from darnel.core.results import Results
    from darnel.patterns.base import Recipe
    from darnel.tenants.check import check_tenants
    from darnel.tenants.model import TenantOptions, TenantResults

_WHERE = {
    "Campaign": "darnel.core.planting.campaign",
    "Capabilities": "darnel.core.corpus",
    "CorpusDescription": "darnel.core.corpus",
    "CorpusInjector": "darnel.core.corpus",
    "CorpusReader": "darnel.core.corpus",
    "CraftRequest": "darnel.core.pattern",
    "DarnelError": "darnel.core.errors",
    "Dose": "darnel.core.pattern",
    "HandedResults": "darnel.core.handing.results",
    "HandingOptions": "darnel.core.handing.run",
    "Ledger": "darnel.core.planting.ledger",
    "MemoryCorpus": "darnel.adapters.memory",
    "Pattern": "darnel.core.pattern",
    "Payload": "darnel.core.payload",
    "Plant": "darnel.core.plant",
    "Query": "darnel.core.queries",
    "Recipe": "darnel.patterns.base",
    "Record": "darnel.core.corpus",
    "Reply": "darnel.core.corpus",
    "Results": "darnel.core.results",
    "Retriever": "darnel.core.corpus",
    "RunOptions": "darnel.core.options",
    "Source": "darnel.core.corpus",
    "Target": "darnel.core.corpus",
    "TenantOptions": "darnel.tenants.model",
    "TenantResults": "darnel.tenants.model",
    "audit_corpus": "darnel.api.auditing",
    "check_tenants": "darnel.tenants.check",
    "load_results": "darnel.core.document",
    "make_plant": "darnel.core.plant",
    "open_target": "darnel.api",
    "read_queries": "darnel.api",
    "run": "darnel.api",
    "run_context": "darnel.api",
    "self_test": "darnel.api.selftest",
}

__all__ = [
    "Campaign",
    "Capabilities",
    "CorpusDescription",
    "CorpusInjector",
    "CorpusReader",
    "CraftRequest",
    "DarnelError",
    "Dose",
    "HandedResults",
    "HandingOptions",
    "Ledger",
    "MemoryCorpus",
    "Pattern",
    "Payload",
    "Plant",
    "Query",
    "Recipe",
    "Record",
    "Reply",
    "Results",
    "Retriever",
    "RunOptions",
    "Source",
    "Target",
    "TenantOptions",
    "TenantResults",
    "audit_corpus",
    "check_tenants",
    "load_results",
    "make_plant",
    "open_target",
    "read_queries",
    "run",
    "run_context",
    "self_test",
]


def _shown_in_notebook(results: Any) -> str:
    """What ``darnel.core.display`` asks for."""
    shown: str = importlib.import_module("darnel.reports.notebook").render_notebook(results)
    return shown


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from darnel.core.version import darnel_version

        return darnel_version()
    if name not in _WHERE:
        raise AttributeError(f"module 'darnel' has no attribute '{name}'")
    value = getattr(importlib.import_module(_WHERE[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
