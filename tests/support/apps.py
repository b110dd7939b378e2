"""An application in memory, over a memory corpus, whose every stage can be set."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from darnel.adapters.apps.asker import AppAsker
from darnel.adapters.apps.options import AppOptions
from darnel.core.corpus import Reply, Source, Step, Target
from tests.support.faulty import FaultyCorpus

Filter = Callable[[Sequence[Source]], Sequence[Source]]


def everything(sources: Sequence[Source]) -> Sequence[Source]:
    return sources


def without_plants(sources: Sequence[Source]) -> Sequence[Source]:
    return [s for s in sources if "darnel-" not in (s.text or "")]


@dataclass
class FakeApp:
    """Search, then named filters one after another, then a prompt of what is left, then an answer of its first lines.

    ``shows``: which of searched, delivered, prompt and answer are seen from outside. ``reads``: the corpus it searches.
    """

    corpus: FaultyCorpus
    k: int = 4
    filters: dict[str, Filter] = field(default_factory=dict)
    prompted: Filter = everything
    quotes: int = 1
    shows: tuple[str, ...] = ("searched", "delivered", "prompt", "answer")
    reads: Any = None
    fails_on: Callable[[str], bool] = lambda _question: False
    asked: list[str] = field(default_factory=list)

    def __call__(self, question: str) -> Reply:
        self.asked.append(question)
        if self.fails_on(question):
            raise RuntimeError("model overloaded")
        found = (self.reads or self.corpus).retrieve([question], self.k)[0].sources
        left: Sequence[Source] = found
        steps = []
        for name, keep in self.filters.items():
            left = keep(left)
            steps.append(Step(name, tuple(left)))
        texts = [s.text or "" for s in self.prompted(left)]
        prompt = "\n".join([f"Question: {question}", *texts])
        return Reply(
            sources=tuple(found) if "searched" in self.shows else (),
            delivered=tuple(left) if "delivered" in self.shows else None,
            prompt=prompt if "prompt" in self.shows else None,
            answer=f"{question}? {' '.join(texts[: self.quotes])}" if "answer" in self.shows else None,
            steps=tuple(steps),
            searched="searched" in self.shows,
        )


def app_target(app: FakeApp, **settings: Any) -> Target:
    options = AppOptions(jobs=1, timeout=60, retries=0)
    asker = AppAsker(app, options, app.corpus, **settings)
    return Target(app.corpus, asker, app.corpus, store_search=False, k=app.k, app="fake app")
