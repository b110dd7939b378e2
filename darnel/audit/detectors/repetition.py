"""Text that repeats itself or strings terms together, as nobody writes who wants to be read."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

from darnel.audit.batch import Batch, Entry
from darnel.audit.detector import BaseDetector, Context
from darnel.audit.model import Finding, Severity, Span, excerpt
from darnel.audit.prose import BLANK
from darnel.audit.sketch import Histogram
from darnel.core.text import sentences, stop_words

if TYPE_CHECKING:
    from darnel.audit.tokens import Marks

_WORD = re.compile(r"\w+")
_TOKEN = re.compile(rf"\w+|{BLANK}+")
_BREAK = re.compile(r"[^\w\s'-]|\n|\r")
FEWEST_WORDS = 30
"""Words of prose below which shares say nothing."""
SALAD = 20
"""Words in a row without any function word or punctuation; a list has commas, a sentence has little words."""
MOST_COMMON = 3
"""Words whose share of the text is measured together."""
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
    splits = True

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._histograms: dict[tuple[str, int], Histogram] = {}
        self._unusual: list[tuple[str, int, float, Finding]] = []

    def examine(self, batch: Batch) -> Iterator[Finding]:
        """See ``Detector.examine``: statistics of all records at once, rules on those few for which they can hold."""
        import numpy as np

        from darnel.audit.tokens import STOP, record_of

        tokens = batch.tokens
        often, strung, asking = (np.zeros(len(batch), np.bool_) for _ in range(3))
        again = FEWEST_COPIES - 1
        often[record_of(tokens.keys[again:][tokens.keys[again:] == tokens.keys[:-again]])] = True
        strung = tokens.runs((tokens.numbers & np.uint64(STOP)) == 0, SALAD)
        asking[:] = [e.text.count("?") + e.text.count("？") >= QUESTIONS for e in batch.entries]
        stuffed = np.zeros(len(batch), np.bool_)
        for number in np.flatnonzero(often | strung | asking):
            entry = batch.entries[number]
            found = self._stuffing(entry, often=bool(often[number]), strung=bool(strung[number]))
            stuffed[number] = found is not None
            if found is not None:
                yield found
            if asking[number] and (asked := _questions(entry.prose)) >= QUESTIONS:
                why = f"{asked} questions stand there, and next to nothing that would answer them."
                yield self.finding(entry, "medium", float(asked), why)
        self._measure(batch, stuffed)

    def _stuffing(self, entry: Entry, *, often: bool, strung: bool) -> Finding | None:
        """What the rules say. ``often``: some triple is there three times; ``strung``: so many content words in a row."""
        tandem = self._tandem(entry) if often else None
        salad = find_salad(entry.prose) if tandem is None and strung else None
        if salad is None:
            return tandem
        count, start, end = salad
        why = f"{count} terms stand in a row without a function word or punctuation."
        return self.finding(entry, "medium", float(count), why, [excerpt(entry.text, start, end)])

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

    def _measure(self, batch: Batch, stuffed: Marks) -> None:
        """Both statistics of every text that is long enough; kept for the end where they might be unusual."""
        import numpy as np

        from darnel.audit.tokens import SLIGHT, STOP, record_of

        tokens = batch.tokens
        triples = np.maximum(1, tokens.counts - 2)
        distinct = np.bincount(record_of(tokens.distinct), minlength=len(batch))
        top = tokens.without(STOP | SLIGHT).top_counts(MOST_COMMON) / np.maximum(1, tokens.counts)
        groups = np.frexp(tokens.counts)[1]  # as int.bit_length has it
        enough = tokens.counts >= FEWEST_WORDS
        for what, values, floor in (("repeated", 1 - distinct / triples, REPEATED_FLOOR), ("top", top, TOP_FLOOR)):
            for group in np.unique(groups[enough]):
                histogram = self._histograms.setdefault((what, int(group)), Histogram())
                histogram.add_all(values[enough & (groups == group)])
            for number in np.flatnonzero(enough & ~stuffed & (values >= floor)):
                value = float(values[number])
                found = self._noted(batch.entries[number], what, value)
                self._unusual.append((what, int(groups[number]), value, found))

    def _noted(self, entry: Entry, what: str, value: float) -> Finding:
        terms = Counter(term for term in entry.terms if len(term) >= 3 and not term.isdigit())
        common = sorted(terms.items(), key=lambda t: (-t[1], t[0]))[:MOST_COMMON]
        shown = f"commonest: {', '.join(f'{word} ({n})' for word, n in common)}"
        why = (
            f"{value:.0%} of its word triples are repeats; {{usual}} is the median of texts as long."
            if what == "repeated"
            else f"Three words make up {value:.0%} of it; {{usual}} is the median of texts as long."
        )
        return self.finding(entry, "medium", value, why, [Span(0, 0, shown)])

    def merge(self, other: Self) -> None:
        """See ``BaseDetector.merge``."""
        for key, histogram in other._histograms.items():
            self._histograms.setdefault(key, Histogram()).merge(histogram)
        self._unusual += other._unusual

    def calibration(self) -> Mapping[str, Any]:
        """See ``Calibrated.calibration``."""
        return {f"{what}/{group}": h.counts for (what, group), h in sorted(self._histograms.items())}

    def carry(self, kept: Mapping[str, Any]) -> None:
        """See ``Calibrated.carry``."""
        for name, counts in kept.items():
            what, _, group = name.partition("/")
            self._histograms[what, int(group)] = Histogram(counts)

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
