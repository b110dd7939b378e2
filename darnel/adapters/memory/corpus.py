"""The memory corpus: injector, reader and retriever in one, over a plain dictionary."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import count
from pathlib import Path
from typing import Any

from darnel.adapters.memory.rankers import BM25Ranker, Ranker, rank, ranked_text
from darnel.core.corpus import Capabilities, CorpusDescription, Record, Reply
from darnel.core.errors import TargetError
from darnel.core.plant import Plant, check_plant, read_stamp
from darnel.core.planting.batches import chunks
from darnel.core.planting.guard import refuse_foreign
from darnel.core.planting.shape import learn_shape

_numbers = count(1)
SHAPE_SAMPLE = 32


class MemoryCorpus:
    """Records in this process, ranked by BM25 unless another ranker is given.

    A record's ``title`` metadata counts as part of its text when ranking. Ties keep the order of insertion.
    """

    def __init__(self, records: Iterable[Record] = (), *, ranker: Ranker | None = None, name: str = "memory") -> None:
        self.records: dict[str, Record] = {record.id: record for record in records}
        self.name = name
        self._ranker = ranker or BM25Ranker()
        self._identity = f"memory-{next(_numbers)}"
        self._fitted: list[str] | None = None

    def describe(self) -> CorpusDescription:
        """See ``CorpusInjector.describe``."""
        embedder = getattr(self._ranker, "embedder", None)
        return CorpusDescription(
            backend="memory",
            container=self.name,
            identity=self._identity,
            size=len(self.records),
            dimension=embedder.dimension if embedder else None,
            metric="cosine" if embedder else self._ranker.name,
            embedder=embedder.name if embedder else None,
            shape=learn_shape(list(self.records.values())[:: max(1, len(self.records) // SHAPE_SAMPLE)]),
            capabilities=Capabilities(scan=True, search=True, exact=True, volatile=True),
        )

    def inject(self, plants: Sequence[Plant]) -> None:
        """See ``CorpusInjector.inject``."""
        for plant in plants:
            check_plant(plant)
            refuse_foreign(self.read([plant.id]), plant.campaign)
        for plant in plants:
            self.records[plant.id] = Record(plant.id, plant.text, dict(plant.metadata))
        self._fitted = None

    def remove(self, ids: Sequence[str]) -> None:
        """See ``CorpusInjector.remove``."""
        for id_ in ids:
            record = self.records.get(id_)
            if record is not None and read_stamp(record.metadata) is not None:
                del self.records[id_]
                self._fitted = None

    def read(self, ids: Sequence[str]) -> Mapping[str, Record]:
        """See ``CorpusInjector.read``."""
        return {id_: self.records[id_] for id_ in ids if id_ in self.records}

    def scan(self, batch: int = 1_000, *, vectors: bool = True) -> Iterator[Sequence[Record]]:
        """See ``CorpusReader.scan``."""
        yield from chunks(list(self.records.values()), batch)

    def ids(self) -> Sequence[str]:
        """See ``CorpusReader.ids``."""
        return list(self.records)

    def plants(self) -> Sequence[Record]:
        """See ``CorpusReader.plants``."""
        return [record for record in self.records.values() if read_stamp(record.metadata) is not None]

    def retrieve(self, queries: Sequence[str], k: int) -> Sequence[Reply]:
        """See ``Retriever.retrieve``; a record that scores 0 shares nothing with the query and is not returned."""
        records = list(self.records.values())
        if self._fitted != [record.id for record in records]:
            self._ranker.fit([ranked_text(record) for record in records])
            self._fitted = [record.id for record in records]
        return rank(self._ranker, records, queries, k)


def load_corpus(path: Path) -> list[Record]:
    """Records of a BEIR ``corpus.jsonl``: ``_id``, ``text``, and where present ``title`` and a ``metadata`` object."""
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise TargetError(f"cannot read the corpus {path}: {error}") from None
    records: dict[str, Record] = {}
    for number, line in enumerate(lines, 1):
        if line.strip():
            record = _parse(line, f"{path}:{number}")
            if record.id in records:
                raise TargetError(f"{path}:{number}: record id '{record.id}' stands twice; ids must differ")
            records[record.id] = record
    return list(records.values())


def _parse(line: str, where: str) -> Record:
    try:
        row: Any = json.loads(line)
        metadata = {**({"title": row["title"]} if row.get("title") else {}), **(row.get("metadata") or {})}
        return Record(str(row["_id"]), str(row["text"]), metadata or None)
    except (json.JSONDecodeError, KeyError, TypeError, AttributeError):
        raise TargetError(f"{where}: expected a JSON object with _id and text") from None
