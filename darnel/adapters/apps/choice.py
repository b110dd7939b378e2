"""Which of the stores found in an application is meant."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, TypeVar

from darnel.core.errors import UnknownNameError, UsageError


class AtPath(Protocol):
    """Something found in an application."""

    @property
    def path(self) -> str:
        """Where it was found."""
        ...


Store = TypeVar("Store", bound=AtPath)


def choose(found: Sequence[Store], wanted: str | None, name: str, none: str) -> Store:
    """The store that ``wanted`` names by its path, or the end of it, or the only one.

    Raises:
        UsageError: there is none (said in the words of ``none``), or there are several and it was not said which.
        UnknownNameError: the one wanted is not there, or it is not one.
    """
    if not found:
        raise UsageError(none)
    paths = [store.path for store in found]
    if wanted is None:
        if len(found) > 1:
            raise UsageError(f"{name} holds {len(found)} vector stores: {', '.join(paths)}; choose with --store PATH")
        return found[0]
    same = [store for store in found if store.path == wanted] or [s for s in found if s.path.endswith(wanted)]
    if len(same) != 1:
        raise UnknownNameError("store", wanted, paths)
    return same[0]
