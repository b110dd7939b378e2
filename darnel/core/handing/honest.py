"""The corpus's own passages, which stand behind a payload's as they would in the application."""

from __future__ import annotations

from collections.abc import Sequence

from darnel.core.corpus import Target
from darnel.core.errors import TargetError, blame_target
from darnel.core.plant import read_stamp
from darnel.core.planting.waiting import read_all, steadily
from darnel.core.queries import Query


def passages_for(target: Target, queries: Sequence[Query], count: int) -> dict[str, list[str]]:
    """Query id → texts of the first ``count`` records that a corpus returns, plants left out; the corpus is only read.

    Raises:
        TargetError: it answers no questions, or failed.
    """
    retriever = target.retriever
    if retriever is None or not target.store_search:
        raise TargetError("passages come from a corpus that can be searched itself; name a store, not an application")
    with blame_target("asking the corpus for passages"):
        replies = steadily(lambda: retriever.retrieve([query.text for query in queries], count)) if count else []
        bare = {s.id for reply in replies for s in reply.sources if s.text is None and s.id is not None}
        texts = {id_: record.text for id_, record in read_all(target.injector, sorted(bare)).items()}
    return {
        query.id: [
            text
            for source in reply.sources
            if read_stamp(source.metadata) is None and (text := source.text or texts.get(source.id or ""))
        ]
        for query, reply in zip(queries, replies, strict=False)
    }
