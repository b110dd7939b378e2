"""Which vectors a collection is configured for, and how a point's vectors are written and read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from darnel.adapters.qdrant.options import QdrantOptions
from darnel.core.corpus import Check

LOWER_IS_BETTER = frozenset({"Euclid", "Manhattan"})
UNNAMED = ""


@dataclass(frozen=True, slots=True)
class DenseVector:
    """One configured dense vector. ``several``: a multivector (ColBERT and the like), which darnel cannot make."""

    size: int
    distance: str
    several: bool = False


@dataclass(frozen=True, slots=True)
class VectorLayout:
    """A collection's vectors by name; the unnamed one has the empty name, and ``named`` is false where it stands alone."""

    dense: Mapping[str, DenseVector]
    sparse: frozenset[str]
    named: bool


def read_layout(parameters: Any) -> VectorLayout:
    """The layout from ``CollectionInfo.config.params``."""
    given = parameters.vectors or {}
    named = isinstance(given, Mapping)
    dense = {name: _dense(v) for name, v in (given.items() if named else [(UNNAMED, given)])}
    return VectorLayout(dense, frozenset(parameters.sparse_vectors or {}), named)


def choose_dense(layout: VectorLayout, options: QdrantOptions) -> tuple[str | None, Check]:
    """The name of the dense vector that plants get and questions ask, or None, and how that was decided."""
    names = [name for name, vector in layout.dense.items() if not vector.several]
    if options.vector is not None and options.vector not in names:
        kind = (
            "a multivector, which darnel cannot make" if options.vector in layout.dense else "not a dense vector of it"
        )
        return None, Check(
            "vector", False, f"'{options.vector}' is {kind}", f"Choose with ?vector=NAME: {_listed(names)}."
        )
    if options.vector is not None or len(names) == 1:
        chosen = names[0] if options.vector is None else options.vector
        return chosen, Check("vector", True, f"'{chosen}'" if chosen else "the unnamed one")
    if names:
        found = f"the collection holds several dense vectors: {_listed(names)}"
        return None, Check("vector", False, found, "Say which one the application searches: ?vector=NAME.")
    if layout.dense:
        return None, Check("vector", False, "only multivectors, which darnel cannot make", "Test another collection.")
    return None, Check("vector", True, "sparse only") if layout.sparse else Check("vector", False, "none configured")


def sparse_in_use(layout: VectorLayout, vectors: Sequence[Any]) -> tuple[str, ...]:
    """Sparse vectors that sampled points carry; all configured ones where there is no sample."""
    carried = {name for vector in vectors if isinstance(vector, Mapping) for name in vector}
    return tuple(sorted(layout.sparse & carried if vectors else layout.sparse))


def compose(layout: VectorLayout, dense: Mapping[str, Sequence[float]], sparse: Mapping[str, Any]) -> Any:
    """The vectors of one point, in the form that the collection takes."""
    if not layout.named and not sparse:
        return dense[UNNAMED]
    return {**dense, **sparse}


def plain(vector: Any) -> Any:
    """A point's vectors as plain data: floats, or name → floats, with sparse ones as their exact indices and values."""
    if isinstance(vector, Mapping):
        return {name: plain(v) for name, v in vector.items()} or None
    if hasattr(vector, "indices"):
        import numpy as np

        # a corpus digest covers float32 bytes; indices are 32 bits too, and keep every one of them this way
        return {"indices": np.asarray(vector.indices, dtype="<u4").view("<f4"), "values": vector.values}
    return vector


def size_in_json(vector: Any) -> int:
    """About how many bytes a point's vectors take in a request."""
    if isinstance(vector, Mapping):
        return sum(size_in_json(v) for v in vector.values())
    return len(vector.indices) * 36 if hasattr(vector, "indices") else len(vector) * 24


def _dense(given: Any) -> DenseVector:
    distance = getattr(given.distance, "value", given.distance)
    return DenseVector(int(given.size), str(distance), given.multivector_config is not None)


def _listed(names: Sequence[str]) -> str:
    return ", ".join(f"'{name}'" for name in sorted(names)) or "there is none"
