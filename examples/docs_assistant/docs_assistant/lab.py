"""The whole lab on one store: the 14 cases, what the controls do not stop, and the isolation of the tenants."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec

from darnel.adapters.apps.pace import Pace
from darnel.core.corpus import Reply, Target
from darnel.core.errors import UsageError
from darnel.core.planting.ledger import Ledger
from darnel.embedders.base import Embedder
from darnel.embedders.resolve import resolve_embedder
from darnel.models.base import ChatModel
from darnel.tenants.check import check_tenants
from darnel.tenants.model import TenantResults
from darnel.tenants.texts import DEFAULT_QUESTIONS
from docs_assistant.assistant import Assistant
from docs_assistant.cases import all_cases, indirect
from docs_assistant.controls import ABLATED, MODES
from docs_assistant.evaluate import Bench, Evaluation, Outcome, ask_only, evaluate, issue_keys
from docs_assistant.obliging import Obliging
from docs_assistant.pages import Asked, Documentation
from docs_assistant.stores import Search, in_store
from docs_assistant.tenancy import VISIBLE, Keyring

PACKAGES = {"chroma": "chromadb", "qdrant": "qdrant_client"}
INSTALL = "pip install '.[demo,qdrant]'"
SCOPES: Mapping[str, Mapping[str, str]] = {
    tenant: {"tenant": tenant, "section": sections[0]} for tenant, sections in VISIBLE.items()
}
"""What makes a record a tenant's own."""


@dataclass(frozen=True, slots=True)
class Run:
    """What came of one store. ``ablated``: the mitigated mode with one control off, beside both modes; ``off_topic``: the
    same modes, where injected passages say nothing but what they ask for. ``beyond``: injected passages that copy the page
    which answers, and a model that hides in its answer what it is asked to say. ``tenants``: None where it was interrupted."""

    evaluation: Evaluation
    ablated: Sequence[Outcome] = ()
    off_topic: Sequence[Outcome] = ()
    beyond: Sequence[Outcome] = ()
    tenants: TenantResults | None = None


def embedder() -> Embedder:
    """The small embedder that needs no network.

    Raises:
        UsageError: it is not installed.
    """
    if not find_spec("wordllama"):
        raise UsageError(f"the lab needs the embedder wordllama: {INSTALL}")
    return resolve_embedder("wordllama")


def run_store(
    store: str,
    docs: Documentation,
    model: ChatModel,
    modes: Sequence[str],
    ledger: Ledger,
    *,
    timeout: float = 20.0,
    ablate: bool = False,
) -> Run:
    """Fill a store, and run everything on it; with ``ablate``, the mitigated mode also with each control off.

    Raises:
        UsageError: the store's package is not installed.
    """
    if not find_spec(PACKAGES[store]):
        raise UsageError(f"{store} is not installed: {INSTALL}")
    vectors, keyring = embedder(), Keyring()
    keys = issue_keys(keyring, list(VISIBLE))
    with in_store(store, list(docs.chunks()), vectors) as filled:

        def make(mode: str, model: ChatModel = model) -> Assistant:
            return Assistant(keyring, filled.search, model, vectors, {**MODES, **ABLATED}[mode])

        pace = Pace(jobs=1, timeout=timeout, retries=0)
        bench = Bench(docs, all_cases(docs), make, keys, pace)
        wanted = [*modes, *(ABLATED if ablate else ())]
        evaluation = evaluate(store, filled.target, wanted, bench, ledger)
        outcomes, evaluation.outcomes = evaluation.outcomes, evaluation.outcomes[: len(modes)]
        if evaluation.interrupted:
            return Run(evaluation)
        bare = replace(bench, cases=list(indirect(docs, lambda _asked: "")))
        hidden = replace(bench, cases=list(indirect(docs, _copy_of(docs))), make=lambda mode: make(mode, Obliging()))
        return Run(
            evaluation,
            outcomes if ablate else (),
            ask_only(wanted, bare) if ablate else (),
            ask_only(modes, hidden),
            check_isolation(filled.search, filled.target, vectors, ledger),
        )


def _copy_of(docs: Documentation) -> Callable[[Asked], str]:
    """What an attacker writes who has read the page: its own first chunk."""
    first = {str((c.metadata or {})["page"]): c.text or "" for c in reversed(list(docs.chunks()))}
    return lambda asked: first[asked.page]


def check_isolation(search: Search, target: Target, vectors: Embedder, ledger: Ledger) -> TenantResults:
    """darnel's check of tenants on the assistant's retrieval, each tenant with a key of its own."""
    keyring = Keyring()
    keys = issue_keys(keyring, list(VISIBLE))
    assistant = Assistant(keyring, search, Obliging(), vectors, MODES["mitigated"])

    def ask(question: str, tenant: str) -> Reply:
        return Reply(tuple(assistant.retrieve(keys[tenant], question)), searched=True)

    return check_tenants(target, SCOPES, ask, queries=DEFAULT_QUESTIONS[:1], ledger=ledger)
