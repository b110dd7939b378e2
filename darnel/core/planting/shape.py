"""Learn how the application's own records look, so that plants look like them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from darnel.core.corpus import Record, RecordShape
from darnel.core.plant import KIT_KEY, STAMP_KEY, MetaValue, read_stamp


def learn_shape(records: Sequence[Record]) -> RecordShape:
    """Metadata keys that most sampled records share, with a value of the right type for each.

    A key with one value throughout (a tenant, a language) keeps it; one with a few values gets the commonest; a text
    key where no two records agree is an identifier, and each plant gets a value of its own.
    """
    own = [r for r in records if read_stamp(r.metadata) is None]
    template: dict[str, MetaValue] = {}
    constant: dict[str, MetaValue] = {}
    unique: set[str] = set()
    for key, values in sorted(_values(own).items()):
        if len(values) * 2 <= len(own):
            continue  # a rare key is not part of the shape
        counts = Counter(map(_hashable, values))
        common = counts.most_common(1)[0][0]
        template[key] = next(v for v in values if _hashable(v) == common)
        if len(counts) == 1:
            constant[key] = template[key]
        elif len(counts) == len(values) and isinstance(template[key], str):
            unique.add(key)
    return RecordShape(sampled=len(own), template=template, unique=frozenset(unique), constant=constant)


def plant_metadata(
    shape: RecordShape, marker: str, given: Mapping[str, MetaValue] | None = None
) -> dict[str, MetaValue]:
    """The metadata of one plant: the shape's, identifiers replaced by the marker, then what the user gave."""
    metadata = {k: (marker if k in shape.unique else v) for k, v in shape.template.items()}
    metadata.update(given or {})
    return metadata


def _values(records: Sequence[Record]) -> dict[str, list[MetaValue]]:
    values: dict[str, list[MetaValue]] = {}
    for record in records:
        for key, value in (record.metadata or {}).items():
            if value is not None and key not in (KIT_KEY, STAMP_KEY):
                values.setdefault(key, []).append(value)
    return values


def _hashable(value: MetaValue) -> tuple[str, str]:
    return type(value).__name__, repr(value)
