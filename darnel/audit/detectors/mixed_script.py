"""Words that mix scripts with letters drawn alike, as nobody types them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

from darnel.audit.batch import Entry
from darnel.audit.detector import BaseDetector
from darnel.audit.model import MOST_SPANS, Finding, Severity, Span


@cache
def _words() -> Any:
    """Words in which a Latin letter stands next to a Cyrillic, Greek, Armenian, Cherokee or Coptic one, or the reverse."""
    import regex

    other = (
        r"[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}\p{Script=Coptic}\p{Script=Lisu}]"
    )
    return regex.compile(
        rf"(?<![\p{{L}}\p{{M}}])(?:\p{{Latin}}\p{{M}}*+)++{other}[\p{{L}}\p{{M}}]*+"
        rf"|(?<![\p{{L}}\p{{M}}])(?:{other}\p{{M}}*+)++\p{{Latin}}[\p{{L}}\p{{M}}]*+"
    )


@cache
def _styled() -> Any:
    import regex

    return regex.compile(r"[\U0001d400-\U0001d7cb\U0001f130-\U0001f149\U0001f170-\U0001f189]{4,}")


@cache
def latin_of(letter: str) -> str | None:
    """The Latin letter that one of another script is drawn like (UTS #39), or None."""
    from confusable_homoglyphs import confusables

    found = confusables.is_confusable(letter, greedy=True, preferred_aliases=["latin"]) or []
    for item in found:
        for alike in item["homoglyphs"]:
            if len(alike["c"]) == 1 and alike["c"].isascii() and alike["c"].isalpha():
                return str(alike["c"]).upper() if letter.isupper() else str(alike["c"])
    return None


@cache
def _is_latin(letter: str) -> bool:
    import regex

    return regex.match(r"\p{Latin}", letter) is not None


class _Folding(dict[int, int | str]):
    """For ``str.translate``: each letter of another script to the Latin one that it is drawn like; filled as letters are met."""

    def __missing__(self, code: int) -> int | str:
        letter = chr(code)
        foreign = letter.isalpha() and not letter.isascii() and not _is_latin(letter)
        found = self[code] = (latin_of(letter) if foreign else None) or code
        return found


_FOLDING = _Folding()


def folded(text: str) -> str:
    """The text with every letter of another script that is drawn like a Latin one replaced by that one."""
    return text if text.isascii() else text.translate(_FOLDING)


def disguised(word: str) -> bool:
    """Whether all of the word's foreign letters, or all of its Latin ones, pass for the other script's.

    Short symbols (``Δt``) and words with a native ending (a Latin stem, a Cyrillic ending) do not.
    """
    letters = [ch for ch in word if ch.isalpha()]
    foreign = [ch for ch in letters if not _is_latin(ch)]
    if len(letters) < 4 or not foreign:
        return False
    if len(foreign) < len(letters) and all(latin_of(ch) for ch in foreign):
        return True
    latin = [ch for ch in letters if _is_latin(ch)]
    return len(latin) < len(foreign) and all(ch in "aceiopsxyABCEHIKMOPTXYy" for ch in latin)


class MixedScript(BaseDetector):
    """By Unicode's script and confusables data, which the libraries carry."""

    name = "mixed-script"
    summary = (
        "Words that mix Latin with look-alike letters of another script, or are spelled in styled mathematical letters."
    )
    blind = "Words written wholly in one other script, and languages that mix scripts on purpose."
    advice = "Normalise look-alike letters at ingest (UTS #39), then look at what the text says with them."
    alone = True
    splits = True

    def look(self, entry: Entry) -> Iterator[Finding]:
        """See ``BaseDetector.look``."""
        if entry.text.isascii():
            return
        mixed = [m.span() for m in _words().finditer(entry.text) if disguised(m[0][:200])]
        spans = [
            Span(start, end, _spelled(entry.text[start : min(end, start + 60)])) for start, end in mixed[:MOST_SPANS]
        ]
        styled = [Span(m.start(), m.end(), m[0][:60]) for m in _styled().finditer(entry.prose)]
        if spans:
            severity: Severity = "high" if len(mixed) >= 3 else "medium"
            yield self.finding(
                entry, severity, len(spans), "Words mix scripts with letters that are drawn alike.", spans
            )
        if styled:
            yield self.finding(
                entry, "medium", len(styled), "Words are spelled in styled mathematical letters.", styled
            )


def _spelled(word: str) -> str:
    codes = " ".join(f"U+{ord(ch):04X}" for ch in word if ch.isalpha() and not _is_latin(ch))
    return f"{word} (not Latin: {codes})"
