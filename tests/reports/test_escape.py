"""Hostile text is shown, and does nothing: on a terminal, in JSON, in Markdown."""

from __future__ import annotations

import html
import json
import re
import unicodedata

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from darnel.reports.escape import SHOWN, json_visible, markdown, visible

ATTACKS = [
    "\x1b[2J\x1b]0;owned\x07",
    "\x9b31mred",
    "\u202egnp.exe\u202c",
    "\u2066\u2069\u061c\u200f",
    "zero\u200bwidth\ufeff",
    "line\nbreak\r\x0b\x0c\x85\u2028\u2029",
    "\0",
    "\ud800",
    "\U000e0041\U000e007f",
]


def harmless(text: str) -> bool:
    return not any(unicodedata.category(ch) in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp") for ch in text)


@pytest.mark.parametrize("attack", ATTACKS)
def test_nothing_that_moves_or_hides_survives(attack: str) -> None:
    assert harmless(visible(f"a{attack}b"))
    assert "\\" in visible(f"a{attack}b")
    assert harmless(markdown(f"a{attack}b"))


@given(st.text())
def test_harmless_text_is_untouched_and_any_text_becomes_harmless(text: str) -> None:
    shown = visible(text, 10_000)
    assert harmless(shown)
    assert shown == text or not harmless(text)
    shown.encode()


@given(st.text(max_size=40), st.integers(1, 20))
def test_long_text_is_cut_and_says_so(text: str, limit: int) -> None:
    shown = visible(text, limit)
    if len(text) <= limit:
        assert "characters)" not in shown or "characters)" in text
    else:
        assert shown.endswith(f" … (+{len(text) - limit:,} characters)")
        assert shown.startswith(visible(text[:limit], limit))


def test_a_megabyte_is_cut() -> None:
    assert len(visible("\x1b" * 1_000_000)) < 6 * SHOWN


def test_escapes_say_what_was_there() -> None:
    assert visible("a\tb\nc\rd\x1b\x9b\u202e\U000e0041") == r"a\tb\nc\rd\x1b\x9b\u{202e}\u{e0041}"


@given(
    st.recursive(
        st.text() | st.integers() | st.none(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
        max_leaves=8,
    )
)
def test_json_says_the_same_with_nothing_hidden(value: object) -> None:
    document = json.dumps(value, indent=2, ensure_ascii=False)
    shown = json_visible(document)
    assert json.loads(shown) == json.loads(document) == value
    assert harmless(shown.replace("\n", ""))
    shown.encode()


def rendered(source: str) -> str:
    from markdown_it import MarkdownIt

    linkify = pytest.importorskip("linkify_it", reason="linkify-it-py is not installed")
    assert linkify
    return str(MarkdownIt("gfm-like").render(source))


FRAMES = {
    "paragraph": ("{}", r"<p>(.*)</p>\n"),
    "list item": ("- {}", r"<ul>\n<li>(.*)</li>\n</ul>\n"),
    "second line of an item": ("- a\n  Example: {}", r"<ul>\n<li>a\nExample:(?: |$)?(.*)</li>\n</ul>\n"),
    "bold": ("**x {}**", r"<p><strong>x ?(.*)</strong></p>\n"),
    "table cell": (
        "| a |\n|---|\n| {} |",
        r"<table>\n<thead>\n<tr>\n<th>a</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td>(.*)</td>\n</tr>\n</tbody>\n</table>\n",
    ),
}

markup = st.text(alphabet="\\`*_{}[]()<>#+-.!|~&$@:/=1a \"'w;", max_size=14)
snippets = st.sampled_from(
    [
        "<script>alert(1)</script>",
        "[x](http://e.example)",
        "![x](y)",
        "www.e.example",
        "http://e.example",
        "a@e.example",
        "1.",
        "x",
        "-",
        "x",
        "#",
        "x",
        ">",
        "x",
        "```",
        "~~~",
        "|",
        "x",
        "|",
        "&lt;",
        "&amp;#60;",
        "$x$",
        "***",
        "---",
        "<!--",
        "`x`",
        "~~x~~",
        "__x__",
        "@user",
        "#12",
        "[^1]:",
        "x",
        "\\*",
        "<a@b.example>",
    ]
)


@pytest.mark.parametrize("frame", FRAMES)
@given(st.one_of(markup, st.text(max_size=20), st.lists(snippets | markup, max_size=3).map("".join)))
@example("1) x")
@example("    indented")
@example("a  ")
@example("a\\")
def test_markdown_renders_as_the_text_itself(frame: str, text: str) -> None:
    assume(text.strip())
    source, expected = FRAMES[frame]
    found = re.fullmatch(expected, rendered(source.format(markdown(text, 10_000))))
    assert found, rendered(source.format(markdown(text, 10_000)))
    assert found[1] == html.escape(visible(text, 10_000).strip(), quote=False).replace('"', "&quot;")
