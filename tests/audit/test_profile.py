"""Profiles: what a known-good corpus teaches is carried, and only what is new is judged."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from darnel.api.auditing import audit_corpus
from darnel.audit.detector import Calibrated, Context
from darnel.audit.profile import load_profile
from darnel.audit.registry import BUILT_IN, make_detectors
from darnel.audit.results import AuditResults
from darnel.core.errors import UsageError
from darnel.core.queries import Query
from tests.audit.test_learned import QUERIES, cloned, gibberish, middle, records, texts
from tests.support.command import Outcome

Cli = Callable[..., Outcome]
STUFFED = "How long may a ferry wait for late passengers? " * 5


def write(path: Path, **held: str) -> Path:
    path.write_text("".join(json.dumps({"id": k, "text": v}) + "\n" for k, v in held.items()), encoding="utf-8")
    return path


def good(**more: str) -> dict[str, str]:
    return {**{r.id: r.text or "" for r in records(300)}, **more}


def flagged(results: AuditResults) -> set[str]:
    assert not results.errors, results.errors
    return {f.record for f in results.findings}


@pytest.fixture
def known(tmp_path: Path) -> Path:
    return write(tmp_path / "known.jsonl", **good(bad=STUFFED))


@pytest.fixture
def profile(tmp_path: Path, known: Path) -> Path:
    path = tmp_path / "good.json"
    assert flagged(audit_corpus([known], calibrate=path)) == {"bad"}
    return path


def test_only_what_the_profile_does_not_know_is_judged(tmp_path: Path, known: Path, profile: Path) -> None:
    results = audit_corpus([known], since=profile)
    assert not flagged(results)
    assert results.judged == 0
    assert results.read == 301
    changed = write(tmp_path / "known.jsonl", **good(bad=STUFFED + "Indeed.", r1=STUFFED))
    results = audit_corpus([changed], since=profile)
    assert flagged(results) == {"bad", "r1"}
    assert results.judged == 2


def test_new_records_are_held_against_the_known_ones(tmp_path: Path, known: Path) -> None:
    host = texts(300)[5]
    added = write(
        tmp_path / "new.jsonl", fine=texts(1, seed=8)[0], bad2=STUFFED, clone=cloned(host, "see also that record")
    )
    results = audit_corpus([known], new=[added])
    assert flagged(results) == {"bad2", "clone"}
    assert {f.source for f in results.findings} == {str(added)}
    assert results.judged == 3


def test_thresholds_are_the_known_corpus_s(tmp_path: Path, known: Path, profile: Path) -> None:
    """A release that repeats itself a little, throughout: usual by its own measure, and not by the carried one."""
    dull = [f"{text} {' '.join(text.split()[:24])}" for text in texts(300, words=36, seed=6)]
    path = write(tmp_path / "dull.jsonl", **{f"d{i}": text for i, text in enumerate(dull)})
    alone = audit_corpus([path], detectors=["repetition"])
    carried = audit_corpus([path], detectors=["repetition"], since=profile)
    assert not flagged(alone)
    assert len(flagged(carried)) > 250


def test_characters_are_learned_from_the_known_corpus(tmp_path: Path, known: Path) -> None:
    path = tmp_path / "good.json"
    audit_corpus([known], detectors=["unnatural"], calibrate=path)
    added = write(tmp_path / "new.jsonl", odd=f"{texts(300)[7]} {gibberish(1)}", fine=texts(1, seed=8)[0])
    assert flagged(audit_corpus([added], detectors=["unnatural"], since=path)) == {"odd"}
    assert not flagged(audit_corpus([added], detectors=["unnatural"]))
    assert path.stat().st_size < 3_000_000


def lines(path: Path, vectors: dict[str, Any]) -> Path:
    rows = ({"id": name, "text": f"text of {name}", "vector": list(map(float, v))} for name, v in vectors.items())
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def on_topic(text: str) -> Any:
    """Close to the axis of its topic, the last digit of its first word or number."""
    digits = "".join(c for c in text if c.isdigit())
    axis = np.zeros(32)
    axis[int(digits[-1])] = 1.0
    return axis + 0.05 * np.random.default_rng(len(text) + int(digits)).normal(size=32)


def test_sentinel_questions(tmp_path: Path) -> None:
    """A new record for questions of several topics is told from one for a topic that is new too."""
    old = lines(tmp_path / "old.jsonl", {f"r{i}": on_topic(str(i)) for i in range(200) if i % 10 > 5})
    added = {"all": on_topic("3") + on_topic("4") + on_topic("5"), "one": on_topic("503"), "none": on_topic("508")}
    new = lines(tmp_path / "new.jsonl", added)
    given: dict[str, Any] = {
        "queries": QUERIES,
        "embedder": lambda of: [on_topic(text) for text in of],
        "detectors": ["sentinel"],
    }
    assert flagged(audit_corpus([old], new=[new], **given)) == {"all"}
    (plain,) = audit_corpus([old], **given).detectors
    assert "--new" in plain.not_run
    path = tmp_path / "good.json"
    assert not flagged(audit_corpus([old], calibrate=path, **given))
    assert flagged(audit_corpus([new], since=path, **given)) == {"all"}
    with pytest.raises(UsageError, match="other questions"):
        audit_corpus([new], since=path, **{**given, "queries": [*QUERIES, Query("x", "another")]})


@pytest.mark.parametrize("name", BUILT_IN)
def test_what_was_learned_is_the_same_when_it_is_carried(name: str) -> None:
    """As JSON and back; a detector of another corpus's lesson gives that lesson on."""
    from darnel.audit.batch import Batch, Row, to_arrow

    (first,) = make_detectors([name], Context(QUERIES, lambda of: [middle(len(t) % 100) for t in of], calibrating=True))
    if not isinstance(first, Calibrated):
        pytest.skip("it learns nothing that is carried")
    batch = Batch(to_arrow([Row(r.id, r.text or "", {"title": r.text[:40]}) for r in records(40) if r.text]))
    first.learn(batch)
    list(first.examine(batch))
    lesson = json.loads(json.dumps(first.calibration()))
    (second,) = make_detectors([name], Context(QUERIES, lambda of: [middle(len(t) % 100) for t in of]))
    assert isinstance(second, Calibrated)
    second.carry(lesson)
    again = json.loads(json.dumps(second.calibration()))
    assert {k: v for k, v in again.items() if k != "model"} == {k: v for k, v in lesson.items() if k != "model"}


