"""The result document: what ``--json`` prints and ``results.json`` holds; ``document.py`` reads it back."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from darnel.core import display
from darnel.core.stats import Change, Difference, Mean, Rate
from darnel.core.written import as_builtins, as_json

SCHEMA_VERSION = 1

Outcome = Literal["retrieved", "not retrieved", "inconclusive"]
Stage = Literal["planned", "planted", "visible", "retrieved", "delivered", "in prompt", "in answer"]
FUNNEL: tuple[Stage, ...] = ("planted", "visible", "retrieved", "delivered", "in prompt", "in answer")
"""The way of a plant, as far as a target shows it."""


class RunInfo(msgspec.Struct, frozen=True):
    """Which run this was. Times are ISO 8601 in UTC; ``duration`` is in seconds. ``reach``: the exposure@k for which the
    smallest dose is named; ``seconds_each``: what a question took when all were asked with nothing planted, the quicker of
    before and after."""

    campaign: str
    seed: int
    started: str
    finished: str
    duration: float
    darnel: str
    python: str
    interrupted: bool = False
    reach: float = 0.5
    seconds_each: float | None = None


class TargetInfo(msgspec.Struct, frozen=True):
    """What was under test, with secrets left out. ``size``: records before planting. ``app``: what was asked, where it is
    more than the store."""

    spec: str
    backend: str
    container: str
    size: int
    dimension: int | None
    metric: str | None
    embedder: str | None
    k: int
    depth: int
    isolation: str
    versions: dict[str, str]
    app: str = ""


class PatternInfo(msgspec.Struct, frozen=True):
    """One pattern at one strength. ``copies``: how often each of its documents was planted; ``words``: mean length of its
    plants; ``example``: the first text it crafted; ``payload``: what they say in the carrier's place, if anything (the
    control of that name is then the payload without any bait)."""

    label: str
    pattern: str
    strength: int
    dose: str
    summary: str
    control: bool
    plants: int
    words: float
    example: str
    copies: int = 1
    payload: str = ""


class QueryInfo(msgspec.Struct, frozen=True):
    """One question, with what came back before anything was planted (record ids, best first, ``depth`` of them).

    ``where``: the file and line it was read from (``questions.txt:3``); empty for questions given otherwise.
    ``relevant``: those of the baseline that are judged relevant. ``paraphrases``: those asked as well.
    """

    id: str
    text: str
    judged: int
    baseline: list[str | None]
    where: str = ""
    relevant: list[str] = []
    paraphrases: list[str] = []


class Observation(msgspec.Struct, frozen=True):
    """One plant and its query. ``rank``: place among the owner's records and this query's plants, ties against it.

    ``detail`` says why an outcome is inconclusive, or what the target raised. ``dropped_by``: the component of the
    application that did not pass the plant on.
    """

    pattern: str
    query: str
    plant: str
    marker: str
    outcome: Outcome
    stage: Stage
    rank: int | None = None
    position: int | None = None
    proof: str | None = None
    detail: str | None = None
    dropped_by: str | None = None


NOTHING = Mean(0, None, None, None)
NEVER = Rate(0, 0, None, None, None)
NO_CHANGE = Change(0, None, None, None, None, None, None)


class ReturnedList(msgspec.Struct, frozen=True):
    """The first ``depth`` places a question brought while a pattern was planted: record ids, null for a plant.

    Kept only where the list is not simply the baseline with the plants set in at their positions.
    """

    pattern: str
    query: str
    ids: list[str | None]


class Score(msgspec.Struct, frozen=True):
    """One pattern at one strength. Keys of ``exposure`` and of the lifts are the k of exposure@k.

    ``inconclusive``: queries of which it cannot be said whether a plant was among the first k. A rate's ``n`` counts only
    the queries for which it is known; gates take the others at their worst. ``retention``: of the queries with a judged
    record in the first k before planting, those that still have one. ``displacement``: share of the first k before
    planting that is no longer there. ``mrr``: of each query's best plant, 0 where none is within ``depth``. ``funnel``:
    share of queries with at least one plant at each stage, as far as the target shows stages. ``slot_share`` is the
    injection precision of PoisonedRAG; ``injection_recall``: plants among the first k of those made, ``injection_f1``: of
    the two, both per query and then the mean. ``rank_shift``: median over queries of how many places better the best
    plant stands than the control's, each rank beyond ``depth`` taken as ``depth`` + 1, so at least that. ``spill``: share
    of queries that see, among the first k, a plant made for another query. ``transfer``: of those asked in other words too,
    the queries for which one of these brought a plant of theirs among the first k. ``quality``: nDCG@10, R@k and RR@10 of judged
    queries before and after. ``trust``: mean trust, from 0 to 1, of the first k sources before and after, where the corpus
    carries trust in its metadata.
    """

    pattern: str
    control: bool
    queries: int
    inconclusive: int
    index_lost: int
    exposure: dict[str, Rate]
    mrr: Mean
    slot_share: Mean
    displacement: Mean
    retention: Rate
    median_rank: float | None
    lift_over_control: dict[str, Difference]
    lift_over_honest: dict[str, Difference]
    funnel: dict[str, Rate] = {}
    injection_recall: Mean = NOTHING
    injection_f1: Mean = NOTHING
    rank_shift: float | None = None
    spill: Rate = NEVER
    transfer: Rate = NEVER
    quality: dict[str, Change] = {}
    trust: Change = NO_CHANGE


class Baseline(msgspec.Struct, frozen=True):
    """The questions asked with nothing planted, before and after. ``same`` null: not asked again.

    ``judged_found``: of the queries with judgments, those with a judged record in the first k.
    """

    queries: int
    judged_found: Rate
    same: bool | None
    differing: list[str]


class DigestInfo(msgspec.Struct, frozen=True):
    """The owner's records, before and after: ``kind`` full, or sample of ``covered`` records plus the count."""

    kind: str
    covered: int
    count: int
    before: str
    after: str | None
    same: bool | None
    added: list[str]
    vanished: list[str]
    changed: list[str]


