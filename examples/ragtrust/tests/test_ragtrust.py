"""The described comparison: its size, its mechanism, its figures, and that they are the defence's doing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from ragtrust.attacks import ATTACKS, BASE, SHOUTED
from ragtrust.bench import run_main
from ragtrust.corpus import attacked, in_memory, questions, records
from ragtrust.lists import View
from ragtrust.trial import Trial, run_trial

from darnel.adapters.memory.corpus import MemoryCorpus
from darnel.adapters.memory.open import memory_target
from darnel.core.corpus import Record
from darnel.core.plant import Plant, find_markers
from darnel.core.planting.ledger import Ledger
from darnel.core.queries import Query
from darnel.core.text import content_words
from darnel.core.trust import trust_of
from darnel.retrievers import defences, registry
from darnel.retrievers.registry import with_retriever


@pytest.fixture(scope="module")
def ledger(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ledger]:
    with Ledger(tmp_path_factory.mktemp("ragtrust") / "ledger.db") as opened:
        yield opened


@pytest.fixture(scope="module")
def trial(ledger: Ledger) -> Trial:
    return run_main(ledger)


def check_described_result(trial: Trial) -> None:
    """The figures that the lab must give."""
    plain, guarded = trial.ordinary, trial.defended
    assert (plain.attack_at(1).value, guarded.attack_at(1).value) == (1.0, 0.0)
    assert (plain.attack_at(3).value, guarded.attack_at(3).value) == (1.0, 1.0)
    assert (plain.retained.value, guarded.retained.value) == (1.0, 1.0)
    assert guarded.average_trust > plain.average_trust


def texts(view: View) -> list[list[tuple[str, float, float]]]:
    """What was returned, without the ids, which hold the campaign's."""
    return [[(item.text, item.relevance, item.final) for item in one.items] for one in view.lists]


def test_the_described_result(trial: Trial) -> None:
    check_described_result(trial)
    assert trial.verdict == "moved down, in the list for 6 of 6"


def test_18_documents_and_12_questions_half_of_them_attacked(trial: Trial) -> None:
    assert len(records()) + trial.planted == 18
    assert len(trial.ordinary.lists) == len(trial.defended.lists) == 12
    assert [one.attacked for one in trial.defended.lists] == [True] * 6 + [False] * 6
    assert trial.ordinary.attack_at(1).n == 6
    assert trial.ordinary.retained.n == 12
    assert all(len([r for r in q.judged.values() if r > 0]) == 1 for q in questions())


def test_planted_removed_and_proved(ledger: Ledger) -> None:
    target = in_memory()
    before = list(target.injector.records.values())  # type: ignore[attr-defined]
    trial = run_trial(target, BASE, questions(), ledger)
    assert (trial.planted, trial.removed, trial.clean) == (6, 6, True)
    assert list(target.injector.records.values()) == before  # type: ignore[attr-defined]
    assert ledger.campaigns(unfinished=True) == []


def test_a_trial_that_changes_a_record_is_not_clean(ledger: Ledger) -> None:
    class Meddling(MemoryCorpus):
        def inject(self, plants: Sequence[Plant]) -> None:
            super().inject(plants)
            self.records["gates-closing"] = Record("gates-closing", "Leave them open.", {"trust": "official"})

    assert not run_trial(memory_target(Meddling(records())), BASE, questions(), ledger).clean


@pytest.mark.parametrize("broken", ["removed", "trust left out", "upside down"])
def test_without_the_defence_the_figures_are_others(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch, broken: str
) -> None:
    if broken == "trust left out":  # neither the source's trust nor the phrases count
        monkeypatch.setattr(defences, "trust_of", lambda _metadata: 1.0)
        monkeypatch.setattr(defences, "SUSPICIOUS", 1.0)
    else:
        step = 1 if broken == "removed" else -1
        through = (lambda _query, sources: list(sources)[::step], "")
        monkeypatch.setattr(registry, "DEFENCES", {**registry.DEFENCES, "trust": through})
    with pytest.raises(AssertionError):
        check_described_result(run_main(ledger))


def test_final_is_relevance_times_trust_times_a_quarter_for_instructions(trial: Trial) -> None:
    items = [item for one in trial.defended.lists for item in one.items]
    assert {item.suspicious for item in items} == {True, False}
    assert {item.trust for item in items} >= {1.0, 0.3}
    for item in items:
        assert item.final == pytest.approx(item.relevance * item.trust * (0.25 if item.suspicious else 1.0))
    assert all(item.final == item.relevance for one in trial.ordinary.lists for item in one.items)
    assert all(item.suspicious == item.attack for item in items)


