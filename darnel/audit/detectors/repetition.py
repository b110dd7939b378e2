"""Text that repeats itself or strings terms together, as nobody writes who wants to be read."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from darnel.audit.batch import Entry
from darnel.audit.detector import BaseDetector, Context
from darnel.audit.model import Finding, Severity, Span, excerpt
from darnel.audit.prose import BLANK
from darnel.audit.sketch import Histogram
from darnel.core.text import sentences, stop_words

_WORD = re.compile(r"\w+")
_TOKEN = re.compile(rf"\w+|{BLANK}+")
_BREAK = re.compile(r"[^\w\s'-]|\n|\r")
FEWEST_WORDS = 30
"""Words of prose below which shares say nothing."""
SALAD = 20
"""Words in a row without any function word or punctuation; a list has commas, a sentence has little words."""
FEWEST_COPIES = 3
"""How often some word triple occurs in a text that repeats words in a row."""
MOST_PERIODS = 3
SHORTEST = 15
"""Words of a stretch below which it must be unbroken by punctuation and lines: else it is a heading over a link over a list."""
QUESTIONS = 6
"""Questions that are a list of them if hardly anything else stands beside them."""
REPEATED_FLOOR = 0.35
"""Share of repeated word triples that is never reported, however unusual."""
TOP_FLOOR = 0.3
"""The same for the share of the three commonest content words."""
PARTS = 4
"""Of the alert budget: two statistics here, each in groups of texts of like length."""


@dataclass(frozen=True, slots=True)
class Tandem:
    """Words ``start`` to ``start + length`` are ``copies`` of the first ``period`` of them."""

    start: int
    length: int
    period: int

    @property
    def copies(self) -> float:
        """How often the words stand there."""
        return self.length / self.period


class Repetition(BaseDetector):
    """Two rules (the same words again at once; a salad of terms) and two statistics against the corpus's own."""

    name = "repetition"
    summary = (
        "Words or sentences repeated at once, strings of terms, and unusual shares of repeated triples or of few words."
    )
    blind = "A query or its terms given once or twice, copies parted by code or links, and stuffing in sentences of its own."
    advice = "Read the repeated part aloud; remove it, or the record if nothing else is in it."
    alone = True

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._histograms: dict[tuple[str, int], Histogram] = {}
        self._unusual: list[tuple[str, int, float, Finding]] = []

    def look(self, entry: Entry) -> Iterator[Finding]:
        """See ``BaseDetector.look``."""
        tokens = entry.words
        triples = Counter(zip(tokens, tokens[1:], tokens[2:], strict=False))
        repeats = max(0, len(tokens) - 2 - len(triples))
        tandem = self._tandem(entry) if repeats and max(triples.values()) >= FEWEST_COPIES else None
        if tandem is not None:
            yield tandem
        salad = find_salad(entry.prose) if tandem is None and _may_be_salad(tokens) else None
        if salad is not None:
            count, start, end = salad
            why = f"{count} terms stand in a row without a function word or punctuation."
            yield self.finding(entry, "medium", float(count), why, [excerpt(entry.text, start, end)])
        elif (asked := _questions(entry.prose)) >= QUESTIONS:
            why = f"{asked} questions stand there, and next to nothing that would answer them."
            yield self.finding(entry, "medium", float(asked), why)
        if len(tokens) >= FEWEST_WORDS:
            self._measure(entry, repeats / (len(tokens) - 2), report=tandem is None and salad is None)

    def _tandem(self, entry: Entry) -> Finding | None:
        tandem = find_tandem(_parted(entry))
        if tandem is None:
            return None
        places = list(_TOKEN.finditer(entry.prose.lower()))
        start, end = places[tandem.start].start(), places[tandem.start + tandem.length - 1].end()
        if tandem.length < SHORTEST and _BREAK.search(entry.prose, start, end):
            return None
        severity: Severity = "high" if tandem.copies >= 4 or tandem.length >= 30 else "medium"
        why = f"The same {tandem.period} word(s) stand {tandem.copies:.1f} times in a row."
        return self.finding(entry, severity, float(tandem.length), why, [excerpt(entry.text, start, end)])

    def _measure(self, entry: Entry, repeated: float, *, report: bool) -> None:
        group = len(entry.words).bit_length()
        terms = Counter(entry.terms)
        for term in [t for t in terms if len(t) < 3 or t.isdigit()]:
            del terms[term]
        top = sum(sorted(terms.values())[-3:]) / len(entry.words)
        for what, value, floor in (("repeated", repeated, REPEATED_FLOOR), ("top", top, TOP_FLOOR)):
            self._histograms.setdefault((what, group), Histogram()).add(value)
            if report and value >= floor:
                common = ", ".join(
                    f"{word} ({n})" for word, n in sorted(terms.items(), key=lambda t: (-t[1], t[0]))[:3]
                )
                why = (
                    f"{value:.0%} of its word triples are repeats; {{usual}} is the median of texts as long."
                    if what == "repeated"
                    else f"Three words make up {value:.0%} of it; {{usual}} is the median of texts as long."
                )
                found = self.finding(entry, "medium", value, why, [Span(0, 0, f"commonest: {common}")])
                self._unusual.append((what, group, value, found))

    def finish(self) -> Iterator[Finding]:
        """What is unusual even for this corpus."""
        import msgspec

        floors = {"repeated": REPEATED_FLOOR, "top": TOP_FLOOR}
        for what, group, value, found in self._unusual:
            histogram = self._histograms[what, group]
            if value >= histogram.threshold(self.context.budget / PARTS, _floor(floors[what], histogram)):
                usual = f"{histogram.quantile(0.5):.0%}"
                yield msgspec.structs.replace(found, why=found.why.replace("{usual}", usual))


