"""A corpus with plants in it, for the length of a test."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

import pytest

from darnel.api import open_target
from darnel.core.asking.evidence import PlantIndex
from darnel.core.corpus import Source
from darnel.core.errors import TargetError
from darnel.core.options import RunOptions
from darnel.core.pattern import Dose, Pattern
from darnel.core.payload import Payload
from darnel.core.plant import MetaValue, Plant
from darnel.core.planting.campaign import Campaign
from darnel.core.planting.crafting import Ground, craft
from darnel.core.planting.ledger import Ledger
from darnel.core.queries import Query
from darnel.patterns.registry import parse_doses


class PlantedCorpus:
    """What ``corpus_campaign(target)`` gives: plant, ask your application, and see which plants came back.

    Args:
        target: a spec, a store's object, or a ``Target``; see ``darnel.open_target``.
        ledger: the journal.
        embedder: the application's; see ``darnel.open_target``.
        metadata: set on every plant, over what is learned from the corpus.
        allow_hosts: hosts other than this machine that may be written to.
        accept: names of preflight checks that may fail.
        within: seconds to wait until a write, or a removal, shows.

    Raises:
        DarnelError: the corpus cannot be tested, and what to do.
    """

    def __init__(
        self,
        target: Any,
        ledger: Ledger,
        *,
        embedder: object = None,
        metadata: Mapping[str, MetaValue] | None = None,
        allow_hosts: Collection[str] = (),
        accept: Collection[str] = (),
        within: float = 10.0,
    ) -> None:
        self.target = open_target(target, embedder=embedder, allow_hosts=allow_hosts)
        try:
            for check in self.target.checks():
                if check.ok is False and check.name not in accept:
                    raise TargetError(f"{check.name}: {check.detail}. {check.mend}".strip())
            injector, spec = self.target.injector, self.target.spec
            self.campaign = Campaign(injector, ledger, spec=spec, visible_within=within, gone_within=within)
            self.campaign.__enter__()
        except BaseException:
            self.target.close()
            raise
        self._options = RunOptions(metadata=dict(metadata or {}))
        self._asked = 0
        self.plants: list[Plant] = []
        """What is planted now."""

    def plant(
        self,
        queries: str | Iterable[str],
        patterns: Iterable[str | Pattern | Dose] = ("echo",),
        payloads: Iterable[str | Payload] = (),
    ) -> list[Plant]:
        """Plant each pattern for each question (a string is one question), with each payload if there are any; all of it can be
        read back on return.

        Fails the test where something does not become visible. Raises ``DarnelError`` before the first write.
        """
        texts = [queries] if isinstance(queries, str) else list(queries)
        asked = [Query(f"q{self._asked + n}", text) for n, text in enumerate(texts, 1)]
        self._asked += len(asked)
        made: list[Plant] = []
        for dose in parse_doses(patterns, controls=False, payloads=payloads):
            where = self.campaign.where
            crop = craft(dose, Ground(asked, {}, where, self.campaign.id, self._options))
            made.extend(crop.all())
        planting = self.campaign.plant(made)
        self.plants.extend(p for p in made if p.id in planting.visible)
        if planting.missing:
            why = planting.error or f"not read back within {planting.delay:.1f} s"
            pytest.fail(f"{len(planting.missing)} of {len(made)} plants did not become visible: {why}")
        return made

    def remove(self, plants: Iterable[Plant] | None = None) -> None:
        """Take plants out (all by default) before the test ends, and read back that they are gone."""
        removal = self.campaign.remove(plants)
        self.plants = [p for p in self.plants if p.id not in removal.removed]
        if removal.leftovers:
            pytest.fail(f"{removal.leftovers[0].id} is left over: {removal.leftovers[0].reason}")

    def found_in(self, sources: Iterable[Any]) -> list[Plant]:
        """Which of the plants are among what an application returned, in its order.

        A source may be a ``Source``, a text, a mapping with ``id``, ``text`` and ``metadata``, or a document object of
        LangChain or LlamaIndex.
        """
        index = PlantIndex(self.plants)
        matches = [index.match(_as_source(source)) for source in sources]
        return list({plant.id: plant for match in matches if match is not None for plant in match.plants}.values())

    def finish(self) -> list[str]:
        """Remove everything and close; one line for each plant that may still be there."""
        self.campaign.close()
        where = self.campaign.description
        self.target.close()
        container = f"{where.backend} {where.container}" if where else "the corpus"
        return [f"left over in {container}: {left.id}: {left.reason}" for left in self.campaign.leftovers]


def _as_source(given: Any) -> Source:
    if isinstance(given, Source):
        return given
    if isinstance(given, str):
        return Source(text=given)
    node = getattr(given, "node", given)  # LlamaIndex wraps a node together with its score
    id_, text = _first(node, ("id", "id_", "node_id")), _first(node, ("text", "page_content", "document"))
    metadata = _first(node, ("metadata",))
    return Source(
        id=None if id_ is None else str(id_),
        text=None if text is None else str(text),
        metadata=metadata if isinstance(metadata, Mapping) else None,
    )


def _first(given: Any, names: Sequence[str]) -> Any:
    for name in names:
        value = given.get(name) if isinstance(given, Mapping) else getattr(given, name, None)
        if value is not None:
            return value
    return None
