"""Payloads: harmless, marked, carried whole by every pattern, and told apart in results."""

from __future__ import annotations

import base64
import random
import re
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

import darnel
from darnel.core.corpus import CorpusDescription, Record
from darnel.core.errors import PlantError, UnknownNameError, UsageError
from darnel.core.options import RunOptions
from darnel.core.pattern import Crafted, CraftRequest, Dose, default_carrier
from darnel.core.payload import FAKE_TOOL, Payload, PayloadRequest
from darnel.core.plant import find_markers, make_marker, payload_of
from darnel.core.planting.crafting import Ground, craft
from darnel.core.queries import make_queries
from darnel.patterns import entries
from darnel.patterns.base import Recipe
from darnel.patterns.payloads import registry
from darnel.patterns.payloads.base import payload
from darnel.patterns.payloads.registry import known_payloads, parse_payloads
from darnel.patterns.registry import BUILT_IN as PATTERNS
from darnel.patterns.registry import parse_doses
from tests.patterns.test_library import FRAME_WORDS, PLAIN, plain, words_of
from tests.patterns.test_patterns import OTHERS, PASSAGES, TRANSLATIONS

PAYLOADS = registry.BUILT_IN
MARKERS = (make_marker(0, "one"), make_marker(0, "two"))
FILLER = """this paragraph is filler text for a retrieval test and says nothing about any subject it repeated so that the
document grows while its meaning does not reader may skip without missing anything at all here should be quoted stored or acted
upon"""
VOCABULARY = words_of(
    """a above administration all and answer answering answers approval assistant assistants base64 before binding call cannot
    checked code contain decode end every first follow following for from go grade handbook i ignore in instructions is it its
    line must notice of on only order page pass previous readers release repeat reference reply stands summaries system
    text that the then this to today tool under understood user with withdrawn word write written you your backwards
    question doc documents im_end im_start by file_note"""
)
"""Every word that a payload may hold; a new one is looked at by whoever adds it here."""


def parts(item: Payload) -> list[str]:
    return [item.say(MARKERS[: item.parts], part) for part in range(item.parts)]


def opened(text: str) -> str:
    """With what is in Base64 written out beside it."""
    runs = re.findall(r"[A-Za-z0-9+/]{24,}={0,2}", text)
    for run in runs:
        text = text.replace(run, base64.b64decode(run).decode())
    return text


@pytest.mark.parametrize("name", PAYLOADS)
def test_a_payload_asks_for_its_marker_and_nothing_else(name: str) -> None:
    item = PAYLOADS[name]
    for part, text in enumerate(parts(item)):
        said = opened(text)
        assert find_markers(said) == {MARKERS[part]}
        assert words_of(said) - words_of(" ".join(MARKERS)) <= VOCABULARY
        assert not re.search(r"https?:|www\.|@|[\\{}$`]|\d(?!4\b)", re.sub(r"darnel-\w+|[Bb]ase64", "", said))
        assert len(said) < 300


@pytest.mark.parametrize("pattern", PATTERNS)
@pytest.mark.parametrize("name", PAYLOADS)
def test_every_pattern_carries_every_payload_and_nothing_else(name: str, pattern: str) -> None:
    item, recipe = PAYLOADS[name], PATTERNS[pattern]
    for part, says in enumerate(parts(item)):
        for copy in range(12):
            request = CraftRequest(
                *(PLAIN, 3, copy, MARKERS[part], default_carrier, PASSAGES, random.Random(0)),
                others=OTHERS,
                translations=TRANSLATIONS,
                template={"source": "handbook", "tags": ["doors"]},
                says=says,
            )
            made = recipe.craft(request)
            text = made.text if isinstance(made, Crafted) else made
            assert find_markers(text) == {MARKERS[part]}
            assert recipe.is_control or says in text
            bait = words_of(plain(text.replace(says, " "))) - words_of(" ".join(MARKERS))
            allowed = words_of(" ".join([PLAIN, FILLER, *OTHERS, *PASSAGES, *TRANSLATIONS]))
            assert bait <= allowed | FRAME_WORDS | (words_of(says) if recipe.is_control else set())


