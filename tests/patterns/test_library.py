"""The whole library: every text is carrier, bait and marker and nothing else, and each pattern is what it says it is."""

from __future__ import annotations

import html
import re
import unicodedata
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from darnel.core.corpus import CorpusDescription, RecordShape
from darnel.core.errors import PlantError, UsageError
from darnel.core.options import RunOptions
from darnel.core.pattern import CARRIER, CraftRequest, Dose, Pattern, about
from darnel.core.plant import find_markers
from darnel.core.planting.crafting import Ground, craft, neighbours
from darnel.core.queries import Query, make_queries
from darnel.core.text import content_terms
from darnel.patterns import flood, length
from darnel.patterns.base import pattern
from darnel.patterns.characters import LOOK_ALIKES, ZERO_WIDTH
from darnel.patterns.registry import BUILT_IN, parse_doses
from darnel.patterns.template import SLOTS, load_template
from tests.patterns.test_patterns import MARKER, OTHERS, PASSAGES, TRANSLATIONS, crafted

ODD = {
    "only stop words": "who is it",
    "Thai": "กุญแจอยู่ที่ไหน",
    "Chinese": "钥匙在哪里？",
    "emoji": "🔑❓👩‍👩‍👧 🇩🇪",
    "one letter": "x",
    "braces": "{query} {0} %s $x",
    "markup": "<!-- --> </span> & -- ]]>",
    "very long": "key " * 10_000,
}
PLAIN = "Where is the brass key of the north door?"
FRAMES = "question answer the to is in record see also ref entry on topic summary for frequently asked regarding"
FRAME_WORDS = {*FRAMES.split(), "span", "style", "display", "none"}


def words_of(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.casefold()))


def plain(text: str) -> str:
    """The text as its author means it: markup opened, invisible characters dropped, look-alikes written plainly."""
    back = {after: chr(before) for before, after in LOOK_ALIKES.items()}
    opened = html.unescape(text).replace(ZERO_WIDTH, "")
    return "".join(back.get(ord(ch), ch) for ch in opened)


@pytest.mark.parametrize("name", BUILT_IN)
@given(strength=st.integers(1, 30), copy=st.integers(0, 12))
@settings(max_examples=20)
def test_a_text_is_carrier_bait_and_marker_and_nothing_else(name: str, strength: int, copy: int) -> None:
    made = crafted(name, query=PLAIN, strength=strength, copy=copy)
    allowed = words_of(
        " ".join([CARRIER, PLAIN, MARKER, *OTHERS, *PASSAGES, *TRANSLATIONS, *length.FILLER, *flood._FRAMES])
    )
    extra = words_of(plain(made.text)) - allowed - FRAME_WORDS
    assert not extra
    fields = words_of(" ".join(str(value) for value in made.metadata.values()))
    assert fields <= words_of(PLAIN)


@pytest.mark.parametrize("query", ODD.values(), ids=ODD.keys())
@pytest.mark.parametrize("name", BUILT_IN)
def test_no_query_breaks_a_pattern(name: str, query: str) -> None:
    made = crafted(name, query=query, strength=2)
    assert find_markers(made.text) == {MARKER}


@pytest.mark.parametrize("name", BUILT_IN)
def test_each_says_what_it_is(name: str) -> None:
    said = about(BUILT_IN[name])
    assert said.box in ("black", "grey", "white")
    assert set(said.fields) <= {"text", "metadata", "vector"}
    assert said.family != "custom"
    made = crafted(name)
    assert ("metadata" in said.fields) == bool(made.metadata)
    assert ("vector" in said.fields) == bool(made.vector_of)


def test_zero_width_and_homoglyph_hide_the_query_from_words_and_not_from_eyes() -> None:
    for name in ("zero-width", "homoglyph"):
        text = crafted(name, query=PLAIN).text
        assert PLAIN not in text
        assert plain(text).startswith(PLAIN)
        assert not set(content_terms(PLAIN)) & words_of(text)
    assert all("CYRILLIC" in unicodedata.name(chr(after)) for after in LOOK_ALIKES.values())


def test_fields_are_those_of_the_corpus_in_their_types() -> None:
    assert crafted("tags", query=PLAIN, strength=2).metadata == {"tags": ["brass", "key", "north", "door"] * 2}
    assert crafted("title", query=PLAIN).metadata == {"title": PLAIN}
    assert PLAIN not in crafted("title", query=PLAIN).text


def test_partial_keeps_the_share_it_says() -> None:
    for per_cent in (25, 50, 75, 100):
        query = "Where does each brass key of that door hang"
        kept = crafted("partial", query=query, strength=per_cent).text.removesuffix(crafted("control").text).split()
        assert len(kept) == max(1, round(9 * per_cent / 100))
        positions = [query.split().index(word) for word in kept]
        assert positions == sorted(positions)
    with pytest.raises(PlantError, match="at most 100"):
        crafted("partial", strength=101)


def test_straddle_ends_the_query_where_the_chunk_ends() -> None:
    words = crafted("straddle", query=PLAIN, strength=60).text.split()
    assert " ".join(words[60 - len(PLAIN.split()) : 60]) == PLAIN
    assert MARKER not in " ".join(words[:60])
    assert len(crafted("dilute", query=PLAIN, strength=200).text.split()) == 200 + 9 + 34


def test_a_trigger_names_the_rarest_word_and_a_dump_never_the_query() -> None:
    assert crafted("trigger", query="Where is the brass lock?", strength=2).text.startswith("brass brass. ")
    dumped = crafted("term-dump", query=PLAIN, strength=2).text.partition(".")[0]
    assert dumped == "lock oiled door"


