"""A small corpus with topics, and questions about it."""

from __future__ import annotations

import random

from darnel.core.corpus import Record
from darnel.core.queries import Query
from tests.support.embedder import embed

TOPICS = {
    "bread": "flour yeast oven crust loaf knead dough rise bake salt",
    "boats": "sail mast hull keel harbour anchor tide rope wind deck",
    "bees": "hive honey queen swarm comb pollen nectar drone wax smoke",
    "maps": "scale north compass contour legend border river grid chart survey",
    "locks": "key bolt hinge door cylinder pin latch frame safe hook",
}


def make_records(count: int = 40, *, seed: int = 0, metadata: bool = True) -> list[Record]:
    """Records ``r0``, ``r1``, ... of four sentences each, with a tenant, a topic, a page number and a source of their own."""
    drawn = random.Random(seed)
    records = []
    for number in range(count):
        topic = list(TOPICS)[number % len(TOPICS)]
        words = TOPICS[topic].split()
        text = " ".join(f"The {' '.join(drawn.sample(words, 4))} note {number}." for _ in range(4))
        own = {"tenant": "acme", "topic": topic, "page": number % 7, "source": f"{topic}/{number}.md"}
        records.append(Record(f"r{number}", text, own if metadata else None, embed(text)))
    return records


def make_query_list(count: int = 3) -> list[Query]:
    """One question a topic, each with its judged records."""
    queries = []
    for number, (topic, words) in enumerate(list(TOPICS.items())[:count]):
        first, second, third, *_ = words.split()
        judged = {f"r{i}": 1 for i in range(number, 40, len(TOPICS))}
        queries.append(Query(f"{topic}-q", f"How do {first} and {second} go with {third}?", judged))
    return queries
