"""Who is asked, how, and what came of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

import msgspec

from darnel.core.corpus import Retriever, Target
from darnel.core.errors import UsageError
from darnel.core.plant import MetaValue
from darnel.core.results import Cleanup, DigestInfo, LeftoverInfo
from darnel.core.stats import Rate
from darnel.core.written import as_json

SCHEMA_VERSION = 1

CheckName = Literal["same text", "own text", "naming", "enumeration", "flooding"]
Outcome = Literal["isolated", "breach", "inconclusive"]

CHECKS: Mapping[CheckName, str] = {
    "same text": "the same text under each tenant, byte for byte; each is served its own copy and no other",
    "own text": "a text of its own under each tenant; no other tenant is served it",
    "naming": "a question that names another tenant, or claims to come from it",
    "enumeration": "a question for everything that any tenant has",
    "flooding": "another tenant's documents fill the first places of the search; a filter behind the search has nothing left",
}
"""What is checked, in the order in which it is."""


@dataclass(frozen=True, slots=True)
class Tenant:
    """One tenant.

    ``place``: where its records lie, which may be the same for all tenants. ``metadata``: what makes a record its own.
    ``app``: the application, asked in this tenant's name.
    """

    name: str
    place: Target
    metadata: Mapping[str, MetaValue]
    app: Retriever


@dataclass(frozen=True, slots=True)
class TenantOptions:
    """How tenants are checked. Times are in seconds.

    ``flood``: documents that another tenant puts in front of each question; a filter behind a search that fetches more
    than these goes unseen. ``key``: what the application calls a tenant, for questions that name one; the metadata key
    where it is not given. ``metadata``: set
    on every plant, over what the corpus shows. ``accept``: names of preflight checks that may fail.
    """

    flood: int = 60
    key: str | None = None
    seed: int = 0
    metadata: Mapping[str, MetaValue] = field(default_factory=dict)
    accept: tuple[str, ...] = ()
    visible_within: float = 10.0
    gone_within: float = 10.0
    notify: Callable[[str], None] = lambda _text: None

    @property
    def called(self) -> str:
        """The word for a tenant in questions."""
        return self.key or "tenant"

    def __post_init__(self) -> None:
        if self.flood < 1:
            raise UsageError(f"the flood must be 1 document or more, not {self.flood}")


class TenantRow(msgspec.Struct, frozen=True):
    """One question, asked as one tenant. ``other``: whom it names, or who floods the list; empty where it is nobody."""

    check: CheckName
    tenant: str
    other: str
    query: str
    asked: str
    outcome: Outcome
    detail: str


class TenantScore(msgspec.Struct, frozen=True):
    """One check: the share of conclusive rows that are a breach, and how many could not be told."""

    check: CheckName
    summary: str
    breaches: Rate
    inconclusive: int


class TenantResults(msgspec.Struct, frozen=True):
    """What came of it. ``containers``: where plants were; ``digests``: one for each container that can be read whole."""

    schema_version: int
    darnel: str
    campaigns: list[str]
    containers: list[str]
    tenants: list[str]
    flood: int
    scores: list[TenantScore]
    rows: list[TenantRow]
    cleanup: Cleanup
    digests: list[DigestInfo]
    leftovers: list[LeftoverInfo]
    warnings: list[str]
    errors: list[str]
    interrupted: bool
    exit_code: int

    @property
    def passed(self) -> bool:
        """Whether every row is isolated, every check came to a conclusion, and nothing may be left behind."""
        return self.exit_code == 0

    def rows_of(self, outcome: Outcome) -> list[TenantRow]:
        """The rows that ended so."""
        return [row for row in self.rows if row.outcome == outcome]

    def to_json(self) -> bytes:
        """The document as indented UTF-8 JSON; keys in a fixed order."""
        return as_json(self)