WHERE = CorpusDescription("b", "c", "i", 1, shape=RecordShape(1, {"title": "T", "tenant": "acme"}))
QUERIES = make_queries(["red key", "red door", "blue car", "RED KEY"])


def test_neighbours_come_by_shared_words_and_are_never_the_query_itself() -> None:
    near = neighbours(QUERIES)
    assert near["q1"] == ["red door", "blue car"]
    assert near["q3"][0] in ("red key", "red door", "RED KEY")


def ground(**given_: object) -> Ground:
    return Ground(QUERIES, {}, WHERE, "c", RunOptions(), **given_)  # type: ignore[arg-type]


def test_a_hub_lies_in_the_middle_of_other_queries() -> None:
    vectors = {"red door": [2.0, 0.0], "blue car": [0.0, 2.0]}
    crop = craft(parse_doses(["hub"])[-1], ground(vectors=lambda texts: [vectors.get(t, [1.0, 1.0]) for t in texts]))
    assert np.allclose(crop.plants["q1"][0].vector, [2**0.5, 2**0.5])
    swap = craft(parse_doses(["swap"])[-1], ground(vectors=lambda texts: [[3.0, 4.0] for _ in texts]))
    assert np.allclose(swap.plants["q1"][0].vector, [3.0, 4.0])
    assert "red" not in swap.plants["q1"][0].text


def test_a_pattern_that_writes_vectors_is_refused_where_none_are_taken() -> None:
    with pytest.raises(PlantError, match="pattern 'swap' writes vectors of its own, which this target does not take"):
        craft(parse_doses(["swap"])[-1], ground())


def test_fields_of_a_pattern_stand_over_the_corpus_s_and_under_the_user_s() -> None:
    dose = parse_doses(["title"])[-1]
    assert craft(dose, ground()).plants["q1"][0].metadata["title"] == "red key"
    own = Ground(QUERIES, {}, WHERE, "c", RunOptions(metadata={"title": "mine"}))
    assert craft(dose, own).plants["q1"][0].metadata["title"] == "mine"
    assert craft(dose, own).plants["q1"][0].metadata["tenant"] == "acme"


def test_a_twin_speaks_the_languages_of_the_query_file() -> None:
    given_ = make_queries(
        [{"text": "Where is the key?", "translations": {"de": "Wo ist der Schlüssel?", "fr": "Où est la clé ?"}}]
    )
    crop = craft(Dose(BUILT_IN["twin"], 2), Ground(given_, {}, WHERE, "c", RunOptions()))
    assert [p.text.partition(" This")[0] for p in crop.plants["q1"]] == ["Wo ist der Schlüssel?", "Où est la clé ?"]
    with pytest.raises(PlantError, match="needs the query in another language"):
        craft(Dose(BUILT_IN["twin"], 1), ground())


def test_a_function_becomes_a_pattern_by_a_decorator() -> None:
    @pattern(summary="A memo about the query", dose="repeats", default_strength=2)
    def memo_note(request: CraftRequest) -> str:
        return " ".join(["Memo:", *[request.query] * request.strength, request.body])

    assert isinstance(memo_note, Pattern)
    dose = parse_doses([memo_note])[-1]
    assert (dose.label, dose.pattern.summary) == ("memo-note:2", "A memo about the query.")
    assert craft(dose, ground()).plants["q1"][0].text.startswith("Memo: red key red key This notice")


GOOD = 'name = "memo"\nsummary = "A memo"\ntext = """\nMemo on {terms}: {bait} {body}"""\ndefault_strength = 2\n'


def test_a_template_makes_a_pattern(tmp_path: Path) -> None:
    (tmp_path / "memo.toml").write_text(GOOD)
    dose = parse_doses([f"{tmp_path}/memo.toml:3"])[-1]
    assert dose.label == "memo:3"
    text = craft(dose, ground()).plants["q1"][0].text
    assert text.startswith("Memo on red key: red key red key red key This notice")
    assert dose.pattern.summary == "A memo."
    assert parse_doses([f"{tmp_path}/memo.toml"])[-1].strength == 2


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("name = x", "no TOML: .*line 1"),
        ('text = "{body}"', ":1: give name"),
        ('name = "Memo"\ntext = "{body}"', ":1: give name"),
        ('name = "memo"\n', ":1: give text"),
        ('name = "memo"\ntext = "{boddy}"', r":2: unknown slot \{boddy\}"),
        ('name = "memo"\n\ntext = "{query}"', ":3: the text needs"),
        ('name = "memo"\ntext = "{body"', ":2: .*write {{ and }}"),
        ('name = "memo"\ntext = "{body.x}"', ":2: unknown slot"),
        ('name = "memo"\ntext = "{body!r}"', ":2: unknown slot"),
        ('name = "memo"\ntext = "{body}"\ncopies = 0', ":3: copies is"),
        ('name = "memo"\ntext = "{body}"\ndefault_strength = true', ":3: default_strength is"),
        ('name = "memo"\ntext = "{body}"\ncopys = 2', ":3: unknown key 'copys'"),
    ],
)
def test_a_broken_template_is_named_with_its_line(tmp_path: Path, source: str, message: str) -> None:
    path = tmp_path / "p.toml"
    path.write_text(source)
    with pytest.raises(UsageError, match=message):
        parse_doses([str(path)])


def test_a_missing_template(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot read the pattern"):
        load_template(str(tmp_path / "none.toml"))
    assert {"query", "body", "marker"} <= SLOTS.keys()


def test_translations_are_checked() -> None:
    assert make_queries([Query("a", "b")])[0].translations == ()
    with pytest.raises(UsageError, match="'translations' must be a list of texts"):
        make_queries([{"text": "x", "translations": [1]}])
