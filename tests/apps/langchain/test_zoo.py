"""Every shape of application: its store is found, plants are followed through it, nothing is left, nothing is changed."""

from __future__ import annotations

import importlib
from functools import cached_property
from typing import Any

import pytest
from langchain_core.language_models import BaseLanguageModel
from langchain_core.tracers import context
from langchain_core.vectorstores import VectorStore

import darnel
from darnel.adapters.apps.options import AppOptions
from darnel.adapters.apps.walk import walk
from darnel.adapters.langchain.apps.capture import current
from darnel.adapters.langchain.apps.find import find_stores, worth_a_look
from darnel.core.plant import find_markers
from darnel.core.planting.ledger import Ledger
from tests.apps.langchain.conftest import QUESTIONS

NEED_A_MODEL = {
    "agent": "'model' calls",
    "multi_query": "'MultiQueryRetriever' calls",
    "react_agent": "'agent' calls",
    "self_query": "'query_constructor' calls",
}
"""Applications that call a model before they retrieve, and what says so."""
DROPPED_BY = {
    "compression": "ContextualCompressionRetriever",
    "graph": "shorten",
    "parent_document": "ParentDocumentRetriever",
    "reranked": "rerank",
    "time_weighted": "TimeWeightedVectorStoreRetriever",
}
"""Components that drop some plant."""
DROPS_ALL = {"parent_document", "time_weighted"}
K = {"compression": 6, "direct_search": None, "graph": 6, "parent_document": 6, "react_agent": None, "reranked": 6}
K |= {"time_weighted": 8}
SHAPES = [
    "agent",
    "closure",
    "compression",
    "conversational",
    "direct_search",
    "ensemble",
    "graph",
    "lcel_ainvoke",
    "lcel_batch",
    "lcel_invoke",
    "lcel_stream",
    "multi_query",
    "parent_document",
    "react_agent",
    "reranked",
    "retrieval_chain",
    "retrieval_qa",
    "retrieval_qa_sources",
    "self_query",
    "sessions",
    "tenant",
    "time_weighted",
    "two_stores",
]


def make(shape: str) -> Any:
    return importlib.import_module(f"tests.apps.langchain.zoo.{shape}").make()


def options(shape: str, **more: Any) -> AppOptions:
    store = "steps__['notes'].first.vectorstore" if shape == "two_stores" else None
    return AppOptions(allow_model=shape in NEED_A_MODEL, store=store, **more)


def inventory(app: Any) -> dict[str, Any]:
    """Every object of an application, the names it has, and what the classes of its stores define.

    What an object computes once and keeps (a cached property) is its own doing.
    """
    found: dict[str, Any] = {}

    def note(item: Any) -> bool:
        held = getattr(item, "__dict__", {})
        if isinstance(item, dict | list | tuple | set):
            return False  # what an application fills by itself
        own = [key for key in held if not isinstance(getattr(type(item), str(key), None), cached_property)]
        found[f"{type(item).__name__} {id(item):x}"] = sorted(map(str, own)), str(held.get("callbacks"))
        if isinstance(item, BaseLanguageModel):
            found.update({base.__qualname__: dict(vars(base)) for base in type(item).__mro__})
        return isinstance(item, VectorStore)

    walk(app, "app", note, worth_a_look)
    for each in find_stores(app):
        for base in type(each.store).__mro__:
            found[base.__qualname__] = dict(vars(base))
    return found


@pytest.mark.parametrize("shape", SHAPES)
def test_plants_are_followed_to_the_prompt_and_the_application_is_as_before(
    shape: str, ledger: Ledger, spent: list[str]
) -> None:
    app = make(shape)
    before = inventory(app)
    results = darnel.run(app, QUESTIONS, ["echo:1"], ledger=ledger, app=options(shape))
    assert {key: value for key, value in inventory(app).items() if key in before} == before
    assert current.get() is None
    assert sum(var is current for var, *_ in context._configure_hooks) == 1

    assert (results.exit_code, results.errors, results.leftovers) == (0, [], [])
    assert results.cleanup.planted == results.cleanup.removed > 0
    assert results.corpus_digest is not None and results.corpus_digest.same
    # that one remembers when each of its documents was asked for, and moments apart may or may not change an order
    assert results.baseline.same or shape == "time_weighted"
    assert results.target.k == (K[shape] or 5 if shape in K else 4)
    assert results.target.app

    retrieved = [o for o in results.observations if o.outcome == "retrieved"]
    assert {"echo"} <= {o.pattern.partition(":")[0] for o in retrieved}
    stages = {o.stage for o in retrieved}
    assert stages == (
        {"retrieved"} if shape in DROPS_ALL else {"retrieved", "in prompt"} if shape in DROPPED_BY else {"in prompt"}
    )
    assert {o.dropped_by for o in retrieved} - {None} == ({DROPPED_BY[shape]} if shape in DROPPED_BY else set())
    funnel = results.scores[-1].funnel
    assert {"delivered", "in prompt"} <= funnel.keys()
    assert "in answer" not in funnel

    if shape not in NEED_A_MODEL:
        assert spent == [], "no model was to be called"
    assert not any(find_markers(prompt) for prompt in spent), "no model was to see what was planted"


@pytest.mark.parametrize("shape", SHAPES)
def test_with_answers_plants_are_followed_into_them(shape: str, ledger: Ledger, spent: list[str]) -> None:
    app = make(shape)
    before = inventory(app)
    results = darnel.run(app, QUESTIONS, ["echo:1"], ledger=ledger, app=options(shape, answers=True))
    assert {key: value for key, value in inventory(app).items() if key in before} == before
    assert (results.exit_code, results.errors, results.leftovers) == (0, [], [])
    retrieved = [o for o in results.observations if o.outcome == "retrieved"]
    stages = {o.stage for o in retrieved}
    assert stages == (
        {"retrieved"} if shape in DROPS_ALL else {"retrieved", "in answer"} if shape in DROPPED_BY else {"in answer"}
    )
    assert any(find_markers(prompt) for prompt in spent) is (shape not in DROPS_ALL)


@pytest.mark.parametrize("shape", NEED_A_MODEL)
def test_a_model_that_is_needed_before_is_asked_for(shape: str, ledger: Ledger, spent: list[str]) -> None:
    results = darnel.run(make(shape), QUESTIONS, ["echo:1"], ledger=ledger)
    assert results.exit_code == 2
    assert {o.outcome for o in results.observations} == {"inconclusive"}
    details = {o.detail or "" for o in results.observations}
    assert all(NEED_A_MODEL[shape] in d and "--allow-model" in d for d in details), details
    assert spent == []
    assert results.cleanup.planted == 0


def test_every_module_of_the_zoo_is_in_the_table() -> None:
    from pathlib import Path

    modules = {p.stem for p in (Path(__file__).parent / "zoo").glob("*.py")}
    assert modules - {"__init__", "parts"} == set(SHAPES)
