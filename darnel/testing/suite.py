"""Every promise, in one class."""

from __future__ import annotations

from darnel.testing.batches import Batches
from darnel.testing.campaigns import Campaigns
from darnel.testing.concurrency import Concurrency
from darnel.testing.containers import Containers
from darnel.testing.corpus import RestOfCorpus
from darnel.testing.describing import Describing
from darnel.testing.foreign import ForeignRecords
from darnel.testing.histories import Histories
from darnel.testing.injecting import Injecting
from darnel.testing.likeness import Likeness
from darnel.testing.neighbours import Neighbours
from darnel.testing.reading import Reading
from darnel.testing.recovery import Recovery
from darnel.testing.removing import Removing
from darnel.testing.scanning import Scanning
from darnel.testing.scenarios import Scenarios
from darnel.testing.texts import Texts
from darnel.testing.vectors import Vectors
from darnel.testing.visibility import Visibility

PROMISES: tuple[type[Scenarios], ...] = (
    Describing,
    Injecting,
    Removing,
    ForeignRecords,
    RestOfCorpus,
    Neighbours,
    Containers,
    Likeness,
    Vectors,
    Texts,
    Batches,
    Reading,
    Scanning,
    Visibility,
    Campaigns,
    Recovery,
    Concurrency,
    Histories,
)
"""Each class holds the tests of one promise; a test module must have them all."""
Scenarios.promises = PROMISES


class ConformanceSuite(
    Describing,
    Injecting,
    Removing,
    ForeignRecords,
    RestOfCorpus,
    Neighbours,
    Containers,
    Likeness,
    Vectors,
    Texts,
    Batches,
    Reading,
    Scanning,
    Visibility,
    Campaigns,
    Recovery,
    Concurrency,
    Histories,
):
    """All promises together: ``class TestMyStore(MyFixtures, ConformanceSuite)`` is a whole test module."""
