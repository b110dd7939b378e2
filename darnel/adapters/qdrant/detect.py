"""Which layout a collection's payloads have, and any one payload's, whether the collection's or not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from darnel.adapters.qdrant.layouts import HAYSTACK, LANGCHAIN, KeyedLayout, Layout, Payload, stamps_in
from darnel.adapters.qdrant.nodes import NODE_KEY, NodeLayout
from darnel.adapters.qdrant.options import QdrantOptions
from darnel.core.corpus import Check
from darnel.core.errors import UnknownNameError
from darnel.core.plant import KIT_KEY, content_digest, read_stamp

NODES = NodeLayout()
KNOWN: Mapping[str, Layout] = {layout.name: layout for layout in (NODES, LANGCHAIN, HAYSTACK)}
"""Tried in this order: a node may hold any other key besides."""
NAMED = 8
"""Payload keys named in a message at the most."""
UNKNOWN = "unknown"


def given_layout(options: QdrantOptions) -> Layout | None:
    """The layout that the options name, if any. Raises UnknownNameError for a shape nobody knows."""
    if options.text is not None:
        return KeyedLayout("custom", options.text, options.metadata or "")
    if options.shape is None:
        return None
    if options.shape not in KNOWN:
        raise UnknownNameError("shape", options.shape, KNOWN)
    return KNOWN[options.shape]


def layout_of(payload: Payload, given: Layout | None = None) -> Layout | None:
    """The layout of one payload; ``given`` first, unless it is LlamaIndex's."""
    if NODES.fits(payload):
        return NODES
    if given is not None and given.fits(payload):
        return given
    return next((layout for layout in KNOWN.values() if layout.fits(payload)), None)


def choose_layout(payloads: Sequence[Payload], given: Layout | None) -> tuple[Layout | None, Check]:
    """The layout that plants get, learned from sampled payloads of the application's, and how it was decided.

    Nothing is guessed: with no sample, or with samples that fit no known layout or several, there is none.
    """
    name = "payload shape"
    if not payloads:
        return None, Check(name, False, "nothing to sample: no point of the application's", "Fill it before testing.")
    seen = Counter(layout.name if (layout := layout_of(p, given)) else UNKNOWN for p in payloads)
    if given is not None:
        return _check_given(payloads, given, seen)
    found, count = seen.most_common(1)[0]
    if count == len(payloads) and found != UNKNOWN:
        return KNOWN[found].learn(payloads), Check(name, True, f"{found}, in all {count} sampled points")
    if seen.keys() == {UNKNOWN}:
        mend = "Say which payload key holds the text: ?text=KEY, and ?metadata=KEY where the rest lies in an object."
        return None, Check(name, False, f"no known one; {len(payloads)} sampled points hold {_keys(payloads)}", mend)
    mixed = ", ".join(f"{n} {kind}" for kind, n in seen.most_common())
    mend = f"Say which one the application under test reads: ?shape={found if found != UNKNOWN else 'langchain'}, or ?text=KEY."
    return None, Check(name, False, f"mixed: {mixed} of {len(payloads)} sampled points", mend)


def read_payload(payload: Payload | None, given: Layout | None = None) -> tuple[str | None, dict[str, Any]]:
    """Text and metadata of any payload; a plant's without its framework's bookkeeping, whatever layout it was given.

    A plant's own digest says which reading of it is the right one, so that another process finds it unchanged
    whatever options that process was given.
    """
    payload = payload or {}
    if not stamps_in(payload):
        layout = layout_of(payload, given)
        return layout.split(payload) if layout else (None, dict(payload))
    readings = list(_readings(payload, given))
    for text, metadata in readings:
        stamp = read_stamp(metadata)
        if stamp is not None and content_digest(text, metadata).startswith(stamp.digest):
            return text, metadata
    return readings[0]


def _readings(payload: Payload, given: Layout | None) -> Iterator[tuple[str | None, dict[str, Any]]]:
    if (likely := layout_of(payload, given)) is not None:
        yield _read_as(likely, payload)
    objects = [k for k, v in payload.items() if isinstance(v, Mapping) and KIT_KEY in v]
    for key in ["", *objects]:
        for text_key, value in payload.items():
            if isinstance(value, str) and text_key != key:
                yield _read_as(KeyedLayout("", text_key, key), payload)
    yield None, {**payload, **stamps_in(payload)}


def _read_as(layout: Layout, payload: Payload) -> tuple[str | None, dict[str, Any]]:
    text, metadata = layout.split(payload)
    return text, layout.without_bookkeeping(metadata)


def _check_given(payloads: Sequence[Payload], given: Layout, seen: Mapping[str, int]) -> tuple[Layout | None, Check]:
    name, total = "payload shape", len(payloads)
    nodes = sum(NODE_KEY in p for p in payloads)
    if given is not NODES and nodes:
        detail = (
            f"{nodes} of {total} sampled points are LlamaIndex's, which fails on any other: not planted as {given.name}"
        )
        return None, Check(name, False, detail, "Leave out ?shape and ?text, or test another collection.")
    fitting = [p for p in payloads if given.fits(p)]
    if 2 * len(fitting) < total:
        detail = f"only {len(fitting)} of {total} sampled points are laid out as {_described(given)}; they hold {_keys(payloads)}"
        others = ", ".join(sorted(seen.keys() & KNOWN.keys() - {given.name}))
        return None, Check(
            name, False, detail, f"They look like {others}." if others else "Check ?shape, ?text, ?metadata."
        )
    return given.learn(fitting), Check(name, True, f"{_described(given)}, in {len(fitting)} of {total} sampled points")


def _described(layout: Layout) -> str:
    if isinstance(layout, KeyedLayout) and layout.name == "custom":
        return f"text in '{layout.text_key}'" + (
            f", metadata in '{layout.metadata_key}'" if layout.metadata_key else ""
        )
    return layout.name


def _keys(payloads: Sequence[Payload]) -> str:
    kinds = {k: type(v).__name__ for p in payloads for k, v in p.items()}
    shown = [f"{k[:40]} ({kind})" for k, kind in sorted(kinds.items())[:NAMED]]
    return (
        "no payload at all" if not shown else "the keys " + ", ".join(shown) + (", ..." if len(kinds) > NAMED else "")
    )
