"""Normalise characters before indexing: invisible ones dropped, look-alikes of Latin letters written as those letters."""

from __future__ import annotations

import unicodedata
from functools import cache

from darnel.core.errors import UsageError


def normalise(text: str) -> str:
    """NFKC, without format characters (zero-width, bidi, tags), and each letter that is drawn like an ASCII one as that one.

    The look-alikes are those of UTS #39, from the package confusable-homoglyphs. A text in another script becomes a mix
    of letters, alike for question and record, so that only the comparison is meant to see it.

    Raises:
        UsageError: the package is not installed.
    """
    plain = unicodedata.normalize("NFKC", text)
    return "".join(_letter(ch) for ch in plain if unicodedata.category(ch) != "Cf")


@cache
def _letter(ch: str) -> str:
    if ch.isascii() or not ch.isalpha():
        return ch
    try:
        from confusable_homoglyphs import confusables
    except ImportError:
        raise UsageError(
            "normalising needs the package confusable-homoglyphs; run: pip install 'darnel[defences]'"
        ) from None
    found = confusables.is_confusable(ch, greedy=True, preferred_aliases=[]) or []
    for entry in found:
        for alike in entry["homoglyphs"]:
            if len(alike["c"]) == 1 and alike["c"].isascii() and alike["c"].isalpha():
                return str(alike["c"])
    return ch
