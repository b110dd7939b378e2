"""raginject's ``CorpusInjector`` over any corpus that darnel can plant into.

raginject names its documents itself (``raginject-<pattern>``), writes them one at a time and takes them out again. Here
each becomes a plant of a campaign: announced in the ledger, written under an id of darnel's, read back, removed, and its
absence read back. raginject looks for its own document id among the names of the sources that its target reports, so a
plant carries that id as ``source`` in its metadata and in the last line of its text; for a target that reports record
ids, ``recognising`` adds it to the names of our own plants.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from types import TracebackType
from typing import Any

from darnel.adapters.bridges.raginject_reading import RecognisingTarget, find_host
from darnel.adapters.llamaindex.nodes import source_id
from darnel.adapters.recognise import target_from_object
from darnel.core.corpus import Target
from darnel.core.errors import (
    DarnelError,
    EmbedderError,
    EmptyCorpusError,
    TargetError,
    UsageError,
    blame_target,
    describe_error,
)
from darnel.core.plant import MetaValue, Plant, make_marker, make_plant
from darnel.core.planting.campaign import Campaign
from darnel.core.planting.ledger import Ledger
from darnel.core.planting.shape import plant_metadata
from darnel.core.secrets import redact
from darnel.embedders.resolve import resolve_embedder

PATTERN = "raginject"


def as_raginject(
    corpus: Any,
    *,
    embedder: object = None,
    ledger: str | os.PathLike[str] | Ledger | None = None,
    metadata: Mapping[str, MetaValue] | None = None,
    accept: Collection[str] = (),
    visible_within: float = 10.0,
    gone_within: float = 10.0,
    notify: Callable[[str], None] = lambda _text: None,
) -> RaginjectInjector:
    """An object that raginject 0.12 takes as its ``CorpusInjector``.

    Args:
        corpus: an injector, a ``Target`` (``darnel.open_target`` makes one from a spec), or an object of the
            application's: a Chroma collection, a LlamaIndex index, a LangChain vector store.
        embedder: the application's, where the object does not bring it.
        ledger: the journal; ``$DARNEL_LEDGER`` or ``.darnel/ledger.db`` by default.
        metadata: for every document, over what the corpus shows.
        accept: names of preflight checks that may fail.
        visible_within: seconds to wait until a document can be read back.
        gone_within: seconds to wait until it can no longer be read.
        notify: gets one-line messages for people.

    Raises:
        DarnelError: the corpus cannot be planted into; says what to do.
    """
    import raginject

    raginject.CorpusInjector.register(RaginjectInjector)
    raginject.Target.register(RecognisingTarget)
    if isinstance(corpus, str):
        raise UsageError(f"open the target first: as_raginject(darnel.open_target({redact(corpus)!r}, embedder=...))")
    target = target_from_object(corpus, None if embedder is None else resolve_embedder(embedder))
    _preflight(target, accept)
    return RaginjectInjector(
        target,
        ledger,
        dict(metadata or {}),
        {"visible_within": visible_within, "gone_within": gone_within, "notify": notify},
    )


def _preflight(target: Target, accept: Collection[str]) -> None:
    with blame_target("looking the corpus over"):
        where, checks = target.injector.describe(), list(target.checks())
    if not where.size:
        raise EmptyCorpusError(f"{where.backend} '{where.container}' is empty: fill it first")
    for check in checks:
        if check.ok is False and check.name not in accept:
            raise TargetError(f"{check.name}: {check.detail}. {check.mend}".strip())


class RaginjectInjector:
    """raginject's ``CorpusInjector``; make it with ``as_raginject``. May be used from several threads.

    A campaign is open for as long as a document is in the corpus. Ctrl-C, an exception and the end of the process remove
    what is there; after a ``kill -9``, ``darnel sweep`` does.
    """

    def __init__(
        self,
        target: Target,
        ledger: str | os.PathLike[str] | Ledger | None,
        metadata: Mapping[str, MetaValue],
        settings: Mapping[str, Any],
    ) -> None:
        self._target, self._metadata, self._settings = target, metadata, settings
        self._ledger = ledger if isinstance(ledger, Ledger) else Ledger(ledger)
        self._owns_ledger = self._ledger is not ledger
        where = target.injector.describe()
        self._description = f"darnel, {where.backend} {where.container}"
        self._lock = threading.RLock()
        self._documents: dict[str, Plant] = {}
        self._campaign: Campaign | None = None
        self._stack = ExitStack()

    @property
    def description(self) -> str:
        """How raginject's reports name it."""
        return self._description

    def inject(self, document_id: str, content: str) -> None:
        """Plant one document, and wait until it can be read back; where that fails, nothing of it stays.

        Raises:
            raginject.ConfigurationError: no document could ever be planted; raginject ends its run.
            raginject.CorpusInjectionError: this one was not planted; raginject notes it and goes on.
        """
        with self._lock, _as_raginject_errors():
            campaign = self._open()
            try:
                plant = self._craft(campaign, document_id, content)
                planting = campaign.plant([plant])
                if plant.id in planting.visible:
                    self._documents[document_id] = plant
                    return
                campaign.remove([plant])
            finally:
                self._close_if_empty()
            why = planting.error or f"it was not read back within {planting.delay:.1f} s"
            left = [item.reason for item in campaign.leftovers if item.id == plant.id]
            stays = f"; it may be left in the corpus ({left[0]}), run: darnel sweep" if left else ""
            raise TargetError(f"{document_id} was not planted: {why}{stays}")

    def remove(self, document_id: str) -> None:
        """Remove one document and prove it; one that was never planted, or is gone, is fine.

        Raises:
            raginject.CorpusInjectionError: its absence could not be proved; it is tried again at the end of the process.
        """
        with self._lock, _as_raginject_errors():
            plant = self._documents.get(document_id)
            if plant is None or self._campaign is None:
                return
            removal = self._campaign.remove([plant])
            if removal.leftovers:
                reason = removal.leftovers[0].reason
                raise TargetError(f"{document_id} may be left in the corpus ({reason}); run: darnel sweep")
            del self._documents[document_id]
            self._close_if_empty()

    def find_host(self, question: str) -> Any:
        """The record that answers a question best, as raginject's ``HostDocument``; plants are passed over.

        Raises:
            raginject.ConfigurationError: this corpus cannot be asked.
        """
        with self._lock, _as_raginject_errors():
            return find_host(self._target, question)

    def recognising(self, target: Any) -> RecognisingTarget:
        """A raginject target that reports, for each of our plants among its sources, raginject's document id too.

        Needed where sources are reported by record id, as ``LangChainTarget`` and ``LlamaIndexTarget`` do.
        """
        return RecognisingTarget(target, self._names)

    def close(self) -> None:
        """Remove whatever is still planted, and let go of the ledger."""
        with self._lock:
            self._documents.clear()
            self._close_if_empty()
            if self._owns_ledger:
                self._ledger.close()

    def __enter__(self) -> RaginjectInjector:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self.close()

    def _open(self) -> Campaign:
        if self._campaign is None:
            self._campaign = self._stack.enter_context(
                Campaign(self._target.injector, self._ledger, spec=self._target.spec, **self._settings)
            )
        return self._campaign

    def _close_if_empty(self) -> None:
        if not self._documents:
            self._campaign = None
            self._stack.close()

    def _craft(self, campaign: Campaign, document_id: str, content: str) -> Plant:
        marker = make_marker(0, campaign.id, document_id)
        shape = campaign.where.shape
        named = isinstance(shape.template.get("source", ""), str)  # a source of another type is no place for a name
        given = {**({"source": document_id} if named else {}), **self._metadata}
        return make_plant(
            identity=campaign.where.identity,
            campaign=campaign.id,
            pattern=PATTERN,
            strength=1,
            query_id=document_id,
            copy=0,
            marker=marker,
            text=f"{content}\n\n{document_id} {marker}",
            metadata=plant_metadata(shape, marker, given),
        )

    def _names(self) -> dict[str, str]:
        """Each name under which a framework may report one of our plants → raginject's document id."""
        with self._lock:
            return {name: id_ for id_, plant in self._documents.items() for name in (plant.id, source_id(plant.id))}


@contextmanager
def _as_raginject_errors() -> Iterator[None]:
    """What would hold for every document ends raginject's run; anything else fails one row of it."""
    import raginject

    try:
        yield
    except (UsageError, EmbedderError, EmptyCorpusError) as error:
        raise raginject.ConfigurationError(str(error)) from error
    except DarnelError as error:
        raise raginject.CorpusInjectionError(str(error)) from error
    except Exception as error:
        raise raginject.CorpusInjectionError(describe_error(error)) from error
