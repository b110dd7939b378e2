"""Beyond the description: where the defence fails, and on what retrievers and stores."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from ragtrust.attacks import ATTACKS, BASE, ECHO, FORGED, FORGED_PARTNER, FORGED_REWORDED, REWORDED, Attack
from ragtrust.bench import RETRIEVERS, run_bench
from ragtrust.corpus import (
    STORES,
    embedder,
    in_memory,
    in_store,
    low_trust_questions,
    questions,
    questions_in_other_words,
)
from ragtrust.tables import failures
from ragtrust.trial import Trial, compare_unattacked, run_trial

from darnel.core.planting.ledger import Ledger

BY_NAME = {attack.name: attack for attack in ATTACKS}


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    with Ledger(tmp_path / "ledger.db") as opened:
        yield opened


def hits(trial: Trial) -> tuple[int, int, int, int]:
    """attack@1 and attack@3, ordinary and then defended: questions of 6."""
    plain, guarded = trial.ordinary, trial.defended
    return plain.attack_at(1).hits, plain.attack_at(3).hits, guarded.attack_at(1).hits, guarded.attack_at(3).hits


def test_each_attack_has_a_name_of_its_own() -> None:
    assert len(BY_NAME) == len(ATTACKS)


@pytest.mark.parametrize(
    "name",
    [
        "polite request",
        "in German",
        "invisible characters inside words",
        "further words in between",
        "the request in the title",
    ],
)
def test_reworded_instructions_are_not_seen_and_trust_alone_holds_the_first_place(name: str, ledger: Ledger) -> None:
    trial = run_trial(in_memory(), BY_NAME[name], questions(), ledger)
    attacks = [i for one in trial.defended.lists for i in one.items if i.attack]
    assert not any(item.suspicious for item in attacks)
    assert hits(trial) == (6, 6, 0, 6)


@pytest.mark.parametrize(
    ("attack", "expected"),
    [
        (FORGED, (6, 6, 0, 6)),  # the phrases are still seen
        (BY_NAME["trust 9, over the scale"], (6, 6, 0, 6)),
        (FORGED_PARTNER, (6, 6, 6, 6)),
        (FORGED_REWORDED, (6, 6, 6, 6)),
        (BY_NAME["a tier nobody knows (guest)"], (6, 6, 0, 5)),
        (BY_NAME["no word of trust"], (6, 6, 0, 5)),
    ],
    ids=lambda value: value.name if isinstance(value, Attack) else "",
)
def test_forged_and_unknown_trust(attack: Attack, expected: tuple[int, ...], ledger: Ledger) -> None:
    trial = run_trial(in_memory(), attack, questions(), ledger)
    assert hits(trial) == expected
    claimed = {item.trust for one in trial.ordinary.lists for item in one.items if item.attack}
    assert claimed == {{"official": 1.0, "partner": 0.6, "guest": 0.2, 9: 1.0, None: 0.2}[attack.metadata["trust"]]}  # type: ignore[index]


def test_questions_in_other_words_than_the_papers_break_it_as_described(ledger: Ledger) -> None:
    asked = questions_in_other_words()
    assert hits(run_trial(in_memory(), BASE, asked, ledger)) == (6, 6, 2, 6)
    assert hits(run_trial(in_memory(), REWORDED, asked, ledger)) == (6, 6, 6, 6)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("echo:1", (0, 6, 0, 4)),
        ("echo:3", (6, 6, 0, 6)),
        ("title:2", (6, 6, 0, 5)),
        ("tags:3", (0, 0, 0, 0)),  # this retriever does not read tags
        ("answer:1", (6, 6, 0, 5)),
        ("flood:3", (0, 6, 0, 4)),
        ("host:1", (0, 6, 0, 4)),
        ("host-echo:1", (6, 6, 0, 5)),
        ("partial:50", (0, 6, 0, 4)),
        ("trigger:5", (0, 6, 0, 4)),
        ("term-dump:5", (0, 6, 0, 4)),
        ("comment:1", (0, 6, 0, 4)),
        ("css:1", (0, 6, 0, 4)),
        ("zero-width:1", (0, 0, 0, 0)),  # nor normalises
        ("homoglyph:1", (0, 0, 0, 0)),
        ("dilute:200", (1, 6, 0, 4)),
    ],
)
def test_other_patterns(name: str, expected: tuple[int, ...], ledger: Ledger) -> None:
    trial = run_trial(in_memory(), BY_NAME[name], questions(), ledger)
    assert hits(trial) == expected
    assert trial.clean
    assert trial.defended.retained.value == 1.0


@pytest.mark.parametrize(
    ("defence", "expected"),
    [
        ("echo-filter", (6, 6, 0, 2)),
        ("dedupe", (6, 6, 6, 6)),
        ("quota", (6, 6, 6, 6)),
        ("trust+quota", (6, 6, 0, 6)),
        ("trust+echo-filter", (6, 6, 0, 1)),
    ],
)
def test_other_defences(defence: str, expected: tuple[int, ...], ledger: Ledger) -> None:
    assert hits(run_trial(in_memory(), ECHO, questions(), ledger, defence=defence)) == expected


@pytest.mark.parametrize("name", RETRIEVERS)
def test_every_retriever_is_attacked_defended_and_beaten_by_forged_trust(name: str, ledger: Ledger) -> None:
    pytest.importorskip("wordllama", reason="the embedder wordllama is not installed")
    model = embedder()
    plain = run_trial(in_memory(), BASE, questions(), ledger, retriever=name, model=model)
    assert hits(plain)[:3] == (6, 6, 0)
    forged = run_trial(in_memory(), FORGED_REWORDED, questions(), ledger, retriever=name, model=model)
    assert hits(forged) == (6, 6, 6, 6)
    assert plain.clean
    assert forged.clean


@pytest.mark.parametrize("store", list(STORES))
def test_real_stores(store: str, ledger: Ledger) -> None:
    for package in ("wordllama", STORES[store]):
        pytest.importorskip(package, reason=f"{package} is not installed")
    model = embedder()
    assert model is not None
    with in_store(store, model) as target:
        plain = run_trial(target, BASE, questions(), ledger, retriever="own", model=model)
        forged = run_trial(target, FORGED_REWORDED, questions(), ledger, retriever="own", model=model)
    assert hits(plain)[:3] == (6, 6, 0)
    assert hits(forged) == (6, 6, 6, 6)
    assert plain.store == store
    for trial in (plain, forged):
        assert trial.defended.retained.value == 1.0
        assert (trial.planted, trial.removed, trial.clean) == (6, 6, True)


def test_honest_documents_of_low_trust_pay_for_it() -> None:
    plain, guarded = compare_unattacked(in_memory(), low_trust_questions(), retriever="counts")
    assert [one.items[0].expected for one in plain.lists] == [True, True, True]
    assert [one.items[0].expected for one in guarded.lists] == [False, False, True]


def test_rank_fusion_leaves_the_order_to_trust_alone() -> None:
    pytest.importorskip("wordllama", reason="the embedder wordllama is not installed")
    plain, guarded = compare_unattacked(in_memory(), low_trust_questions(), retriever="hybrid", model=embedder())
    assert (plain.retained.hits, guarded.retained.hits) == (3, 0)


def test_the_whole_bench_is_clean_and_names_its_failures(ledger: Ledger) -> None:
    bench = run_bench(ledger)
    assert bench.clean
    assert len(bench.trials) >= 1 + len(ATTACKS)
    told = "\n".join(failures(bench))
    assert f"{FORGED_REWORDED.name}: FAILS: first for 6 of 6" in told
    assert f"{FORGED.name}: FAILS" not in told
    assert "in other words" in told
