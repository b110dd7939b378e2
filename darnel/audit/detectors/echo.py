"""Known queries in the text: a document that holds a question word for word was written for it."""

from __future__ import annotations

import math
import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from darnel.audit.batch import Batch, Entry
from darnel.audit.detector import BaseDetector, Context
from darnel.audit.detectors.mixed_script import folded
from darnel.audit.model import Finding, Severity, Span, excerpt
from darnel.core.text import content_words, words

if TYPE_CHECKING:
    from darnel.audit.tokens import Marks, Runs, Tokens

CUT = 0.8
"""Share of a query's words that must stand in a row."""
FEWEST = 5
"""Words of a query that stand in a row anywhere by chance if they are fewer."""
FEWEST_WHOLE = 4
"""The same where the whole query stands at the very start of a text."""
SHORTEST = 2 * FEWEST_WHOLE - 1
"""Characters of so many words."""
GRAM = 3
MOST_FIELD = 4_000
"""Characters of a field that are looked at."""
MOST_WORDS = 1 << 30
"""More than stand in a row anywhere."""
_INVISIBLE = re.compile(
    "[\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff]"
)
_WORD = re.compile(r"\w+")
_HEADING = re.compile(
    r"[ \t]*(?:#{1,6}[ \t]|\*\*|__|<h[1-6]|(?:q|question|frage)\d*[.:)]|[-*+]|\d{1,3}[.)])?.{0,300}"
    r"\?[ \t*_#]*(?:</h[1-6]>)?[ \t]*$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Match:
    """``share`` of query ``query`` stands at words ``start`` to ``end``."""

    query: int
    share: float
    start: int
    end: int


class Index:
    """Queries by their word triples; only those long enough to mean something.

    ``whole``: a short one counts too where all of it stands at the start of a text.
    """

    def __init__(self, queries: Sequence[Sequence[str]], *, whole: bool) -> None:
        self._whole = whole
        self._lengths = [len(q) for q in queries]
        self._grams: dict[tuple[str, ...], list[tuple[int, int]]] = defaultdict(list)
        for number, query in enumerate(queries):
            if len(query) >= FEWEST_WHOLE:
                for at in range(len(query) - GRAM + 1):
                    self._grams[tuple(query[at : at + GRAM])].append((number, at))

    @cached_property
    def _runs(self) -> Runs:
        """Each triple with the shortest run of them that can be a match of a query that holds it."""
        from darnel.audit.tokens import Runs, numbers_of, triple_hashes

        least: dict[int, int] = {}
        for gram, holders in self._grams.items():
            key = int(triple_hashes(numbers_of(gram))[0])
            least[key] = min(least.get(key, MOST_WORDS), *(self._least(number) - GRAM + 1 for number, _ in holders))
        return Runs(least)

    def _least(self, query: int) -> int:
        """The fewest words in a row that are a match of a query."""
        length = self._lengths[query]
        if length == FEWEST_WHOLE:
            return length if self._whole else MOST_WORDS
        return max(FEWEST, math.ceil(CUT * length - 1e-9))

    def near(self, tokens: Tokens) -> Marks:
        """Which records may have a match: enough triples of queries one after the other."""
        return self._runs.within(tokens)

    def matches(self, tokens: Sequence[str]) -> list[Match]:
        """Every run of a query's words that covers enough of it."""
        runs: dict[tuple[int, int], tuple[int, int]] = {}  # (query, shift) → (first, last) triple of the run so far
        found: list[Match] = []
        if self._grams.keys().isdisjoint(zip(tokens, tokens[1:], tokens[2:], strict=False)):
            return found  # nearly every text, and told without a loop of ours
        for at, gram in enumerate(zip(tokens, tokens[1:], tokens[2:], strict=False)):
            for number, place in self._grams.get(gram, ()):
                key = (number, at - place)
                first, last = runs.get(key, (at, at - 1))
                runs[key] = (first if last == at - 1 else at, at)
        for (number, _shift), (first, last) in runs.items():
            length = last - first + GRAM
            share = length / self._lengths[number]
            if share >= CUT and (length >= FEWEST or (self._whole and share == 1 and not first)):
                found.append(Match(number, share, first, last + GRAM))
        return found


class QueryEcho(BaseDetector):
    """Looks at the words as they are, at the content words alone, and at both behind disguises (UTS #39, invisible)."""

    name = "echo"
    summary = (
        "Known queries that stand in the text, in its title or tags, word for word or term for term (needs --queries)."
    )
    blind = "Queries that are not in the file, paraphrases, and a question that stands on a line of its own as an FAQ has it."
    advice = "Ask whether the page has a reason to quote the question; compare it with its source."
    alone = True
    splits = True

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._queries = context.queries
        self._plain = Index([words(q.text) for q in self._queries], whole=True)
        self._terms = Index([content_words(q.text) for q in self._queries], whole=False)

    def unusable(self) -> str | None:
        """Without queries there is nothing to look for."""
        return None if self._queries else "it needs the questions that users ask: --queries FILE"

    def candidates(self, batch: Batch) -> Iterable[Entry]:
        """See ``BaseDetector.candidates``: those whose text or fields hold enough of a query in a row."""
        from darnel.audit.tokens import STOP, Tokens

        near = self._plain.near(batch.all_tokens) | self._terms.near(batch.all_tokens.without(STOP))
        disguised = [n for n, e in enumerate(batch.entries) if not e.text.isascii()]
        fields = [(n, v[:MOST_FIELD]) for n, e in enumerate(batch.entries) for _, v in e.fields if len(v) >= SHORTEST]
        others = [(n, batch.entries[n].text) for n in disguised] + fields
        seen = Tokens.of([_revealed(text) for _, text in others])
        bare = Tokens.of([text for _, text in fields]).without(STOP)
        marks = self._plain.near(seen) | self._terms.near(seen.without(STOP))
        marks[len(disguised) :] |= self._terms.near(bare)
        near[[n for (n, _), mark in zip(others, marks, strict=True) if mark]] = True
        return (e for e, is_near in zip(batch.entries, near, strict=True) if is_near)

    def look(self, entry: Entry) -> Iterator[Finding]:
        """See ``BaseDetector.look``."""
        text = entry.text if entry.text.isascii() else _revealed(entry.text)
        plain = self._plain.matches(entry.all_words if text is entry.text else words(text))
        matches = plain or self._terms.matches(self._content(entry, text))
        if matches:
            yield self._in_text(entry, text, plain, matches)
        for key, value in entry.fields:
            tokens = words(_revealed(value[:MOST_FIELD]))
            hits = self._plain.matches(tokens) or self._terms.matches(content_words(value[:MOST_FIELD]))
            if hits and (worst := _worst(hits)) and not _is_own(value, text):
                why = f"{worst.share:.0%} of the question '{self._named(worst)}' stands in its field {key}."
                yield self.finding(entry, "high", worst.share, why, [Span(0, 0, f"{key}: {value[:160]}")])

    @staticmethod
    def _content(entry: Entry, text: str) -> list[str]:
        return entry.terms if text is entry.text and entry.prose is entry.text else content_words(text)

    def _in_text(self, entry: Entry, text: str, plain: Sequence[Match], matches: Sequence[Match]) -> Finding:
        worst = _worst(matches)
        spans, severity = [], "high"
        if plain and text == entry.text:
            places = list(_WORD.finditer(text.lower())) if len(text.lower()) == len(text) else []
            spans = [excerpt(text, places[m.start].start(), places[m.end - 1].end()) for m in plain] if places else []
            if spans and all(_is_heading(text, s) for s in spans):
                severity = "low"
        how = "" if plain else " (its content words)"
        why = f"{worst.share:.0%} of the question '{self._named(worst)}'{how} stands in the text"
        why += " as a heading, as an FAQ has it." if severity == "low" else " in a row."
        return self.finding(entry, _severity(severity), worst.share + len(matches) / 1_000, why, spans)

    def _named(self, match: Match) -> str:
        return self._queries[match.query].text[:120]


def _severity(name: str) -> Severity:
    return "low" if name == "low" else "high"


def _worst(matches: Sequence[Match]) -> Match:
    return max(matches, key=lambda m: (m.share, -m.query, -m.start))


def _revealed(text: str) -> str:
    """The text without invisible characters, in compatibility form, look-alikes folded to Latin where words mix scripts."""
    if text.isascii():
        return text
    bare = unicodedata.normalize("NFKC", _INVISIBLE.sub("", text))
    return folded(bare)


def _is_heading(text: str, span: Span) -> bool:
    """Whether the line that holds the span is a question and nothing else, with an answer below."""
    begin = text.rfind("\n", 0, span.start) + 1
    end = text.find("\n", span.end)
    if end < 0 or not text[end : end + 2_000].strip():
        return False
    return _HEADING.match(text[begin:end]) is not None


def _is_own(value: str, text: str) -> bool:
    """Whether the text answers under its title: it shares most of the title's terms."""
    terms = set(content_words(value[:MOST_FIELD]))
    body = {w[:5] for w in words(text)}
    return bool(terms) and sum(t[:5] in body for t in terms) >= 0.5 * len(terms)