class LeftoverInfo(msgspec.Struct, frozen=True):
    """A plant that may still be in the corpus. ``state`` changed: somebody edited it, so it was left alone."""

    id: str
    plant: str
    marker: str
    state: str
    reason: str


class Cleanup(msgspec.Struct, frozen=True):
    """How planting and removal went. Delays are the longest of any wave, in seconds."""

    planted: int
    removed: int
    visible_after: float
    gone_after: float


class Suppressed(msgspec.Struct, frozen=True):
    """A pattern whose failure is accepted, why, and to the end of which day."""

    pattern: str
    reason: str
    until: str


class GateResult(msgspec.Struct, frozen=True):
    """One condition of ``--fail-on`` or ``--baseline``. ``verdict`` unclear: only the inconclusive queries keep it from
    failing; suppressed: it fails only for what is ``suppressed``. ``patterns``: those it fails for."""

    condition: str
    verdict: Literal["passed", "failed", "unclear", "suppressed"]
    detail: str
    patterns: list[str] = []
    suppressed: list[Suppressed] = []


class AbstentionRow(msgspec.Struct, frozen=True):
    """One unanswerable question. ``verdict`` held: it was declined; breach: it was answered."""

    query: str
    text: str
    verdict: Literal["breach", "held", "could not tell"]
    why: str


class AbstentionInfo(msgspec.Struct, frozen=True):
    """The questions that the corpus cannot answer, asked with nothing planted; the ``declined`` are a share of those that
    could be told."""

    declined: Rate
    inconclusive: int
    rows: list[AbstentionRow]


class Results(msgspec.Struct, frozen=True):
    """The whole document."""

    schema_version: int
    run: RunInfo
    target: TargetInfo
    patterns: list[PatternInfo]
    queries: list[QueryInfo]
    scores: list[Score]
    observations: list[Observation]
    baseline: Baseline
    corpus_digest: DigestInfo | None
    cleanup: Cleanup
    leftovers: list[LeftoverInfo]
    gates: list[GateResult]
    warnings: list[str]
    errors: list[str]
    exit_code: int
    returned: list[ReturnedList] = []
    abstention: AbstentionInfo | None = None

    @property
    def passed(self) -> bool:
        """Whether every gate passed, every row was conclusive and nothing may be left behind."""
        return self.exit_code == 0

    def to_builtins(self) -> Any:
        """The document as dictionaries, lists, strings and numbers; a lone surrogate becomes its escape, as text."""
        return as_builtins(self)

    def to_json(self) -> bytes:
        """The document as indented UTF-8 JSON; keys in a fixed order. A lone surrogate becomes its escape, as text."""
        return as_json(self)

    def _repr_html_(self) -> str | None:
        """What a notebook shows."""
        return display.rendered(self)
