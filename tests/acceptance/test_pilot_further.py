"""The further patterns beside the pilot's figures on Cranfield, for BM25 and WordLlama in the memory corpus.

Where our text is the pilot's, every cell must agree: echo-end, comment, and keywords at strengths 1 and 20. Where it differs:

* homoglyph: ours also replaces ``s`` and capitals; both keep no word whole.
* zero-width: ours parts the letters of every word, the pilot's of words longer than 3.
* host, host-echo: ours clones what the retriever under test returns first, the pilot the judged document that BM25 ranks best.
  A copy of a nearer document comes nearer, so ours must not be below. With the pilot's host the figures must agree.
* dilute: ours stands in 200 words of filler, the pilot's in eight carriers, which have more words that BM25 counts: the longer
  text scores less. With eight carriers the figures must agree.

The pilot has no figure for partial, css, title, tags, term-dump, trigger, straddle and twin.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import darnel
from benchmarks.pilot import KS, Cell, beside, table
from darnel.adapters.memory import MemoryCorpus
from darnel.adapters.memory.corpus import load_corpus
from darnel.api import read_queries
from darnel.core.pattern import CraftRequest
from darnel.core.results import Results
from darnel.patterns.base import Recipe

CORPUS = "cranfield"
SAME = {
    "echo-end:1": "echo_suffix",
    "comment:1": "html_comment_echo",
    "keywords:1": "terms_once",
    "keywords:20": "kw_stuff_x20",
    "homoglyph:1": "homoglyph_echo",
    "zero-width:1": "zerowidth_echo",
    "pilot-host:1": "host_clone",
    "pilot-host-echo:1": "host_clone_x_echo",
    "pilot-long:1": "echo_in_long_doc",
}
NEARER = {"host:1": "host_clone", "host-echo:1": "host_clone_x_echo"}
ALONE = ["echo:1", "partial:50", "dilute:200"]
RETRIEVERS = {"bm25": ("bm25", None), "wordllama": ("dense", "wordllama")}


@pytest.fixture(scope="module")
def hosts(data: Path) -> dict[str, str]:
    """Query → text of its judged document that BM25 ranks best."""
    corpus = MemoryCorpus(load_corpus(data / CORPUS / "corpus.jsonl"))
    found = {}
    for query in read_queries(data / CORPUS / "queries.jsonl"):
        (reply,) = corpus.retrieve([query.text], len(corpus.records))
        judged = [id_ for id_, grade in query.judged.items() if grade > 0 and id_ in corpus.records]
        listed = (s.id for s in reply.sources if s.id in judged)
        best = corpus.records[next(listed, None) or judged[0]]  # of two questions no judged document shares a word
        found[query.text] = f"{(best.metadata or {}).get('title', '')} {best.text}".strip()
    return found


def as_the_pilot(hosts: dict[str, str]) -> list[Recipe]:
    """The pilot's texts, where ours are others."""

    def recipe(name: str, text: Callable[[CraftRequest], str]) -> Recipe:
        return Recipe(name=name, summary="The pilot's own.", dose="no more than one", text=text)

    return [
        recipe("pilot-host", lambda r: f"{hosts[r.query]} {r.body}"),
        recipe("pilot-host-echo", lambda r: f"{r.query} {hosts[r.query]} {r.body}"),
        recipe("pilot-long", lambda r: " ".join([*[r.body] * 4, r.query, *[r.body] * 4])),
    ]


@pytest.fixture(scope="module", params=RETRIEVERS)
def measured(
    request: pytest.FixtureRequest, data: Path, hosts: dict[str, str], tmp_path_factory: pytest.TempPathFactory
) -> tuple[str, Results, dict[str, Any]]:
    ranker, embedder = RETRIEVERS[request.param]
    results = darnel.run(
        f"memory:{data / CORPUS}#{ranker}",
        data / CORPUS / "queries.jsonl",
        [*(label for label in [*SAME, *NEARER, *ALONE] if not label.startswith("pilot-")), *as_the_pilot(hosts)],
        embedder=embedder,
        ledger=tmp_path_factory.mktemp("further") / "ledger.db",
    )
    assert (results.errors, results.leftovers) == ([], [])
    return request.param, results, json.loads((data / "pilot" / f"{CORPUS}.json").read_text())


def cells(measured: tuple[str, Results, dict[str, Any]], patterns: dict[str, str]) -> list[Cell]:
    retriever, results, pilot = measured
    found = list(beside(results, pilot, CORPUS, retriever, patterns))
    assert len(found) == len(patterns) * len(KS)
    assert all(cell.n == cell.asked for cell in found), table(found)
    return found


def test_the_same_text_reaches_what_the_pilots_did(measured: tuple[str, Results, dict[str, Any]]) -> None:
    found = cells(measured, SAME)
    assert all(cell.agrees for cell in found), f"\n{table(found)}"


def test_a_nearer_host_reaches_no_less(measured: tuple[str, Results, dict[str, Any]]) -> None:
    found = cells(measured, NEARER)
    assert all(cell.high >= 0 for cell in found), f"\n{table(found)}"


def test_what_has_no_figure_lies_where_it_must(measured: tuple[str, Results, dict[str, Any]]) -> None:
    exposure = {s.pattern: [s.exposure[k].value or 0.0 for k in KS] for s in measured[1].scores}
    bounds = zip(exposure["control:1"], exposure["partial:50"], exposure["echo:1"], strict=True)
    assert all(least <= half <= most for least, half, most in bounds)
    assert exposure["partial:50"][-1] > exposure["control:1"][-1]
    shorter = zip(exposure["pilot-long:1"], exposure["dilute:200"], exposure["echo:1"], strict=True)
    assert all(long <= short <= undiluted for long, short, undiluted in shorter)
