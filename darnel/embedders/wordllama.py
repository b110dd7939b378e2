"""The bundled default: WordLlama's static 256-dimension vectors, weights inside its wheel, no network."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from darnel.core.errors import EmbedderError
from darnel.embedders.base import CachedEmbedder

DIMENSION = 256


def load_wordllama() -> CachedEmbedder:
    """Load it.

    Raises:
        EmbedderError: the package is not installed; says how to install it.
    """
    try:
        with _logging_kept():
            import wordllama
    except ImportError:
        raise EmbedderError("the wordllama embedder is not installed; run: pip install 'darnel[wordllama]'") from None
    # its loader looks for the weights beside the working folder unless told where the wheel put them
    model = wordllama.WordLlama.load(dim=DIMENSION, cache_dir=Path(wordllama.__file__).parent, disable_download=True)
    return CachedEmbedder("wordllama", lambda texts: model.embed(texts, norm=True))


@contextmanager
def _logging_kept() -> Iterator[None]:
    """Wordllama calls ``logging.basicConfig`` on import, which would send every library's chatter to the user's stderr."""
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    try:
        yield
    finally:
        root.handlers[:] = handlers
        root.setLevel(level)
