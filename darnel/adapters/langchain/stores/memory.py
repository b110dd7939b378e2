"""``InMemoryVectorStore`` of langchain-core: a dictionary in this process."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from darnel.adapters.langchain.stores.access import KnownStore, versions
from darnel.core.corpus import Capabilities, CorpusDescription, Record


class MemoryStore(KnownStore):
    """Exact cosine search over ``store.store``."""

    def describe(self) -> CorpusDescription:
        """See ``StoreAccess.describe``."""
        rows = self.store.store
        first = next(iter(rows.values()), None)
        return CorpusDescription(
            backend="langchain/memory",
            container=type(self.store).__name__,
            identity=f"{os.getpid()}-{id(self.store.store):x}",
            size=len(rows),
            dimension=len(first["vector"]) if first else None,
            metric="cosine",
            shape=self.shape(),
            capabilities=Capabilities(scan=True, vectors=True, search=True, exact=True, volatile=True),
            versions=versions(),
        )

    def read(self, ids: Sequence[str], *, vectors: bool = False) -> Mapping[str, Record]:
        """See ``StoreAccess.read``; vectors cost nothing here."""
        rows = self.store.store
        return {i: Record(i, rows[i]["text"], dict(rows[i]["metadata"]), rows[i]["vector"]) for i in ids if i in rows}

    def ids(self) -> Sequence[str]:
        """See ``CorpusReader.ids``."""
        return list(self.store.store)
