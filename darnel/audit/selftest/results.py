"""What a self-test tells, as plain data: what ``darnel audit --self-test --json`` prints."""

from __future__ import annotations

import msgspec

from darnel.audit.results import AuditRun, SourceInfo
from darnel.core.stats import Rate
from darnel.core.written import as_json

SCHEMA_VERSION = 1


class PatternRecall(msgspec.Struct, frozen=True):
    """What was found of a pattern's ``plants``, with Wilson's 95 % interval.

    ``recall``: by every detector that ran. ``without_questions``: by those that need no known questions. ``detectors``: how
    many plants each found. ``not_planted``: why there are none.
    """

    pattern: str
    plants: int
    recall: Rate
    without_questions: Rate
    detectors: dict[str, int]
    not_planted: str = ""


class SelfTest(msgspec.Struct, frozen=True):
    """The whole document. ``flagged``: of the ``sample`` before anything was planted in it: false alarms, or what is there.

    ``made_up``: whether the questions were made of the sample's own words because none were given.
    """

    schema_version: int
    run: AuditRun
    sources: list[SourceInfo]
    sample: int
    questions: int
    made_up: bool
    flagged: Rate
    flagged_by: dict[str, int]
    patterns: list[PatternRecall]
    errors: list[str]
    exit_code: int

    def to_json(self) -> bytes:
        """Indented UTF-8 JSON; keys in a fixed order."""
        return as_json(self)