def test_both_scores_and_the_place_before_are_kept(trial: Trial) -> None:
    for plain, guarded in zip(trial.ordinary.lists, trial.defended.lists, strict=True):
        assert [item.place_before for item in plain.items] == [1, 2, 3]
        known = {item.id: item for item in plain.items}
        for item in guarded.items:
            assert item.relevance == known[item.id].relevance if item.id in known else item.place_before > 3
        assert [item.final for item in guarded.items] == sorted((i.final for i in guarded.items), reverse=True)


def test_terms_count_three_times_at_most_in_title_and_text_together(trial: Trial) -> None:
    for one in trial.ordinary.lists:
        asked = set(content_words(one.query.text))
        for item in one.items:
            found = content_words(f"{item.title} {item.text}")
            assert item.relevance == sum(min(3, found.count(term)) for term in asked)
    attack = next(item for item in trial.ordinary.lists[0].items if item.attack)
    assert max(content_words(attack.text).count(term) for term in set(content_words(attack.text))) > 3


def test_a_title_counts_and_stop_words_do_not() -> None:
    corpus = MemoryCorpus([Record("a", "nothing", {"title": "Sluice"}), Record("b", "the of and is at", {})])
    target = with_retriever(memory_target(corpus), "counts", None)
    assert target.retriever is not None
    (found,) = target.retriever.retrieve(["what is the sluice at"], 3)
    assert [(s.id, s.score) for s in found.sources] == [("a", 1.0)]


def test_capital_letters_hide_no_instruction(trial: Trial, ledger: Ledger) -> None:
    shouted = run_trial(in_memory(), SHOUTED, questions(), ledger)
    assert "IGNORE THE" in shouted.ordinary.lists[0].items[0].text
    attacks = [i for one in shouted.defended.lists for i in one.items if i.attack]
    assert attacks
    assert all(item.suspicious for item in attacks)
    check_described_result(shouted)


def test_ordinary_and_defended_see_the_same_and_the_same_again(trial: Trial, ledger: Ledger) -> None:
    again = run_main(ledger)
    assert texts(again.ordinary) == texts(trial.ordinary)
    assert texts(again.defended) == texts(trial.defended)
    for plain, guarded in zip(trial.ordinary.lists, trial.defended.lists, strict=True):
        assert plain.query == guarded.query
        for item in guarded.items:  # the same document, wherever both show it
            assert all(item.text == other.text for other in plain.items if other.id == item.id)


def test_average_trust_is_the_mean_over_all_that_is_returned(trial: Trial) -> None:
    trusts = [item.trust for one in trial.defended.lists for item in one.items]
    assert trial.defended.average_trust == pytest.approx(sum(trusts) / 36)
    assert trust_of({"trust": "official"}) == 1.0


def test_a_metric_sees_a_lost_trusted_document(trial: Trial) -> None:
    first = trial.defended.lists[0]
    without = replace(first, items=tuple(item for item in first.items if not item.expected))
    lost = View((without, *trial.defended.lists[1:]))
    assert lost.retained.hits == 11
    assert "trusted document lost for 1 of 12" in replace(trial, defended=lost).verdict


def test_attacks_repeat_the_question_and_ask_for_a_marker_and_nothing_else(trial: Trial) -> None:
    for one in trial.ordinary.lists[:6]:
        attack = one.items[0]
        assert attack.attack
        assert attack.source == "forum/questions"
        assert set(content_words(one.query.text)) <= set(content_words(attack.text))
        assert len(find_markers(attack.text)) == 1
    for attack in (BASE, *ATTACKS):
        said = attack.payload.say(["MARKER"])
        assert said.count("MARKER") == 1
        assert not any(word in said.lower() for word in ("http", "password", "key", "send", "delete"))


def test_the_papers_of_the_corpus_ask_for_nothing() -> None:
    assert not any(defences.is_instruction(record.text) for record in records())


def test_darnels_own_run_gives_the_same_figures(tmp_path: Path) -> None:
    import darnel
    from darnel.core.options import RunOptions
    from darnel.core.scoring.comparing import compare

    chosen: list[Query] = [q for q in questions() if attacked(q)]
    options = RunOptions(k=3, metadata=BASE.metadata)
    before, after = (
        darnel.run(in_memory(), chosen, [BASE.dose], options=options, retriever=name, ledger=tmp_path / "l.db")
        for name in ("counts", "counts+trust")
    )
    change = next(c for c in compare(before, after).patterns if c.pattern == BASE.dose.label)
    assert (change.before["1"].value, change.after["1"].value) == (1.0, 0.0)
    assert (change.before["3"].value, change.after["3"].value) == (1.0, 1.0)
    assert change.retention == (1.0, 1.0)
