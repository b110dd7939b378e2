"""Applications as people write them: nothing of darnel in them. The corpus is a file in the current folder."""

from __future__ import annotations

import asyncio
import json
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

DOCUMENTS: list[dict[str, Any]] = []  # filled by the test: what the store of this application holds now


def search(question: str, k: int = 4) -> list[dict[str, Any]]:
    words = set(question.lower().split())
    return sorted(DOCUMENTS, key=lambda d: -len(words & set(d["text"].lower().split())))[:k]


def obey(question: str) -> tuple[str, list[dict[str, Any]]]:
    print("thinking about", question)
    found = search(question)
    return f"I read: {found[0]['text']}", found


def answer_only(question: str) -> str:
    return obey(question)[0]


def deaf(question: str) -> str:
    return "I do not know."


def sources_only(question: str) -> list[str]:
    return [d["text"] for d in search(question)]


def keyed(given: dict[str, str]) -> dict[str, Any]:
    answer, found = obey(given["question"])
    return {"data": {"said": answer, "hits": found}}


async def slow(question: str) -> dict[str, Any]:
    await asyncio.sleep(0)
    answer, found = obey(question)
    return {"answer": answer, "sources": found}


def stream(question: str) -> Any:
    yield from answer_only(question).split(" ")


@dataclass
class Said:
    answer: str
    sources: list[Any] = field(default_factory=list)


class Bot:
    def __init__(self, k: int = 4) -> None:
        self.k = k

    def ask(self, question: str, history: tuple[str, ...] = ()) -> Said:
        return Said(*obey(question))

    def __call__(self, question: str) -> Said:
        return self.ask(question)


bot = Bot()
method = bot.ask


def make() -> Bot:
    print("making it")
    return Bot()


def made_of_nothing() -> str:
    return "no callable"


def two(question: str, tenant: str) -> str:
    return question + tenant


def named_only(question: str, *, tenant: str) -> str:
    return question + tenant


def any_number(*questions: str) -> Said:
    return Said(*obey(questions[0]))


def third_fails(question: str) -> Any:
    CALLS.append(question)
    if len(CALLS) % 3 == 0:
        raise RuntimeError("out of tokens")
    return obey(question)


def third_exits(question: str) -> Any:
    CALLS.append(question)
    if len(CALLS) % 3 == 0:
        sys.exit("goodbye")
    return obey(question)


CALLS: list[str] = []
notes = json.dumps({"not": "callable"})
here = Path()
