"""Everything a mode-A run can be told."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from darnel.core.errors import UsageError
from darnel.core.pattern import default_carrier
from darnel.core.plant import MetaValue

if TYPE_CHECKING:
    from darnel.core.results import Results
    from darnel.core.suppressions import Suppression

STANDARD_KS = (1, 3, 5, 10)

Isolation = Literal["pattern", "query", "together"]
Progress = Callable[[str, int, int], None]
"""Called with what is being done, how many questions have been asked, and of how many."""


def _silent(_what: str, _done: int, _total: int) -> None: ...


@dataclass(frozen=True, slots=True)
class RunOptions:
    """How a run is made. Times are in seconds.

    ``isolation``: what is planted at once: one ``pattern`` for all queries, one pattern for one ``query``, or all
    ``together``. ``metadata``: set on every plant, over what was learned from the corpus. ``max_inconclusive``: share of a
    pattern's queries that may be inconclusive before the run counts as untestable (of what only an approximate index
    lost, 5 % in any case). ``accept``: names of
    preflight checks that may fail; they become warnings. ``budget``: plants of the whole run at the most; doses that no
    longer fit are left out, named, in the order they were given; the controls always run. ``baseline``: an earlier
    result; a pattern whose exposure@k rose over it by more than ``allowed_rise``, and by more than chance, is a
    failed gate. ``transfer``: ask each question's paraphrases too, which no plant is made for. ``suppressions``:
    failures of gates that are accepted until a date. ``further_ks``: k at which exposure is measured besides 1, 3, 5, 10
    and ``k``. ``reach``: the exposure@k for which reports name the smallest dose.
    """

    k: int = 5
    isolation: Isolation = "pattern"
    seed: int = 0
    visible_within: float = 10.0
    gone_within: float = 10.0
    full_digest: bool = False
    max_inconclusive: float = 0.0
    metadata: Mapping[str, MetaValue] = field(default_factory=dict)
    carrier: Callable[[str], str] = default_carrier
    gates: Sequence[str] = ()
    accept: Sequence[str] = ()
    budget: int | None = None
    baseline: Results | None = None
    allowed_rise: float = 0.05
    transfer: bool = False
    suppressions: Sequence[Suppression] = ()
    further_ks: Sequence[int] = ()
    reach: float = 0.5
    notify: Callable[[str], None] = lambda _text: None
    progress: Progress = _silent

    def __post_init__(self) -> None:
        for k in (self.k, *self.further_ks):
            if k < 1:
                raise UsageError(f"k must be 1 or more, not {k}")
        if not 0 < self.reach <= 1:
            raise UsageError(f"reach is a share above 0 and up to 1, not {self.reach}")
        if not 0 <= self.max_inconclusive <= 1:
            raise UsageError(f"max_inconclusive is a share from 0 to 1, not {self.max_inconclusive}")
        if self.budget is not None and self.budget < 1:
            raise UsageError(f"the budget must be 1 plant or more, not {self.budget}")
        if self.seed < 0:
            raise UsageError(f"the seed must be 0 or more, not {self.seed}")
        if not 0 <= self.allowed_rise <= 1:
            raise UsageError(f"allowed_rise is a share from 0 to 1, not {self.allowed_rise}")
        if self.visible_within < 0 or self.gone_within < 0:
            raise UsageError("waiting times must not be negative")

    @property
    def ks(self) -> tuple[int, ...]:
        """The k at which exposure is measured: 1, 3, 5, 10 and those asked."""
        return tuple(sorted({*STANDARD_KS, self.k, *self.further_ks}))

    @property
    def depth(self) -> int:
        """Places looked at in every list."""
        return max(self.ks)