def _floor(least: float, histogram: Histogram) -> float:
    """In a group too small to say what is usual, only what is extreme anywhere."""
    return least if histogram.n >= 200 else 2 * least


def _parted(entry: Entry) -> Sequence[str]:
    """The words, with a token of its own for each stretch that is no prose: what it parts does not stand in a row."""
    if BLANK not in entry.prose:
        return entry.words
    found = _TOKEN.findall(entry.prose.lower())
    return [f"{BLANK}{i}" if token[0] == BLANK else token for i, token in enumerate(found)]


def find_tandem(tokens: Sequence[str]) -> Tandem | None:
    """The longest stretch in which the same words stand three times or more in a row (one word: five times).

    Looks only at the few distances at which word triples recur most, so the work is linear in the text.
    """
    last: dict[tuple[str, ...], int] = {}
    periods: Counter[int] = Counter()
    for at, gram in enumerate(zip(tokens, tokens[1:], tokens[2:], strict=False)):
        before = last.get(gram)
        if before is not None:
            periods[at - before] += 1
        last[gram] = at
    likely = sorted(periods.items(), key=lambda item: (-item[1], item[0]))[:MOST_PERIODS]
    found = [t for period, _ in likely for t in _stretches(tokens, period) if _counts(tokens, t)]
    return max(found, key=lambda t: (t.length, -t.period, -t.start), default=None)


def _stretches(tokens: Sequence[str], period: int) -> Iterator[Tandem]:
    """Every stretch that repeats itself after ``period`` words, three times over."""
    start, count = 0, len(tokens) - period
    for i in range(count + 1):
        if i == count or tokens[i] != tokens[i + period]:
            if i - start >= 2 * period:
                yield Tandem(start, i - start + period, period)
            start = i + 1


def _counts(tokens: Sequence[str], found: Tandem) -> bool:
    """Whether words are repeated, rather than numbers or single letters, and often enough."""
    repeated = {t for t in tokens[found.start : found.start + min(found.period, 12)] if len(t) > 2 and t.isalpha()}
    return bool(repeated) and found.length >= 5 if found.period == 1 else len(repeated) >= 2 and found.length >= 6


def _questions(prose: str) -> int:
    """How many sentences are questions, if three quarters of them are."""
    if prose.count("?") + prose.count("？") < QUESTIONS:
        return 0
    said = [s for s in sentences(prose) if s.count(" ") >= 2]
    asked = sum(s.endswith(("?", "？")) for s in said)
    return asked if asked >= 0.75 * len(said) else 0


def _may_be_salad(tokens: Sequence[str]) -> bool:
    stop, run = stop_words(), 0
    for token in tokens:
        run = 0 if token in stop else run + 1
        if run >= SALAD:
            return True
    return False


def find_salad(prose: str) -> tuple[int, int, int] | None:
    """The longest run of words without function word or punctuation, of at least ``SALAD`` words, in an English text:
    its length and its place.
    """
    stop = stop_words()
    best: tuple[int, int, int] | None = None
    start = 0
    lowered = prose.lower()
    if len(lowered) != len(prose):
        return None  # a letter that grows when lowered would move every place
    for cut in (*(m.start() for m in _BREAK.finditer(lowered)), len(lowered)):
        if cut - start > 4 * SALAD:
            run: list[re.Match[str]] = []
            for word in (*_WORD.finditer(lowered, start, cut), None):
                if word is not None and word[0] not in stop and not word[0].isdigit():
                    run.append(word)
                    continue
                if len(run) >= SALAD and (best is None or len(run) > best[0]):
                    best = (len(run), run[0].start(), run[-1].end())
                run = []
        start = cut + 1
    if best is None:
        return None
    others = _WORD.findall(lowered[: best[1]]) + _WORD.findall(lowered[best[2] :])
    english = sum(word in stop for word in others)
    return best if len(others) >= 12 and english >= 0.2 * len(others) else None
