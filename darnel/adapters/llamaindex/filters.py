"""What a retriever's metadata filters demand of a plant, so that the application can see it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from darnel.adapters.llamaindex.nodes import StoredNode
from darnel.core.corpus import RecordShape
from darnel.core.plant import MetaValue


def demands(filters: Any) -> dict[str, MetaValue]:
    """Keys and values that satisfy ``MetadataFilters`` as far as equality and membership go.

    Under "and" every filter counts, under "or" the first; ranges and negations demand no value of their own.
    """
    wanted: dict[str, MetaValue] = {}
    condition = _name(getattr(filters, "condition", None)) or "and"
    if condition == "not":
        return wanted
    parts = list(getattr(filters, "filters", None) or ())
    for part in parts[:1] if condition == "or" else parts:
        if hasattr(part, "filters"):
            wanted.update(demands(part))
        elif (found := _demand(part)) is not None:
            wanted[part.key] = found
    return wanted


def unmet(filters: Any, metadata: Mapping[str, Any]) -> str | None:
    """Why a record with this metadata would not pass, or could not be said to; None where it passes."""
    if filters is None:
        return None
    from llama_index.core.vector_stores.utils import build_metadata_filter_fn

    try:
        passes = build_metadata_filter_fn(lambda _id: metadata, filters)("plant")
    except (ValueError, TypeError, KeyError) as error:
        return f"darnel cannot tell whether a plant passes the retriever's filter ({error})"
    return None if passes else f"a plant does not pass the retriever's filter ({describe(filters)})"


def passing(filters: Any, nodes: Sequence[StoredNode]) -> Sequence[StoredNode]:
    """Those of the nodes that pass, to learn from what the application can see; all of them where none does."""
    return [node for node in nodes if unmet(filters, node.metadata) is None] or nodes


def fit(shape: RecordShape, filters: Any) -> RecordShape:
    """The shape with what the filters demand set on every plant."""
    wanted = demands(filters)
    if not wanted:
        return shape
    return replace(
        shape,
        template={**shape.template, **wanted},
        constant={**shape.constant, **wanted},
        unique=shape.unique - wanted.keys(),
    )


def describe(filters: Any) -> str:
    """The filters in one line."""
    joint = f" {_name(getattr(filters, 'condition', None)) or 'and'} "
    return joint.join(
        f"({describe(part)})" if hasattr(part, "filters") else f"{part.key} {_name(part.operator)} {part.value!r}"
        for part in filters.filters
    )


def _demand(part: Any) -> MetaValue:
    operator, value = _name(part.operator), part.value
    if operator in {"==", "text_match", "text_match_insensitive", ">=", "<="}:
        found: MetaValue = value
    elif operator == "in":
        found = value[0] if isinstance(value, list) and value else None
    elif operator in {"any", "all"}:
        found = value
    elif operator == "contains":
        found = [value]
    else:
        found = None
    return found


def _name(member: Any) -> str:
    return str(getattr(member, "value", member) or "")