@pytest.mark.parametrize(
    ("broken", "said"),
    [
        (lambda p: p.unlink(), "cannot read the profile"),
        (lambda p: p.write_bytes(b"\xff{"), "is no profile"),
        (lambda p: p.write_text("[" * 100_000), "is no profile"),
        (lambda p: p.write_text('{"findings": []}'), "is no profile"),
        (lambda p: p.write_text(p.read_text().replace('"records":301', '"records":300')), "was changed after"),
        (lambda p: p.write_text(p.read_text().replace('"schema_version":1', '"schema_version":9')), "version 9"),
    ],
)
def test_a_broken_profile_is_told_in_one_line(profile: Path, broken: Callable[[Path], Any], said: str) -> None:
    broken(profile)
    with pytest.raises(UsageError, match=said) as caught:
        load_profile(profile)
    assert "\n" not in str(caught.value)


def test_a_profile_of_another_form_is_told_too(profile: Path, known: Path) -> None:
    import msgspec

    from darnel.audit.profile import Profile

    kept = load_profile(profile)
    states = {**kept.content.detectors, "repetition": {"top/6": [1, 2, 3]}}
    Profile(msgspec.structs.replace(kept.content, detectors=states)).save(profile)
    with pytest.raises(UsageError, match="part for repetition is broken"):
        audit_corpus([known], since=profile)


def test_eight_bytes_a_record(profile: Path) -> None:
    kept = load_profile(profile)
    assert len(kept.content.known) <= 301 * 8 * 4 / 3 + 4
    assert profile.stat().st_size < 60_000


def test_on_the_command_line(cli: Cli, tmp_path: Path, known: Path) -> None:
    assert cli("audit", known, "--calibrate", "p.json", "--fail-on", "high").code == 1
    ended = cli("audit", known, "--since", "p.json")
    assert ended.code == 0, ended.err
    assert "301 records read" in ended.out
    assert "0 of them new and judged" in ended.out
    added = write(tmp_path / "new.jsonl", bad2=STUFFED)
    assert cli("audit", known, "--new", added).code == 1
    assert "not several" in cli("audit", known, "--new", added, "--since", "p.json").err
    assert "given as known and as new" in cli("audit", known, "--new", known).err
    with known.open("a", encoding="utf-8") as file:
        file.write("{broken\n")
    assert cli("audit", tmp_path / "none.jsonl", "--calibrate", "q.json").code == 2
    assert not (tmp_path / "q.json").exists()


def test_no_profile_of_half_a_corpus(tmp_path: Path, known: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from darnel.audit.detectors.marker import MarkerResidue

    def fails(*_: object) -> object:
        raise ValueError("cannot bear it")

    monkeypatch.setattr(MarkerResidue, "examine", fails)
    results = audit_corpus([known], calibrate=tmp_path / "p.json")
    assert results.exit_code == 2
    assert "no profile was written" in results.errors[-1]
    assert not (tmp_path / "p.json").exists()
