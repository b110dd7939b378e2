"""Everything one run has found so far."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from datetime import datetime

from darnel.core.asking.ranking import Listing
from darnel.core.asking.waves import WaveResult
from darnel.core.corpus import Check, CorpusDescription, Target
from darnel.core.options import RunOptions
from darnel.core.pattern import Dose
from darnel.core.planting.campaign import Campaign
from darnel.core.planting.crafting import Crop
from darnel.core.planting.digest import CorpusDigest, DigestDifference
from darnel.core.queries import Query
from darnel.core.results import AbstentionInfo
from darnel.core.scoring.gate import Gate
from darnel.core.suppressions import Suppression


@dataclass
class Run:
    """The state of a run; ``assemble`` turns it into the result document.

    ``quickest``: seconds in which every question was asked once with nothing planted, the quicker of the two times.
    """

    target: Target
    queries: list[Query]
    doses: list[Dose]
    options: RunOptions
    gates: list[Gate]
    description: CorpusDescription
    checks: list[Check]
    started: datetime
    clock: float
    campaign: Campaign | None = None
    baseline: list[Listing] = field(default_factory=list)
    baseline_after: list[Listing] | None = None
    digest: CorpusDigest | None = None
    digest_after: CorpusDigest | None = None
    difference: DigestDifference | None = None
    crops: list[Crop] = field(default_factory=list)
    waves: list[WaveResult] = field(default_factory=list)
    trusts: dict[str, float] = field(default_factory=dict)
    quickest: float = math.inf
    suppressions: list[Suppression] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    unanswerable: list[Query] = field(default_factory=list)
    abstention: AbstentionInfo | None = None
    interrupted: bool = False
