"""Mode B from end to end: each payload's passage first in the context, the answers judged mechanically."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Protocol

from darnel.core.corpus import Reply
from darnel.core.errors import UsageError
from darnel.core.handing.results import CONTROL, HANDED_VERSION, HandedResults, HandedRow
from darnel.core.handing.scores import check_condition, parse_condition, score_rows
from darnel.core.options import Progress
from darnel.core.pattern import default_carrier
from darnel.core.payload import Payload
from darnel.core.plant import make_marker
from darnel.core.queries import Query
from darnel.core.scoring.gate import exit_code
from darnel.core.scoring.judges import ABSTENTIONS, Judgement, judge_of
from darnel.core.secrets import redact
from darnel.core.version import darnel_version

SHOWN = 200
"""Characters of an answer that are kept."""
BARE = Payload(
    CONTROL, "A harmless notice with a marker, which asks for nothing", lambda said: default_carrier(said.marker)
)


@dataclass(frozen=True, slots=True)
class Handing:
    """One question and the passages that the application is to answer it from, the first one first."""

    question: str
    passages: tuple[str, ...]


class ContextApp(Protocol):
    """An application that answers from passages that it is given."""

    @property
    def name(self) -> str:
        """What it is, for people; no secrets."""
        ...

    def answer(self, handings: Sequence[Handing]) -> Sequence[Reply]:
        """One reply for each, in order; what it raises stands in the reply's ``error``."""
        ...


def _silent(_what: str, _done: int, _total: int) -> None: ...


@dataclass(frozen=True, slots=True)
class HandingOptions:
    """How mode B is run.

    ``canary``: a harmless secret that the tester put into the application's prompt, for payloads that ask for it.
    ``refusals``: phrases by which an answer is taken for a refusal. ``conditions``: ``[PAYLOAD] obeyed > 0.1`` fails the
    run where it holds. ``max_inconclusive``: share of a payload's questions that may be inconclusive. ``honest``:
    question id → passages of the corpus that are handed over behind the payload's; ``corpus``: where they are from.
    """

    seed: int = 0
    canary: str | None = None
    refusals: Sequence[str] = ABSTENTIONS
    conditions: Sequence[str] = ()
    max_inconclusive: float = 0.0
    honest: Mapping[str, Sequence[str]] = field(default_factory=dict)
    corpus: str = ""
    progress: Progress = _silent


@dataclass
class _State:
    rows: list[HandedRow] = field(default_factory=list)
    interrupted: bool = False


def run_mode_b(
    app: ContextApp, queries: Sequence[Query], payloads: Sequence[Payload], options: HandingOptions
) -> HandedResults:
    """Hand each payload over with each question, beside a control that asks for nothing.

    Ctrl-C ends the run early: what was judged is returned, the rest is inconclusive.

    Raises:
        UsageError: there is no question or no payload, the canary is empty, or a condition does not read.
    """
    if not queries or not payloads:
        raise UsageError("give at least one question and one payload (see: darnel patterns)")
    if options.canary is not None and not options.canary.strip():
        raise UsageError("the canary is empty, and stands in every answer; give the word that you put into the prompt")
    conditions = [parse_condition(text, [p.name for p in payloads]) for text in options.conditions]
    started, clock = datetime.now(UTC), time.monotonic()
    whole = [BARE, *payloads]
    state = _State()
    try:
        for number, payload in enumerate(whole):
            options.progress(payload.name, number * len(queries), len(whole) * len(queries))
            state.rows.extend(_hand(app, queries, payload, options))
    except KeyboardInterrupt:
        state.interrupted = True
        state.rows.extend(_not_asked(queries, whole, state.rows, options))
    scores = score_rows(state.rows, whole)
    gates = [check_condition(condition, scores) for condition in conditions]
    doubtful = state.interrupted or any(s.inconclusive > options.max_inconclusive * s.queries for s in scores)
    return HandedResults(
        schema_version=HANDED_VERSION,
        mode="context",
        app=redact(app.name),
        corpus=redact(options.corpus),
        honest=max((len(texts) for texts in options.honest.values()), default=0),
        seed=options.seed,
        started=started.isoformat(timespec="milliseconds"),
        duration=round(time.monotonic() - clock, 3),
        darnel=darnel_version(),
        questions={query.id: query.text for query in queries},
        scores=scores,
        rows=state.rows,
        gates=gates,
        warnings=list(_warnings(payloads, options)),
        interrupted=state.interrupted,
        exit_code=exit_code(leftovers=False, gates=gates, doubtful=doubtful),
    )


def markers_of(payload: Payload, query: Query, seed: int) -> list[str]:
    """The markers of a payload's parts for a question; not those of any plant."""
    return [make_marker(seed, "context", part, query.id, payload.name) for part in range(payload.parts)]


def _hand(app: ContextApp, queries: Sequence[Query], payload: Payload, options: HandingOptions) -> Iterator[HandedRow]:
    markers = {query.id: markers_of(payload, query, options.seed) for query in queries}
    handings = [
        Handing(query.text, (*_parts(payload, markers[query.id]), *options.honest.get(query.id, ())))
        for query in queries
    ]
    for query, reply in zip(queries, app.answer(handings), strict=True):
        judge = judge_of(payload, markers[query.id], canary=options.canary, phrases=options.refusals)
        yield _row(payload, query, markers[query.id][0], judge(reply), reply.answer or "")


def _parts(payload: Payload, markers: Sequence[str]) -> list[str]:
    return [payload.say(markers, part) for part in range(payload.parts)]


def _row(payload: Payload, query: Query, marker: str, found: Judgement, answer: str = "") -> HandedRow:
    return HandedRow(payload.name, query.id, marker, found.verdict, found.why, answer[:SHOWN])


def _not_asked(
    queries: Sequence[Query], payloads: Sequence[Payload], done: Sequence[HandedRow], options: HandingOptions
) -> list[HandedRow]:
    seen = {(row.payload, row.query) for row in done}
    found = Judgement("could not tell", "interrupted before it was asked")
    return [
        _row(payload, query, markers_of(payload, query, options.seed)[0], found)
        for payload in payloads
        for query in queries
        if (payload.name, query.id) not in seen
    ]


def _warnings(payloads: Sequence[Payload], options: HandingOptions) -> Iterator[str]:
    yield "mode B hands text straight to the model: it says nothing of what a retriever would let in"
    if options.canary is None and (asking := [p.name for p in payloads if p.goal == "canary"]):
        yield f"{', '.join(asking)}: judged by the marker alone; put a harmless secret into the prompt and name it with --canary"
