"""``darnel.check_tenants``: from targets, names and a function to tenants that can be asked."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from typing import Any

from darnel.adapters.apps.options import DEFAULT_APP, AppOptions
from darnel.adapters.python.call import python_target
from darnel.adapters.python.load import takes
from darnel.api import open_target, read_queries
from darnel.core.corpus import Target
from darnel.core.errors import UsageError
from darnel.core.plant import MetaValue
from darnel.core.planting.ledger import Ledger
from darnel.core.queries import Query
from darnel.tenants.model import Tenant, TenantOptions, TenantResults
from darnel.tenants.run import run_tenants
from darnel.tenants.texts import DEFAULT_QUESTIONS

Ask = Callable[[Any, str], Any]
"""A question and a tenant's name in; what ``python:`` targets return out: an answer, sources, or both; may be async."""
Scopes = Iterable[str] | Mapping[str, MetaValue | Mapping[str, MetaValue]]
HOLDER = "{tenant}"
"""Stands for the tenant's name in a target spec."""


def check_tenants(
    target: Any,
    tenants: Scopes = (),
    ask: Ask | None = None,
    *,
    key: str | None = None,
    queries: str | os.PathLike[str] | Iterable[str | Query | Mapping[str, Any]] = DEFAULT_QUESTIONS,
    embedder: object = None,
    ledger: str | os.PathLike[str] | Ledger | None = None,
    options: TenantOptions | None = None,
    allow_hosts: Collection[str] = (),
    app: AppOptions = DEFAULT_APP,
) -> TenantResults:
    """Plant under each tenant, ask as each, and find what one is served of another's. See ``docs/tenants.md``.

    Args:
        target: where records lie; see ``darnel.open_target``. Where each tenant has a place of its own: a spec with
            ``{tenant}`` in it, or a mapping from tenant to target.
        tenants: their names; or a mapping from each name to the value of ``key``, or to all the metadata, that makes a
            record its own. May be left out where ``target`` is a mapping.
        ask: asks the application in a tenant's name. May be left out where each tenant has a target of its own that can
            be searched, such as a retriever with a filter.
        key: the metadata key that holds the tenant.
        queries: a query file, or questions; three on invented subjects by default.
        embedder: the application's; see ``darnel.open_target``.
        ledger: the journal; ``$DARNEL_LEDGER`` or ``.darnel/ledger.db`` by default.
        options: everything else.
        allow_hosts: hosts other than this machine that may be written to.
        app: how the function is asked: jobs, timeout, retries, input, and paths in what it returns.

    Raises:
        DarnelError: what cannot be tested, and what to do; nothing is left behind.
    """
    asked = read_queries(queries)
    chosen = options or TenantOptions()
    chosen = replace(chosen, key=chosen.key or key)
    names = tuple(target) if isinstance(target, Mapping) else ()
    scopes = _scopes(tenants or names, key)
    if ask is not None:
        _check_ask(ask)
    with ExitStack() as stack:

        def opened(given: Any) -> Target:
            place = open_target(given, embedder=embedder, allow_hosts=allow_hosts)
            stack.callback(place.close)
            return place

        places = _places(target, scopes, opened)
        if ask is None and len({id(place) for place in places.values()}) < len(places):
            raise UsageError("say how the application is asked in a tenant's name, with a function (question, tenant)")
        made = [Tenant(name, places[name], scope, _app(name, places[name], ask, app)) for name, scope in scopes.items()]
        journal = ledger if isinstance(ledger, Ledger) else stack.enter_context(Ledger(ledger))
        return run_tenants(made, asked, chosen, journal)


def _places(target: Any, scopes: Iterable[str], opened: Callable[[Any], Target]) -> dict[str, Target]:
    """Each tenant's place."""
    if isinstance(target, Mapping):
        if missing := [name for name in scopes if name not in target]:
            raise UsageError(f"there is no target for the tenant '{missing[0]}'; give each one, or leave it out")
        return {name: opened(target[name]) for name in scopes}
    if isinstance(target, str) and HOLDER in target:
        return {name: opened(target.replace(HOLDER, name)) for name in scopes}
    return dict.fromkeys(scopes, opened(target))


def _scopes(tenants: Scopes, key: str | None) -> dict[str, dict[str, MetaValue]]:
    """Tenant → what makes a record its own; nothing, where its place alone does."""
    tenants = tenants if isinstance(tenants, str | Mapping) else list(tenants)
    if isinstance(tenants, str) or not all(isinstance(name, str) and name.strip() for name in tenants):
        raise UsageError(f"tenants are a list of names, or a mapping from each name, not {tenants!r}")
    if not isinstance(tenants, Mapping):
        return {name: {} if key is None else {key: name} for name in tenants}
    if key is None and not all(isinstance(given, Mapping) for given in tenants.values()):
        raise UsageError("which metadata key holds the tenant? Name it with key=, or give each tenant's whole metadata")
    return {name: dict(given) if isinstance(given, Mapping) else {str(key): given} for name, given in tenants.items()}


def _app(name: str, place: Target, ask: Ask | None, app: AppOptions) -> Any:
    if ask is not None:
        named = f"{getattr(ask, '__qualname__', type(ask).__name__)} as {name}"
        return python_target(partial(_as_tenant, ask, name), named, replace(app, into=place)).retriever
    if place.retriever is None:
        raise UsageError(f"the target of the tenant '{name}' answers no questions; give a function that asks")
    return place.retriever


def _as_tenant(ask: Ask, tenant: str, question: Any) -> Any:
    return ask(question, tenant)


def _check_ask(ask: Any) -> None:
    if not callable(ask):
        raise UsageError(f"a {type(ask).__name__} cannot be asked; give a function of the question and the tenant")
    needed, room = takes(ask)
    if needed > 2 or room < 2:
        raise UsageError("the function that asks must take two arguments, the question and the tenant")
