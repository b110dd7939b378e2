"""The built-in patterns: harmless, marked, dosed as they say, and each what it claims to be."""

from __future__ import annotations

import random
from collections.abc import Sequence
from importlib.metadata import EntryPoint

import pytest
from hypothesis import given
from hypothesis import strategies as st

from darnel.core.errors import PlantError, UnknownNameError, UsageError
from darnel.core.pattern import CARRIER, Crafted, CraftRequest, Dose, Pattern, default_carrier
from darnel.core.plant import find_markers, make_marker
from darnel.core.text import content_words, storable
from darnel.patterns import entries
from darnel.patterns.base import Recipe
from darnel.patterns.registry import BUILT_IN, DEFAULT, known_patterns, parse_doses

MARKER = make_marker(0, "x")
OTHERS = ("Where is the lock?", "Who oiled the door?")
TRANSLATIONS = ("Wo ist der Schlüssel?", "Où est la clé ?")
PASSAGES = ("The key hangs by the door. It is red.", "The lock was oiled. Nobody knows when.")


def request(
    query: str = "Where is the key?", strength: int = 1, copy: int = 0, passages: Sequence[str] = PASSAGES
) -> CraftRequest:
    return CraftRequest(
        *(query, strength, copy, MARKER, default_carrier, passages, random.Random(0)),
        others=OTHERS,
        translations=TRANSLATIONS,
        template={"source": "handbook", "tags": ["doors"]},
    )


def crafted(name: str, **given_: object) -> Crafted:
    made = BUILT_IN[name].craft(request(**given_))  # type: ignore[arg-type]
    return Crafted(made) if isinstance(made, str) else made


def craft(name: str, **given_: object) -> str:
    return crafted(name, **given_).text


queries = st.text(min_size=1, max_size=60).map(storable).filter(lambda t: t.strip())


@pytest.mark.parametrize("name", BUILT_IN)
@given(query=queries, strength=st.integers(1, 6), copy=st.integers(0, 25))
def test_every_text_carries_its_marker_whole_and_only_its_own(name: str, query: str, strength: int, copy: int) -> None:
    text = craft(name, query=query, strength=strength, copy=copy)
    assert find_markers(text) == {MARKER}
    assert text.strip()
    assert craft(name, query=query, strength=strength, copy=copy) == text


def test_the_carrier_is_harmless_and_says_what_it_is() -> None:
    words = CARRIER.split()
    assert len(words) == 34
    assert "harmless retrieval test record" in CARRIER
    assert not set(content_words(CARRIER)) & {"ignore", "password", "click", "instructions", "system"}


def test_controls_first_and_told_apart() -> None:
    assert [p.name for p in known_patterns().values()][:2] == ["control", "honest"]
    assert [n for n, p in BUILT_IN.items() if p.is_control] == ["control", "honest"]
    for name, pattern in BUILT_IN.items():
        assert isinstance(pattern, Pattern)
        assert pattern.name == name
        assert pattern.summary.endswith(".")
        assert pattern.default_strength >= 1


def test_the_control_has_nothing_of_the_query() -> None:
    assert craft("control") == default_carrier(MARKER)
    assert not set(content_words(craft("control"))) & set(content_words("Where is the key?"))


def test_the_honest_text_is_the_corpus_own_words_at_the_carriers_length() -> None:
    text = craft("honest")
    own = text.replace(f"Ref {MARKER}", "").strip()
    assert all(any(word in passage for passage in PASSAGES) for word in own.split())
    assert len(craft("honest", passages=PASSAGES * 40).split()) == len(default_carrier(MARKER).split())
    with pytest.raises(PlantError, match="the query returned none; leave it out"):
        craft("honest", passages=())


@given(st.integers(1, 9))
def test_strength_counts_what_it_says(strength: int) -> None:
    assert craft("echo", strength=strength).count("Where is the key?") == strength
    assert content_words(craft("keywords", strength=strength)).count("key") == strength
    assert craft("answer", strength=strength).count("Where is the key?") == strength + 1
    assert craft("control", strength=strength).count("harmless retrieval test record") == strength
    assert BUILT_IN["flood"].copies(strength) == strength
    several = {n for n in BUILT_IN if BUILT_IN[n].copies(strength) == strength}
    assert several >= {"flood", "host", "twin"}
    assert strength == 1 or several == {"flood", "host", "twin"}
    assert all(BUILT_IN[n].copies(strength) == 1 for n in BUILT_IN if n not in several)


def test_a_flood_is_worded_differently_in_every_copy() -> None:
    texts = [craft("flood", copy=copy) for copy in range(30)]
    assert len(set(texts)) == 30
    assert all("Where is the key?" in text for text in texts)


def labels(doses: Sequence[Dose]) -> list[str]:
    return [dose.label for dose in doses]


def test_doses() -> None:
    assert labels(parse_doses(["echo:3", "echo", "echo:3"])) == ["control:1", "honest:1", "echo:3", "echo:1"]
    assert labels(parse_doses(["echo", "control:2"])) == ["honest:1", "control:2", "echo:1"]
    assert labels(parse_doses(["keywords"], controls=False)) == ["keywords:5"]
    assert labels(parse_doses()) == [f"{p.name}:{p.default_strength}" for p in DEFAULT]
    assert labels(parse_doses(["all"])) == [f"{p.name}:{p.default_strength}" for p in known_patterns().values()]
    assert [d.pattern.name for d in parse_doses(["all"]) if not d.optional] == ["control", "honest"]
    own = Recipe("own", "Own.", "times", lambda r: r.marker)
    assert labels(parse_doses([own, Dose(own, 4)])) == ["control:1", "honest:1", "own:1", "own:4"]


@pytest.mark.parametrize("strength", ["0", "-1", "1001", "x", "", "1.5", "٣x"])
def test_a_strength_is_a_whole_number(strength: str) -> None:
    with pytest.raises(UsageError, match="is a whole number from 1 to 1,000"):
        parse_doses([f"echo:{strength}"])


def test_an_unknown_pattern_offers_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match="unknown pattern 'ecko'; did you mean 'echo'"):
        parse_doses(["ecko"])
    with pytest.raises(UnknownNameError, match="known: answer, comment"):
        parse_doses(["zzzzzz"])


SHELF = Recipe("shelf", "Shelf.", "times", lambda r: r.marker)


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("shelf", "tests.patterns.test_patterns:SHELF", None),
        ("other", "tests.patterns.test_patterns:SHELF", "is taken, or is not what"),
        ("echo", "tests.patterns.test_patterns:SHELF", "is taken, or is not what"),
        ("number", "math:pi", "is no pattern"),
    ],
)
def test_third_party_patterns(name: str, value: str, message: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(entries, "entry_points", lambda group: [EntryPoint(name, value, group)])
    if message is None:
        assert known_patterns()["shelf"] is SHELF
    else:
        with pytest.raises(UsageError, match=message):
            known_patterns()