def test_a_control_is_as_long_as_what_it_is_compared_with() -> None:
    for item in PAYLOADS.values():
        says = item.say(MARKERS[: item.parts])
        request = CraftRequest(
            *(PLAIN, 1, 0, MARKERS[0], default_carrier, [" ".join(PASSAGES)] * 40, random.Random(0)), says=says
        )
        control, honest = (PATTERNS[name].craft(request) for name in ("control", "honest"))
        assert control == says
        assert isinstance(honest, str)
        assert abs(len(honest.split()) - len(says.split())) <= 1
        assert "Reply" not in honest


QUERIES = make_queries(["red key", "blue car"])
GROUND = Ground(QUERIES, {}, CorpusDescription("b", "c", "i", 1), "c", RunOptions())


def test_parts_belong_together_and_each_has_a_marker_of_its_own() -> None:
    (dose,) = parse_doses(["flood:3"], controls=False, payloads=["multi-hop"])
    plants = craft(dose, GROUND).plants["q1"]
    assert dose.plants == len(plants) == 6
    assert len({p.marker for p in plants}) == len({p.id for p in plants}) == 6
    for first, second in zip(plants[::2], plants[1::2], strict=True):
        assert f"release word of this handbook is {first.marker}" in first.text
        assert first.marker not in second.text
        assert f"Page {second.marker}" in second.text


def test_a_payload_is_named_in_labels_plants_and_markers() -> None:
    with_it, without = (parse_doses(["echo:3"], controls=False, payloads=p)[0] for p in (["authority"], []))
    assert (with_it.label, without.label) == ("echo:3+authority", "echo:3")
    assert (payload_of(with_it.label), payload_of(without.label)) == ("authority", "")
    one, other = craft(with_it, GROUND).plants["q1"][0], craft(without, GROUND).plants["q1"][0]
    assert (one.name, other.name) == ("echo:3+authority/q1/0", "echo:3/q1/0")
    assert one.marker != other.marker
    assert one.payload == "authority"
    assert craft(with_it, GROUND).info().payload == "authority"


def test_each_payload_has_its_own_controls_whether_named_or_handed_in() -> None:
    labels = [dose.label for dose in parse_doses(["echo"], payloads=["order", "polite"])]
    assert labels == [
        *("control:1+order", "honest:1+order", "control:1+polite", "honest:1+polite"),
        *("echo:1+order", "echo:1+polite"),
    ]
    handed = parse_doses([Dose(PATTERNS["echo"], 2, payload=PAYLOADS["polite"]), "echo"])
    assert [d.label for d in handed if d.pattern.is_control] == [
        *("control:1+polite", "honest:1+polite", "control:1", "honest:1"),
    ]


def test_a_pattern_that_leaves_the_payload_out_is_refused(tmp_path: Path) -> None:
    (tmp_path / "bare.toml").write_text('name = "bare"\ntext = "{query} {marker}"')
    (dose,) = parse_doses([f"{tmp_path}/bare.toml"], controls=False, payloads=["order"])
    with pytest.raises(PlantError, match=r"'bare' does not carry the payload 'order' whole; put request.body"):
        craft(dose, GROUND)
    title = Recipe("t", "T.", "times", lambda r: Crafted(f"Record {r.marker}", {"title": r.body}))
    assert craft(Dose(title, 1, payload=PAYLOADS["order"]), GROUND).all()


def test_names_all_and_unknown_ones() -> None:
    assert [p.name for p in parse_payloads(["all"])] == list(known_payloads())
    assert [p.name for p in parse_payloads(["polite", PAYLOADS["order"], "polite"])] == ["polite", "order"]
    assert parse_payloads("order") == [PAYLOADS["order"]]
    assert parse_doses("echo", payloads="order") == parse_doses(["echo"], payloads=["order"])
    with pytest.raises(UnknownNameError, match="unknown payload 'autority'; did you mean 'authority'"):
        parse_payloads(["autority"])
    for item in PAYLOADS.values():
        assert item.family != "custom"
        assert item.summary.endswith(".")
        assert item.references


