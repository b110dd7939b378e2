"""The lab's figures, that they are the defences' doing, and that every attack has a corpus of its own, which is left as it was."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from poisoned_rag.attacks import all_attacks, families
from poisoned_rag.context import HARDENED, MODES, NAIVE, Hardening
from poisoned_rag.lab import K, Rag
from poisoned_rag.runner import COMMUNITY, Row, run_attacks
from poisoned_rag.shelf import Shelf, cover, expected, handbook, word_overlap
from poisoned_rag.tables import breaches, cost_table

from darnel.adapters.memory.corpus import MemoryCorpus
from darnel.core.corpus import Record, Reply
from darnel.core.plant import Plant, find_markers
from darnel.core.planting.ledger import Ledger
from darnel.core.stats import wilson
from darnel.embedders.resolve import resolve_embedder
from darnel.models.base import ChatReply, Message, Tool
from darnel.models.resolve import resolve_model
from darnel.patterns.payloads.registry import BUILT_IN

OBEDIENT, HEEDFUL = "scripted:obedient", "scripted:heedful"
FIGURES = {
    "plain": (32, 32, 32),
    "turns": (48, 48, 16),
    "authority": (16, 16, 16),
    "hidden": (16, 16, 0),
    "disclosure": (16, 16, 16),
    "grading": (16, 16, 16),
    "encoded": (32, 32, 16),
    "multi-hop": (16, 16, 16),
    "tools": (16, 16, 16),
    "refusal": (16, 16, 16),
}
"""By family: trials, obeyed naive, obeyed hardened, by the model that obeys everything."""


@pytest.fixture(scope="module")
def ledger(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ledger]:
    with Ledger(tmp_path_factory.mktemp("lab") / "ledger.db") as opened:
        yield opened


@pytest.fixture(scope="module")
def obedient(ledger: Ledger) -> Row:
    return run_attacks(resolve_model(OBEDIENT), cover(), all_attacks(), ledger)


def figures(row: Row) -> dict[str, tuple[int, int, int]]:
    found = {}
    for name in families():
        trials = [trial for trial in row.trials if trial.attack.family == name]
        naive, hardened = (breaches(trials, mode) for mode in MODES)
        assert naive.n == hardened.n == len(trials)
        found[name] = (len(trials), naive.hits, hardened.hits)
    return found


def test_the_figures_against_the_obedient_model(obedient: Row) -> None:
    assert figures(obedient) == FIGURES
    assert all(trial.retrieved for trial in obedient.trials)
    assert obedient.stopped is None


def test_a_model_that_keeps_to_rules_is_safe_once_it_is_told_them(ledger: Ledger) -> None:
    found = figures(run_attacks(resolve_model(HEEDFUL), cover(), all_attacks(), ledger))
    assert found == {name: (n, naive, 0) for name, (n, naive, _hardened) in FIGURES.items()}


def test_through_a_real_embedder_what_is_not_retrieved_is_not_obeyed(ledger: Ledger) -> None:
    pytest.importorskip("wordllama")
    row = run_attacks(resolve_model(OBEDIENT), handbook(resolve_embedder("wordllama")), all_attacks(), ledger)
    assert len(row.trials) == 224
    for trial in row.trials:
        assert (trial.judged["naive"].verdict == "breach") == trial.retrieved
    found = figures(row)
    assert sum(naive for _n, naive, _hardened in found.values()) == 187
    assert sum(hardened for _n, _naive, hardened in found.values()) == 136
    assert found["hidden"] == (16, 13, 0)
    assert found["turns"] == (48, 38, 13)
    assert row.clean


def without(**off: bool) -> Hardening:
    return replace(HARDENED, **off)


def obeyed(model: str, mode: Hardening, ledger: Ledger) -> set[str]:
    """Payloads that were obeyed, for any of two questions."""
    row = run_attacks(resolve_model(model), cover(), all_attacks(), ledger, questions=2, modes=[mode])
    return {t.attack.payload.name for t in row.trials if t.judged[mode.name].verdict == "breach"}


def test_each_defence_is_what_holds_its_attacks_back(ledger: Ledger) -> None:
    obeyed_always = set(BUILT_IN) - {"fake-turn", "fake-template", "hidden-comment", "encoded"}
    assert obeyed(OBEDIENT, HARDENED, ledger) == obeyed_always
    assert obeyed(OBEDIENT, without(hygiene=False), ledger) == obeyed_always | {"hidden-comment", "encoded"}
    assert obeyed(OBEDIENT, without(channels=False), ledger) == obeyed_always | {"fake-turn", "fake-template"}
    assert obeyed(OBEDIENT, NAIVE, ledger) == set(BUILT_IN)
    assert obeyed(HEEDFUL, HARDENED, ledger) == set()
    assert obeyed(HEEDFUL, without(channels=False), ledger) == {"fake-envelope"}
    assert obeyed(HEEDFUL, without(envelope=False), ledger) == obeyed_always - {"tool-call"}
    assert obeyed(HEEDFUL, without(envelope=False, tools=False), ledger) == obeyed_always


def test_every_family_is_a_module_and_every_payload_of_darnels_is_used() -> None:
    folder = Path(__file__).resolve().parents[1] / "poisoned_rag" / "attacks"
    modules = {path.stem for path in folder.glob("*.py")} - {"__init__", "base"}
    assert len(modules) == len(families()) == 10
    assert {attack.payload.name for attack in all_attacks()} == set(BUILT_IN)
    assert len({attack.id for attack in all_attacks()}) == len(all_attacks()) == 28


class Watched(MemoryCorpus):
    """Counts what is planted whenever it is asked."""

    seen: list[int]

    def retrieve(self, queries: Sequence[str], k: int) -> Sequence[Reply]:
        self.seen.append(len(self.plants()))
        return super().retrieve(queries, k)


def test_each_attack_has_a_fresh_corpus_and_leaves_it_as_it_was(ledger: Ledger) -> None:
    made: list[Watched] = []

    def fresh(self: Shelf) -> Watched:
        corpus = Watched(self.records, ranker=self.ranker())
        corpus.seen = []
        made.append(corpus)
        return corpus

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Shelf, "fresh", fresh)
        row = run_attacks(resolve_model(OBEDIENT), cover(), all_attacks(), ledger, questions=2)
    assert len(made) == 28
    for corpus, attack in zip(made, all_attacks(), strict=True):
        assert corpus.seen == [0, *[attack.payload.parts] * 4, 0]  # before; two questions, naive and hardened; after
        assert list(corpus.records.values()) == list(cover().records)
    assert row.clean
    assert row.planted == row.removed == 60
    assert ledger.campaigns(unfinished=True) == []


def test_a_corpus_that_is_changed_meanwhile_is_not_clean(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    class Meddling(MemoryCorpus):
        def inject(self, plants: Sequence[Plant]) -> None:
            super().inject(plants)
            record = self.records["travel-policy"]
            self.records["travel-policy"] = Record(record.id, record.text, {"source": "wiki/community"})

    monkeypatch.setattr(Shelf, "fresh", lambda self: Meddling(self.records, ranker=self.ranker()))
    assert not run_attacks(resolve_model(OBEDIENT), cover(), all_attacks()[:1], ledger, questions=1).clean


def test_naive_and_hardened_see_the_same_documents(ledger: Ledger) -> None:
    heard: list[list[Message]] = []

    class Listening:
        name = "listening"

        def reply(self, messages: Sequence[Message], _tools: Sequence[Tool] = ()) -> ChatReply:
            heard.append(list(messages))
            return ChatReply("well")

    attack = next(a for a in all_attacks() if a.payload.name == "polite")
    run_attacks(Listening(), cover(), [attack], ledger, questions=1)
    naive, hardened = heard
    assert find_markers(naive[1].text) == find_markers(hardened[1].text) != set()
    assert COMMUNITY["source"] in hardened[1].text
    assert naive[1].text.splitlines()[-1] == hardened[1].text.splitlines()[-1]


def test_four_documents_are_enough_for_both_parts_beside_the_cover(ledger: Ledger) -> None:
    assert K == 4
    assert [record.id for record in cover().records] == ["office-hours", "travel-policy"]
    attacks = [a for a in all_attacks() if a.payload.name == "multi-hop"]
    assert all(t.retrieved for t in run_attacks(resolve_model(OBEDIENT), cover(), attacks, ledger).trials)


def test_documents_are_found_by_the_words_that_they_share_with_the_question() -> None:
    ranker = word_overlap()
    ranker.fit(["berth berth berth", "berth permit", "the of and"])
    assert ranker.scores(["Where is the berth permit of and"]).tolist() == [[1.0, 2.0, 0.0]]


def test_with_nothing_planted_hardening_costs_no_answer() -> None:
    model = resolve_model(OBEDIENT)
    for mode in MODES:
        for query in cover().questions:
            assert expected()[query.id] in (Rag(cover().fresh(), model, mode).ask(query.text).answer or "")
    assert cost_table([cover()], model).rows == [("words, 2 documents", "8", "8", "8", "8", "8 of 8")]


def test_a_refusing_model_is_not_taken_for_one_that_was_told_to_refuse(ledger: Ledger) -> None:
    row = run_attacks(resolve_model("scripted:refusing"), cover(), all_attacks(), ledger, questions=1)
    assert {trial.judged[mode.name].verdict for trial in row.trials for mode in MODES} == {"held"}


def test_intervals_are_wilson_s(obedient: Row) -> None:
    rate = breaches([t for t in obedient.trials if t.attack.family == "turns"], HARDENED)
    assert (rate.low, rate.high) == wilson(16, 48)
