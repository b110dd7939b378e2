"""Words and sentences, as the built-in rankers and patterns see them."""

from __future__ import annotations

import re
from functools import cache

_WORD = re.compile(r"\w+")
_BETWEEN = str.maketrans({ch: " " for ch in map(chr, range(128)) if not _WORD.match(ch)})
"""ASCII characters that part words, each to a space: to part a text at spaces is twice as fast as to match words."""
# every branch starts with a character of its own, so the search skips from one to the next; a look-behind would stop at each
_SENTENCE_END = re.compile(r"[.!?]\s+|[。！？]|\n+")


def unstorable(text: str) -> str | None:
    """What a text holds that stores cut, change or refuse, in words; None where it holds nothing of the kind."""
    if "\0" in text:
        return "a NUL character"
    try:
        text.encode()
    except UnicodeEncodeError:
        return "a lone surrogate"
    return None


def storable(text: str) -> str:
    """The text with a space in the place of each character that ``unstorable`` would name."""
    return text.replace("\0", " ").encode("utf-8", "replace").decode() if unstorable(text) else text


@cache
def stop_words() -> frozenset[str]:
    """English stop words: NLTK's 179, as bm25s carries them."""
    from bm25s.stopwords import STOPWORDS_EN_PLUS

    return frozenset(word for entry in STOPWORDS_EN_PLUS for word in _WORD.findall(entry.lower()))


def words(text: str) -> list[str]:
    """Lower-cased runs of word characters, in order."""
    if text.isascii():
        return text.lower().translate(_BETWEEN).split()
    return _WORD.findall(text.lower())


def content_words(text: str) -> list[str]:
    """Words without stop words, in order, repeats kept."""
    stop = stop_words()
    return [word for word in words(text) if word not in stop]


def content_terms(text: str) -> list[str]:
    """Content words once each, in order; where a text has none, all its words, or else the text itself."""
    found = list(dict.fromkeys(content_words(text))) or list(dict.fromkeys(words(text)))
    return found or text.split()


def sentences(text: str) -> list[str]:
    """The sentences of a text, trimmed, empty ones left out."""
    parts, start = [], 0
    for end in _SENTENCE_END.finditer(text):
        parts.append(text[start : end.start() + 1])  # the mark stays with its sentence; a line break is trimmed below
        start = end.end()
    parts.append(text[start:])
    return [s for part in parts if (s := " ".join(part.split()))]
