"""The records that the suite fills a store with: a dozen passages with metadata of every common type."""

from __future__ import annotations

from darnel.core.corpus import Record
from darnel.core.plant import KIT_KEY, KIT_VALUE, STAMP_KEY, MetaValue, content_digest, make_marker

FOREIGN_CAMPAIGN = "somebody-elses"

_PASSAGES = (
    "The harbour master opens the gates at six and rings the bell twice.",
    "Apples from the north orchard keep until March in a dry cellar.",
    "A lantern on the pier means that the ferry has left already.",
    "The glacier lost forty metres of ice between the two surveys.",
    "Saffron is picked before noon, while the flowers are still closed.",
    "Walnut shells, ground fine, polish brass without scratching it.",
    "The compass in the wheelhouse reads two degrees too far west.",
    "Hay from the lower meadow goes to the stables at the mill.",
    "Die Fähre fährt montags später; der Fährmann schläft länger.",  # not every corpus is English
    "The library lends maps for a week and atlases for a day.",
    "Salt is weighed at the east door and paid for at the west door.",
    "Ropes older than three winters are cut up and sold as kindling.",
)


def _metadata(number: int) -> dict[str, MetaValue]:
    found: dict[str, MetaValue] = {
        "source": f"handbook/{number:02}.md",
        "tenant": "blue",
        "page": number % 3 + 1,
        "weight": 0.25 * (number % 4) + 0.125,
        "public": number % 2 == 0,
        "shelf": "east" if number % 3 else "west",
    }
    if number == 4:
        del found["shelf"]  # no corpus is quite regular
    if number == 7:
        found["note"] = "  naïve “quotes”, a tab\tand a trailing space "
    return found


LIBRARY = tuple(Record(f"doc-{n:02}", text, _metadata(n)) for n, text in enumerate(_PASSAGES))
"""Twelve records: one metadata key unique to each, one the same in all, and values of str, int, float and bool."""

NEXT_DOOR = Record("next-door", "A record that only the neighbour holds.", {**_metadata(20)})
"""In neighbours only, so that its id is free in the container under test."""


def stamped_elsewhere(campaign: str) -> Record:
    """A record that some other campaign planted, stamp and all."""
    marker, metadata = make_marker(0, campaign), _metadata(21)
    text = f"A harmless note of another campaign. {marker}"
    stamp = f"1:{campaign}:{marker}:{content_digest(text, metadata)[:16]}"
    return Record(f"plant-of-{campaign}", text, {**metadata, KIT_KEY: KIT_VALUE, STAMP_KEY: stamp})
