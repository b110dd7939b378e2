"""The query written with other characters: invisible ones inside its words, or look-alikes of its letters.

Whether these are retrieved is a fingerprint of the store: an encoder that drops what it does not know sees through them,
a lexical index does not, and one that normalises by UTS #39 sees the plain words.
"""

from __future__ import annotations

from darnel.core.pattern import About, CraftRequest
from darnel.patterns.base import Recipe

ENCODINGS = "Boucher et al., Boosting Big Brother (arXiv 2304.14031)"
ZERO_WIDTH = "\u200b"
LOOK_ALIKES = str.maketrans("aceiopsxyACEHIKMOPTX", "асеіорѕхуАСЕНІКМОРТХ")  # noqa: RUF001 - that is their point
"""Latin letters and the Cyrillic ones drawn like them (UTS #39 confusables)."""


def _zero_width(request: CraftRequest) -> str:
    words = [ZERO_WIDTH.join(word) for word in request.query.split()]
    return " ".join([*[" ".join(words)] * request.strength, request.body])


def _look_alike(request: CraftRequest) -> str:
    return " ".join([*[request.query.translate(LOOK_ALIKES)] * request.strength, request.body])


ZERO_WIDTH_ECHO = Recipe(
    name="zero-width",
    summary="The query with invisible characters between its letters, put before the carrier.",
    dose="repeats of the query",
    text=_zero_width,
    about=About("characters", "black", ("text",), ("encoders that drop zero-width characters",), (ENCODINGS,)),
)

HOMOGLYPH_ECHO = Recipe(
    name="homoglyph",
    summary="The query in Cyrillic letters that look like its own, put before the carrier.",
    dose="repeats of the query",
    text=_look_alike,
    about=About("characters", "black", ("text",), ("stores that fold look-alikes",), (ENCODINGS,)),
)
