"""Plant each pattern into a copy of a sample in memory, audit that, and count what was found.

The corpus itself is only read: nothing here has anything that could write to it.
"""

from __future__ import annotations

import hashlib
import heapq
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import msgspec

from darnel.audit.batch import Batch
from darnel.audit.engine import AuditOptions, run_audit, source_info
from darnel.audit.readers.base import Reader, ReadLog
from darnel.audit.readers.listed import ListReader
from darnel.audit.results import AuditResults
from darnel.audit.selftest.plants import Plant, Search, made_plants, questions_about, with_vectors
from darnel.audit.selftest.results import SCHEMA_VERSION, PatternRecall, SelfTest
from darnel.core.corpus import Record
from darnel.core.errors import PlantError
from darnel.core.pattern import Dose
from darnel.core.stats import rate

SAMPLE = 2_000
"""Records that patterns are planted among."""
PLANTS = 50
"""Plants of a pattern; fewer in a small sample, of which they may be a twentieth."""
FEWEST_PLANTS = 10
BY_QUESTIONS = "echo"
"""The detector that knows the questions."""


@dataclass(frozen=True, slots=True)
class Tried:
    """A self-test under way: the sample, how to audit it, and what its own audit found."""

    sample: Sequence[Record]
    options: AuditOptions
    clean: AuditResults


def audit_sample(readers: Sequence[Reader], options: AuditOptions, size: int = SAMPLE) -> Tried:
    """Draw a sample and audit it as it is. Its results name the real sources, and how much was read of each."""
    sources, sample = [], _Sample(size)
    for reader in readers:
        log = ReadLog()
        for arrow in reader.batches(options.batch, log):
            batch = Batch(arrow, reader.name)
            log.read += len(batch)
            for entry in batch.entries:
                sample.offer(f"{reader.name}\0{entry.id}", Record(entry.id, entry.text, entry.metadata))
            options.progress("drawing a sample", log.read, reader.total or 0)
        sources.append(source_info(reader, log))
    alone = replace(options, allow_unreadable=True, baseline=None, accepted=())
    clean = run_audit([ListReader(sample.records())], alone)
    return Tried(sample.records(), alone, msgspec.structs.replace(clean, sources=sources))


class _Sample:
    """The records whose names have the smallest hashes: the same in whatever order they come."""

    def __init__(self, size: int) -> None:
        self._size, self._kept = size, list[tuple[int, str, Record]]()

    def offer(self, name: str, record: Record) -> None:
        rank = -int.from_bytes(hashlib.blake2b(name.encode("utf-8", "replace"), digest_size=8).digest())
        if record.text and (len(self._kept) < self._size or rank > self._kept[0][0]):
            push = heapq.heappush if len(self._kept) < self._size else heapq.heapreplace
            push(self._kept, (rank, name, record))

    def records(self) -> list[Record]:
        return [record for _, _, record in sorted(self._kept, key=lambda kept: kept[:2])]


def measure(tried: Tried, doses: Sequence[Dose], search: Search) -> SelfTest:
    """Plant every dose by itself and count; the results of the clean sample say what was read and what failed."""
    context, results = tried.options.context, tried.clean
    count = min(PLANTS, max(FEWEST_PLANTS, len(tried.sample) // 20))
    made_up = not context.queries
    queries = questions_about(tried.sample, 4 * count) if made_up else context.queries
    patterns, errors = [], list(results.errors)
    if not queries:
        errors.append("there is no text of which questions could be made; give them with --queries")
        doses = ()
    for number, dose in enumerate(doses):
        tried.options.progress(f"planting {dose.label}", number, len(doses))
        try:
            plants = made_plants(dose, tried.sample, queries, count, search)
        except PlantError as error:
            patterns.append(_not_planted(dose, str(error)))
            continue
        if context.embed is None and plants[0].vector_of:
            patterns.append(_not_planted(dose, "it needs the application's embedder: --embedder SPEC"))
            continue
        found = find_plants(tried.sample, plants, tried.options)
        errors += [f"{dose.label}: {error}" for error in found.errors]
        patterns.append(found.recall(dose.label))
    flagged = Counter(f.detector for f in results.findings)
    return SelfTest(
        schema_version=SCHEMA_VERSION,
        run=results.run,
        sources=results.sources,
        sample=len(tried.sample),
        questions=len(queries),
        made_up=made_up,
        flagged=rate(results.flagged, len(tried.sample)),
        flagged_by=dict(sorted(flagged.items())),
        patterns=patterns,
        errors=errors,
        exit_code=2 if errors or not tried.sample else 0,
    )


def _not_planted(dose: Dose, why: str) -> PatternRecall:
    return PatternRecall(dose.label, 0, rate(0, 0), rate(0, 0), {}, why)


@dataclass(frozen=True, slots=True)
class Found:
    """Of which plants each detector told, and what went wrong meanwhile."""

    plants: int
    by: Mapping[str, frozenset[str]]
    errors: Sequence[str]

    def recall(self, label: str) -> PatternRecall:
        """In figures."""
        every = frozenset().union(*self.by.values())
        bare = frozenset().union(*(ids for name, ids in self.by.items() if name != BY_QUESTIONS))
        counts = {name: len(ids) for name, ids in sorted(self.by.items())}
        return PatternRecall(label, self.plants, rate(len(every), self.plants), rate(len(bare), self.plants), counts)


def find_plants(records: Sequence[Record], plants: Sequence[Plant], options: AuditOptions) -> Found:
    """Audit the records with the plants among them; vectors are given to all where a plant pretends to one."""
    embed = options.context.embed
    if embed is not None and plants and plants[0].vector_of:
        corpus = with_vectors(records, plants, embed)
    else:
        corpus = [*records, *(plant.record for plant in plants)]
    results = run_audit([ListReader(corpus)], replace(options, progress=lambda *_: None))
    ids, by = {plant.record.id for plant in plants}, defaultdict(set)
    for found in results.findings:
        if found.record in ids:
            by[found.detector].add(found.record)
    return Found(len(ids), {name: frozenset(told) for name, told in by.items()}, results.errors)
