"""A campaign: plants announced, written, seen, removed, and proved gone, whatever happens in between.

Wraps any ``CorpusInjector``; the runner, the CLI, the pytest fixtures and a user's own script all go through it.
"""

from __future__ import annotations

import atexit
import secrets
import time
from collections.abc import Callable, Iterable, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from types import TracebackType

from darnel.core.corpus import CorpusDescription, CorpusInjector
from darnel.core.errors import (
    CollisionError,
    EmbedderError,
    LeftoversError,
    PlantError,
    UsageError,
    blame_target,
    describe_error,
)
from darnel.core.plant import Plant
from darnel.core.planting.batches import batches
from darnel.core.planting.guard import refuse_foreign
from darnel.core.planting.ledger import Ledger
from darnel.core.planting.removal import SETTLE, Leftover, Removal, remove_proved, sort_out
from darnel.core.planting.signals import SignalGuard
from darnel.core.planting.waiting import await_visible, read_all, steadily


def new_campaign_id() -> str:
    """A fresh id that says when: ``20261130-044219-`` and 40 random bits."""
    return f"{datetime.now(UTC):%Y%m%d-%H%M%S}-{secrets.token_hex(5)}"


@dataclass(frozen=True, slots=True)
class Planting:
    """How a planting went. ``error`` is what the store raised, if anything; what is ``visible`` was read back all the same."""

    visible: frozenset[str]
    missing: frozenset[str]
    delay: float
    """Seconds from the last write until everything announced was read back, or until the deadline."""
    error: str | None = None