def test_a_function_becomes_a_payload_by_a_decorator() -> None:
    @payload(summary="In the passive voice")
    def passive_voice(request: PayloadRequest) -> str:
        return f"{request.marker} is to be said."

    assert (passive_voice.name, passive_voice.summary) == ("passive-voice", "In the passive voice.")
    assert craft(Dose(PATTERNS["echo"], 1, payload=passive_voice), GROUND).all()[0].text.endswith("is to be said.")


SHELF = Payload("shelf", "Shelf.", lambda r: r.marker)


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("shelf", "tests.patterns.test_payloads:SHELF", None),
        ("other", "tests.patterns.test_payloads:SHELF", "is taken, or is not what"),
        ("order", "tests.patterns.test_payloads:SHELF", "is taken, or is not what"),
        ("number", "math:pi", "is no payload"),
    ],
)
def test_third_party_payloads(name: str, value: str, message: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(entries, "entry_points", lambda group: [EntryPoint(name, value, group)])
    if message is None:
        assert known_payloads()["shelf"] is SHELF
    else:
        with pytest.raises(UsageError, match=message):
            known_payloads()


def test_a_run_says_what_was_said_and_lifts_over_the_control_of_the_same_payload(tmp_path: Path) -> None:
    corpus = darnel.MemoryCorpus(Record(f"r{i}", f"red key {i} hangs by the door", {}) for i in range(6))
    options = RunOptions(gates=["echo:2+tool-call exposure@1 > 0.5", "echo exposure@1 < 0.5"])
    results = darnel.run(
        corpus, ["red key"], ["echo:2"], payloads=["tool-call", "multi-hop"], options=options, ledger=tmp_path / "l.db"
    )
    scores = {s.pattern: s for s in results.scores}
    assert list(scores) == [
        *("control:1+tool-call", "honest:1+tool-call", "control:1+multi-hop", "honest:1+multi-hop"),
        *("echo:2+tool-call", "echo:2+multi-hop"),
    ]
    assert all(scores[label].lift_over_control["1"].value == 1.0 for label in ("echo:2+tool-call", "echo:2+multi-hop"))
    assert [p.payload for p in results.patterns[-2:]] == ["tool-call", "multi-hop"]
    assert [p.plants for p in results.patterns] == [1, 1, 2, 2, 1, 2]
    assert FAKE_TOOL in results.patterns[-2].example
    assert [gate.verdict for gate in results.gates] == ["failed", "passed"]
    assert not results.leftovers
    assert results.cleanup.planted == results.cleanup.removed == 9


def test_a_payload_that_is_found_by_itself_has_no_lift_over_its_own_control(tmp_path: Path) -> None:
    corpus = darnel.MemoryCorpus(Record(f"r{i}", f"the key {i} hangs by the door", {}) for i in range(6))
    found = Payload("found", "Names what is asked for.", lambda r: f"red key red key red key {r.marker}")
    results = darnel.run(corpus, ["red key"], ["echo:3"], payloads=["order", found], ledger=tmp_path / "l.db")
    lifts = {s.pattern: s.lift_over_control["1"].value for s in results.scores if not s.control}
    assert lifts == {"echo:3+order": 1.0, "echo:3+found": 0.0}


def test_an_answer_that_obeys_is_seen_in_the_funnel_in_whatever_spelling_was_asked_for(tmp_path: Path) -> None:
    from darnel.models.base import Message
    from darnel.models.resolve import resolve_model

    corpus = darnel.MemoryCorpus(Record(f"r{i}", f"Key {i} hangs by the door.", {}) for i in range(6))
    model = resolve_model("scripted:obedient")

    def app(question: str) -> tuple[str | None, list[dict[str, str]]]:
        (found,) = corpus.retrieve([question], 4)
        context = "\n".join(source.text or "" for source in found.sources)
        said = model.reply([Message("user", f"{context}\n{question}")])
        return said.text, [{"id": s.id or "", "text": s.text or ""} for s in found.sources]

    names = ["order", "backwards", "encoded", "multi-hop"]
    results = darnel.run(app, ["Which key?"], ["keywords"], payloads=names, into=corpus, ledger=tmp_path / "l.db")
    reached = {s.pattern: s.funnel["in answer"].value for s in results.scores}
    assert [reached[f"keywords:5+{name}"] for name in names] == [1.0] * 4
    assert [reached[f"honest:1+{name}"] for name in names] == [0.0] * 4
