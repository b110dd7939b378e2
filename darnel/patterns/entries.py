"""What third parties add to the built-in patterns and payloads, through entry points."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import entry_points
from typing import Protocol, TypeVar

from darnel.core.errors import UsageError


class Named(Protocol):
    """Anything that calls itself by a name."""

    @property
    def name(self) -> str:
        """As on the command line."""
        ...


T = TypeVar("T", bound=Named)


def with_entries(built_in: Mapping[str, T], group: str, kind: type[T], what: str) -> dict[str, T]:
    """Built-in ones and those of the entry points of a group, by name.

    Raises:
        UsageError: two packages claim one name, or an entry point is none such.
    """
    found = dict(built_in)
    for point in entry_points(group=group):
        entry = point.load()
        if not isinstance(entry, kind):
            raise UsageError(
                f"the entry point '{point.name}' ({point.value}) is no {what}; see docs/writing-a-pattern.md"
            )
        if point.name in found or entry.name != point.name:
            raise UsageError(f"the {what} name '{point.name}' is taken, or is not what {point.value} calls itself")
        found[point.name] = entry
    return found
