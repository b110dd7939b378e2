"""What an embedder is to darnel, and a cache that keeps each text's vector for a run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from darnel.core.errors import EmbedderError, describe_error

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Matrix = NDArray[np.float32]


@runtime_checkable
class Embedder(Protocol):
    """Vectors for documents and for queries, which some models embed differently."""

    @property
    def name(self) -> str:
        """How reports name it."""
        ...

    @property
    def dimension(self) -> int:
        """Length of every vector."""
        ...

    def documents(self, texts: Sequence[str]) -> Matrix:
        """float32 of shape (texts, dimension). Raises EmbedderError where the model gives anything else."""
        ...

    def queries(self, texts: Sequence[str]) -> Matrix:
        """The same for queries."""
        ...


class CachedEmbedder:
    """Two functions from texts to vectors, checked, and asked only once for each text."""

    def __init__(
        self,
        name: str,
        documents: Callable[[list[str]], object],
        queries: Callable[[list[str]], object] | None = None,
        *,
        batch: int = 256,
    ) -> None:
        self.name = name
        self._batch = batch
        self._functions = {"documents": documents, "queries": queries or documents}
        # where one function serves both, a text embedded as a query is known as a document too
        shared: dict[str, Matrix] = {}
        self._cache: dict[str, dict[str, Matrix]] = {"documents": shared, "queries": {} if queries else shared}
        self._dimension: int | None = None

    @property
    def dimension(self) -> int:
        """Length of every vector, found out by embedding one word."""
        if self._dimension is None:
            self.documents(["dimension"])
        assert self._dimension is not None
        return self._dimension

    def documents(self, texts: Sequence[str]) -> Matrix:
        """See ``Embedder.documents``."""
        return self._embed("documents", texts)

    def queries(self, texts: Sequence[str]) -> Matrix:
        """See ``Embedder.queries``."""
        return self._embed("queries", texts)

    def _embed(self, kind: str, texts: Sequence[str]) -> Matrix:
        import numpy as np

        cache = self._cache[kind]
        missing = list(dict.fromkeys(t for t in texts if t not in cache))
        for start in range(0, len(missing), self._batch):
            block = missing[start : start + self._batch]
            cache.update(zip(block, self._checked(kind, block), strict=True))
        if not texts:
            return np.zeros((0, self._dimension or 0), dtype=np.float32)
        return np.stack([cache[t] for t in texts])

    def _checked(self, kind: str, block: list[str]) -> Matrix:
        import numpy as np

        try:
            found = np.asarray(self._functions[kind](block), dtype=np.float32)
        except Exception as error:  # somebody else's model
            raise EmbedderError(f"the embedder {self.name} failed: {describe_error(error)}") from error
        if found.ndim != 2 or len(found) != len(block) or not found.shape[1]:
            raise EmbedderError(
                f"the embedder {self.name} gave shape {found.shape} for {len(block)} texts; expected ({len(block)}, dimension)"
            )
        if not np.isfinite(found).all():
            raise EmbedderError(f"the embedder {self.name} gave NaN or infinite components")
        if self._dimension not in (None, found.shape[1]):
            raise EmbedderError(f"the embedder {self.name} gave {found.shape[1]} dimensions after {self._dimension}")
        self._dimension = int(found.shape[1])
        return found


def needed(embedder: Embedder | None) -> Embedder:
    """The embedder.

    Raises:
        EmbedderError: there is none; says how to give it.
    """
    if embedder is None:
        raise EmbedderError("this needs the application's embedder; give it with --embedder")
    return embedder