@dataclass
class Campaign:
    """One run's plants, from plan to proven removal; a context manager that removes on every way out.

    Leaving it raises LeftoversError where an error ended it and plants may be left; without an error, see ``leftovers``.

    Args:
        injector: where the plants go.
        ledger: the journal; every plant is in it, durably, before the store sees it.
        spec: the target's spec, by which another process can open the same corpus to sweep it.
        visible_within: seconds to wait until what was written can be read back.
        gone_within: seconds to wait until what was removed can no longer be read.
        notify: gets one-line messages for people.
    """

    injector: CorpusInjector
    ledger: Ledger
    spec: str = ""
    visible_within: float = 10.0
    gone_within: float = 10.0
    notify: Callable[[str], None] = lambda _text: None
    description: CorpusDescription | None = None
    id: str = field(default_factory=new_campaign_id)
    planted: int = field(default=0, init=False)
    """Plants that were read back after their writing, over the whole campaign."""
    removed: int = field(default=0, init=False)
    """Of those, plants whose absence was read back after their removal."""
    _leftovers: dict[str, Leftover] = field(default_factory=dict, init=False)
    _planted: dict[str, Plant] = field(default_factory=dict, init=False)
    _unseen: set[str] = field(default_factory=set, init=False)
    _last_write: float = field(default=0.0, init=False)
    _entered: bool = field(default=False, init=False)
    _held: bool = field(default=False, init=False)

    def __enter__(self) -> Campaign:
        self.description = self.description or self.injector.describe()
        self._guard = SignalGuard(self.notify)
        self.ledger.open_campaign(self.id, self.spec, self.description)
        atexit.register(self.close)
        self._entered = True
        self._guard.install()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        try:
            self.close()
        except Exception as closing:
            error = closing
            raise
        finally:
            # whatever went wrong, documents left behind outrank it
            if isinstance(error, Exception) and self._leftovers:
                raise LeftoversError(list(self._leftovers), error) from error

    @property
    def leftovers(self) -> list[Leftover]:
        """Plants whose last removal could not be proved."""
        return list(self._leftovers.values())

    @property
    def where(self) -> CorpusDescription:
        """The corpus as it was described on entry."""
        if self.description is None or not self._entered:
            raise UsageError("a campaign is used inside 'with campaign:'")
        return self.description

    def plant(self, plants: Sequence[Plant]) -> Planting:
        """Write plants and wait until they can be read back.

        Raises:
            CollisionError: an id holds a record that is not this campaign's, or a plant that somebody edited; nothing was
                written.
            PlantError: a plant is over a limit of the store, or two share an id; nothing was written.
            LedgerError: the plants could not be announced; the batch at hand was not written.
        """
        if not plants:
            return Planting(frozenset(), frozenset(), 0.0)
        planned = list(batches(plants, self.where))
        self._refuse_collisions(plants)
        error, within = None, self.visible_within
        for batch in planned:
            self.ledger.announce(batch)
            self._planted.update((p.id, p) for p in batch)
            self._unseen.update(p.id for p in batch)
            self._last_write = time.monotonic()
            try:
                self.injector.inject(batch)
            except Exception as raised:  # anything: what landed is found by reading back
                error = describe_error(raised)
                if isinstance(
                    raised, EmbedderError | PlantError
                ):  # refused before anything was sent: nothing to wait for
                    within = 0.0
                break
        announced = [p for p in plants if p.id in self._planted]
        visible, delay = await_visible(self.injector, announced, within)
        self._unseen -= visible
        self.planted += len(visible)
        self.ledger.mark(self.id, (("written", id_) for id_ in visible))
        return Planting(visible, frozenset(p.id for p in plants) - visible, delay, error)

    def remove(self, plants: Iterable[Plant] | None = None) -> Removal:
        """Take plants out (all of the campaign's by default) and prove it by reading back.

        Plants that were sent but never seen are looked for again when the campaign closes: their write may land late.
        """
        chosen = {p.id for p in (self._planted.values() if plants is None else plants)}
        return self._remove(chosen & self._planted.keys(), watch=0.0, final=False)

    def _remove(self, chosen: Set[str], *, watch: float, final: bool) -> Removal:
        unseen = self._unseen.intersection(chosen)
        removal = remove_proved(
            self.injector,
            self.id,
            chosen,
            deadline=self.gone_within,
            unsure=unseen,
            watch=max(watch, self._last_write + self.visible_within - time.monotonic()),
        )
        settled = removal.removed if final else removal.removed - unseen
        self.removed += len(removal.removed - unseen)
        self._unseen -= settled
        self._leftovers.update((left.id, left) for left in removal.leftovers)
        for id_ in settled:
            del self._planted[id_]
            self._leftovers.pop(id_, None)
        # the ledger comes last: where it fails, what is known of the corpus is not lost
        states = [("removed", id_) for id_ in settled]
        self.ledger.mark(self.id, [*states, *((left.state, left.id) for left in removal.leftovers)])
        return removal

    def hold(self) -> None:
        """Leave the plants where they are on exit; ``sweep`` takes them out later."""
        self.ledger.set_campaign(self.id, "held")
        self._held = True

    def close(self) -> None:
        """Remove whatever is still planted; safe to call any number of times."""
        if not self._entered:
            return
        try:
            self._guard.shield()
        finally:
            try:
                if not self._held:
                    self._finish()
            finally:
                self._entered = False
                atexit.unregister(self.close)
                self._guard.restore()

    def _finish(self) -> None:
        try:
            if self._planted:
                self._remove(self._planted.keys(), watch=SETTLE, final=True)
        finally:
            with suppress(Exception):  # a closed terminal
                for left in self.leftovers:
                    self.notify(f"left over: {left.id}: {left.reason}")
        if not self._leftovers:
            self.ledger.set_campaign(self.id, "closed")

    def _refuse_collisions(self, plants: Sequence[Plant]) -> None:
        ids = [p.id for p in plants]
        if len(set(ids)) != len(ids):
            raise PlantError("two plants share an id; give each its own pattern, strength, query and copy")
        with blame_target("reading before the first write"):
            found = steadily(lambda: read_all(self.injector, ids))
        refuse_foreign(found, self.id)
        for left in sort_out(found, self.id)[1].values():
            raise CollisionError(f"plant {left.id} was edited since it was written; nothing was written over it")
