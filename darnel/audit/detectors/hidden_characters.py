"""Characters that draw nothing, where nothing in the writing system asks for them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Any

from darnel.audit.batch import Entry
from darnel.audit.detector import BaseDetector
from darnel.audit.model import MOST_SPANS, Finding, Severity, Span

_CANDIDATES = re.compile(
    "[\0-\x08\x0e-\x1f\x7f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    "\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e0fff]"
)
_CONTROLS = re.compile("[\0-\x08\x0e-\x1f\x7f]")
_BLANKS = "\u200b\u200c\u200d\u2060\u2061\u2062\u2063\u2064\ufeff\u180e\u034f\u115f\u1160\u3164\uffa0"
_IN_WORDS = ("an invisible character inside a word", "soft hyphens around single letters")
_KINDS: tuple[tuple[Severity, str, str, bool], ...] = (
    ("high", "hidden ASCII in tag characters", "tags", True),
    ("high", "a run of invisible characters", "run", True),
    ("medium", _IN_WORDS[0], "inside", True),
    ("medium", _IN_WORDS[1], "hyphens", True),
    ("medium", "a control character", "control", True),
    ("high", "a direction override", "override", False),
    ("medium", "a direction change without right-to-left text", "embed", False),
)
"""How bad, what it is, the rule that finds it, and whether it means anything in a text with right-to-left letters."""
RUN = 4
"""So many invisible characters in a row are a hidden message rather than typography."""


@cache
def _rules() -> dict[str, Any]:
    import regex

    joining = (
        "["
        + "".join(
            rf"\p{{Script={s}}}"
            for s in (
                *(
                    "Arabic",
                    "Syriac",
                    "Mandaic",
                    "Nko",
                    "Mongolian",
                    "Adlam",
                    "Devanagari",
                    "Bengali",
                    "Gurmukhi",
                    "Gujarati",
                ),
                *(
                    "Oriya",
                    "Tamil",
                    "Telugu",
                    "Kannada",
                    "Malayalam",
                    "Sinhala",
                    "Khmer",
                    "Myanmar",
                    "Tibetan",
                    "Thai",
                    "Lao",
                ),
                *("Han", "Hiragana", "Katakana", "Hangul"),
            )
        )
        + r"\p{M}]"
    )
    picture = r"[\p{Extended_Pictographic}\p{Regional_Indicator}\p{Emoji_Modifier}]"
    return {
        # what may stand there: emoji sequences, keycaps, flags, one selector behind a sign or an ideograph, joiners
        # beside joining scripts, marks of direction beside right-to-left letters, a byte order mark at a line's start
        "allowed": regex.compile(
            rf"{picture}[\ufe0e\ufe0f]?\p{{Emoji_Modifier}}?(?:\u200d{picture}[\ufe0e\ufe0f]?\p{{Emoji_Modifier}}?)+"
            rf"|[0-9#*]\ufe0f?\u20e3|\U0001f3f4[\U000e0030-\U000e0039\U000e0061-\U000e007a]{{2,6}}\U000e007f"
            rf"|[\p{{S}}\p{{P}}\p{{Emoji}}\p{{Script=Han}}\p{{Script=Mongolian}}\p{{Script=Myanmar}}]"
            rf"[\u180b-\u180d\ufe00-\ufe0f\U000e0100-\U000e01ef]"
            rf"|{joining}[\u200b-\u200d\u2060]{{1,2}}|[\u200b-\u200d\u2060](?={joining})"
            rf"|(?m:^\ufeff)|(?<=[\p{{Script=Hangul}}])[\u115f\u1160]|[\u115f\u1160](?=\p{{Script=Hangul}})"
        ),
        "rtl": regex.compile(r"[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]"),
        "inside": regex.compile(rf"\p{{L}}([{_BLANKS}\u200e\u200f]{{1,3}})(?=\p{{L}})"),
        "hyphens": regex.compile("\\p{L}?(?:\xad\\p{L}){2,}"),
        "tags": regex.compile("[\U000e0001\U000e0020-\U000e007f]+"),
        "run": regex.compile(rf"[{_BLANKS}\u180b-\u180f\u200e\u200f\ufe00-\ufe0f\U000e0100-\U000e01ef]{{{RUN},}}"),
        "override": regex.compile("[\u202d\u202e]"),
        "embed": regex.compile("[\u202a\u202b\u2066-\u2068]"),
        "control": regex.compile("[\0-\x08\x0e-\x1a\x1b\x7f]"),
    }


class HiddenCharacters(BaseDetector):
    """Context decides: emoji, joining scripts, right-to-left text, soft hyphens and byte order marks are no findings."""

    name = "hidden-characters"
    summary = "Zero-width, direction, tag and control characters that no writing system asks for."
    blind = "Single invisible characters between words, and text hidden by markup or styling (see hidden-text)."
    advice = "Strip these characters at ingest, then look at what the text says without them."
    alone = True
    splits = True

    def look(self, entry: Entry) -> Iterator[Finding]:
        """See ``BaseDetector.look``."""
        if not (_CONTROLS if entry.text.isascii() else _CANDIDATES).search(entry.text):
            return
        text, rules = entry.text, _rules()
        # each allowed stretch becomes as many ordinary signs, so that places stay and its letters join nothing else
        rest = rules["allowed"].sub(lambda m: "." * len(m[0]), text) if not text.isascii() else text
        rtl = rules["rtl"].search(rest) is not None
        found = {
            (severity, what): places
            for severity, what, rule, beside_rtl in _KINDS
            if (beside_rtl or not rtl) and (places := [m.span() for m in rules[rule].finditer(rest)])
        }
        if not found:
            return
        count = sum(map(len, found.values()))
        inside = sum(len(places) for (_, what), places in found.items() if what in _IN_WORDS)
        worst: Severity = "high" if inside >= 3 or any(severity == "high" for severity, _ in found) else "medium"
        why = f"The text holds {', '.join(sorted(what for _, what in found))}."
        first = sorted((*place, what) for (_, what), places in found.items() for place in places[:MOST_SPANS])[
            :MOST_SPANS
        ]
        spans = [Span(start, end, f"{what}: {_spelled(text, start, end)}") for start, end, what in first]
        yield self.finding(entry, worst, count, why, spans)


def _spelled(text: str, start: int, end: int) -> str:
    """The characters around, with the invisible ones by number; tag characters as the ASCII they stand for."""
    part = text[start : min(end, start + 80)]
    if "\U000e0020" <= part[-1] <= "\U000e007f":
        return repr("".join(chr(ord(c) - 0xE0000) for c in part if "\U000e0020" <= c <= "\U000e007e"))
    around = text[max(0, start - 8) : min(end, start + 24) + 8]
    return "".join(f"<U+{ord(c):04X}>" if _CANDIDATES.match(c) else c for c in around)
