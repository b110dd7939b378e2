"""How an application lays out its payloads, and back: text, metadata, and whatever its framework needs besides.

A record's metadata names what lies beside the metadata object, one level up in the payload, with a leading ``../``, so
that nothing of a payload is lost to a digest and a tenant key is planted where the application filters on it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from darnel.core.plant import KIT_KEY, STAMP_KEY

OUTER = "../"
Payload = Mapping[str, Any]


class Layout(Protocol):
    """One way to lay out payloads."""

    @property
    def name(self) -> str:
        """How people call it."""
        ...

    @property
    def metadata_key(self) -> str:
        """Payload key of the object that holds the metadata; empty where they lie beside the text."""
        ...

    def fits(self, payload: Payload) -> bool:
        """Whether a payload is laid out so."""
        ...

    def learn(self, payloads: Sequence[Payload]) -> Layout:
        """The same layout with what the sampled payloads add to it."""
        ...

    def split(self, payload: Payload) -> tuple[str | None, dict[str, Any]]:
        """Text and metadata; nothing of the payload is lost."""
        ...

    def without_bookkeeping(self, metadata: Payload) -> dict[str, Any]:
        """Metadata without what the framework itself adds to every payload."""
        ...

    def compose(self, id_: str, text: str, metadata: Payload) -> dict[str, Any]:
        """The payload of a plant, with the framework's own additions."""
        ...

    def embedded(self, payload: Payload) -> str | None:
        """The text that the framework embeds for such a payload."""
        ...


@dataclass(frozen=True, slots=True)
class KeyedLayout:
    """The text under one key; the metadata under another, or beside it. ``bookkeeping``: the framework's own keys."""

    name: str
    text_key: str
    metadata_key: str = ""
    id_key: str = ""
    bookkeeping: frozenset[str] = field(default=frozenset())

    def fits(self, payload: Payload) -> bool:
        """See ``Layout.fits``."""
        inner = payload.get(self.metadata_key) if self.metadata_key else None
        return (
            self.text_key in payload
            and isinstance(payload[self.text_key], str | None)
            and isinstance(inner, Mapping | None)
            and (not self.id_key or isinstance(payload.get(self.id_key), str))
        )

    def learn(self, payloads: Sequence[Payload]) -> Layout:
        """See ``Layout.learn``; of the bookkeeping, only what the application's own payloads hold."""
        return replace(self, bookkeeping=frozenset(k for k in self.bookkeeping for p in payloads if k in p))

    def split(self, payload: Payload) -> tuple[str | None, dict[str, Any]]:
        """See ``Layout.split``."""
        rest = dict(payload)
        text = rest.pop(self.text_key) if isinstance(rest.get(self.text_key), str) else None
        if not self.metadata_key:
            return text, rest
        inner = rest.pop(self.metadata_key, None) if isinstance(rest.get(self.metadata_key), Mapping | None) else None
        return text, {**(inner or {}), **{OUTER + k: v for k, v in rest.items()}}

    def without_bookkeeping(self, metadata: Payload) -> dict[str, Any]:
        """See ``Layout.without_bookkeeping``."""
        skipped = {OUTER + key for key in (*self.bookkeeping, self.id_key)}
        return {k: v for k, v in metadata.items() if k not in skipped}

    def compose(self, id_: str, text: str, metadata: Payload) -> dict[str, Any]:
        """See ``Layout.compose``."""
        if not self.metadata_key:
            return {self.text_key: text, **metadata}
        inner, outer = inner_and_outer(metadata)
        own = {**({self.id_key: id_} if self.id_key else {}), **dict.fromkeys(sorted(self.bookkeeping))}
        return {**own, **outer, self.text_key: text, self.metadata_key: inner}

    def embedded(self, payload: Payload) -> str | None:
        """See ``Layout.embedded``."""
        return self.split(payload)[0]


LANGCHAIN = KeyedLayout("langchain", "page_content", "metadata")
HAYSTACK = KeyedLayout(
    "haystack", "content", "meta", "id", frozenset({"blob", "score", "sparse_embedding", "embedding", "dataframe"})
)


def inner_and_outer(metadata: Payload) -> tuple[dict[str, Any], dict[str, Any]]:
    """What belongs in the metadata object, and what beside it."""
    inner = {k: v for k, v in metadata.items() if not k.startswith(OUTER)}
    return inner, {k.removeprefix(OUTER): v for k, v in metadata.items() if k.startswith(OUTER)}


def stamp_places(keys: Iterable[str] = ()) -> list[str]:
    """Payload paths at which plants of any layout keep the kit's key, those under other metadata keys added."""
    return list(dict.fromkeys([KIT_KEY, *(f"{_quoted(k)}.{KIT_KEY}" for k in ("metadata", "meta", *keys) if k)]))


def stamp_selector(keys: Iterable[str] = ()) -> list[str] | bool:
    """What to ask of each payload to see both of the kit's keys; all of it where a path would need quotes.

    Local mode before 1.20 filters by quoted paths, and selects nothing by them.
    """
    places = stamp_places(keys)
    if any('"' in place for place in places):
        return True
    return [path for place in places for path in (place, place.removesuffix(KIT_KEY) + STAMP_KEY)]


def stamps_in(payload: Payload | None) -> Mapping[str, Any]:
    """The kit's two keys wherever a payload holds them, whatever its layout."""
    for part in (payload or {}, *(v for v in (payload or {}).values() if isinstance(v, Mapping))):
        if KIT_KEY in part:
            return {key: part[key] for key in (KIT_KEY, STAMP_KEY) if key in part}
    return {}


def _quoted(key: str) -> str:
    """A key as a step of a payload path; anything but letters, digits, ``_`` and ``-`` needs quotes."""
    return key if key.replace("_", "").replace("-", "").isalnum() else f'"{key}"'
