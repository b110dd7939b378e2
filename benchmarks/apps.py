"""What watching an application costs: wall time of its questions through darnel, as a ratio to asking it plainly.

    python benchmarks/apps.py [--questions 99] [--rounds 7] [--delay 0 0.02]

The example applications over the demo's handbook, their scripted models answering (so that both sides do the same work),
one question at a time, rounds of both sides in turn, garbage collection off. ``--delay`` is what the model takes for an
answer, in seconds: 0 is the framework's bare speed, 0.02 a model quicker than any that is paid for.
"""

from __future__ import annotations

import argparse
import gc
import importlib
import itertools
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from darnel.adapters.apps.options import AppOptions
from darnel.api import open_target

ROOT = Path(__file__).resolve().parents[1]
QUERIES = ROOT / "darnel" / "demo" / "queries.jsonl"
OPTIONS = AppOptions(jobs=1, answers=True)


def load(example: str) -> Any:
    """The ``app`` module of an example, imported from its folder."""
    for name in ("app", "local"):
        sys.modules.pop(name, None)
    sys.path.insert(0, str(ROOT / "examples" / example))
    try:
        return importlib.import_module("app")
    finally:
        del sys.path[0]


def langchain(delay: float) -> tuple[Any, Callable[[str], Any]]:
    """The chain, and how it is asked plainly."""
    app = load("langchain_app")
    answer = type(app.model)._call
    type(app.model)._call = lambda self, *a, **k: (time.sleep(delay), answer(self, *a, **k))[1]
    return app.chain, app.chain.invoke


def llamaindex(delay: float) -> tuple[Any, Callable[[str], Any]]:
    """The query engine, and how it is asked plainly."""
    app = load("llamaindex_app")
    model = type(app.query_engine._response_synthesizer._llm)
    complete = model.complete
    model.complete = lambda self, *a, **k: (time.sleep(delay), complete(self, *a, **k))[1]
    return app.query_engine, app.query_engine.query


def seconds(ask: Callable[[Sequence[str]], Any], questions: Sequence[str]) -> float:
    """Wall time of one round."""
    gc.collect()
    gc.disable()
    started = time.perf_counter()
    ask(questions)
    spent = time.perf_counter() - started
    gc.enable()
    return spent


def measure(
    app: Any, plainly: Callable[[str], Any], questions: Sequence[str], rounds: int
) -> tuple[float, float, float]:
    """Milliseconds a question plainly and watched, and the median of the rounds' ratios."""
    opened = open_target(app, app=OPTIONS)
    asker = opened.retriever
    assert asker is not None

    def watched(asked: Sequence[str]) -> None:
        replies = asker.retrieve(asked, 4)
        assert not any(reply.error for reply in replies), next(r.error for r in replies if r.error)

    def plain(asked: Sequence[str]) -> None:
        for question in asked:
            plainly(question)

    pairs = []
    for number in range(rounds + 1):
        one, two = (plain, watched) if number % 2 else (watched, plain)
        first, second = seconds(one, questions), seconds(two, questions)
        pairs.append((first, second) if number % 2 else (second, first))
    opened.close()
    kept = pairs[1:]  # the first warms up
    each = 1_000 / len(questions)
    return (
        statistics.median(a for a, _ in kept) * each,
        statistics.median(b for _, b in kept) * each,
        statistics.median(b / a for a, b in kept),
    )


def main() -> None:
    """Print a line for each framework and delay."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--questions", type=int, default=99)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--delay", type=float, nargs="+", default=[0.0, 0.02])
    parser.add_argument("--only", choices=("langchain", "llamaindex"), help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.only is None:  # each in a process of its own: the examples share names, and Chroma's memory
        for name, delay in itertools.product(("langchain", "llamaindex"), given.delay):
            size = ["--questions", str(given.questions), "--rounds", str(given.rounds)]
            subprocess.run([sys.executable, __file__, "--only", name, "--delay", str(delay), *size], check=True)
        return
    questions = [json.loads(line)["text"] for line in QUERIES.read_text(encoding="utf-8").splitlines()][
        : given.questions
    ]
    make, delay = {"langchain": langchain, "llamaindex": llamaindex}[given.only], given.delay[0]
    app, plainly = make(delay)
    plain, watched, ratio = measure(app, plainly, questions, given.rounds)
    said = f"{plain:.2f} ms plainly, {watched:.2f} ms watched, ratio {ratio:.2f}"
    print(f"{given.only}, model takes {delay * 1000:g} ms: {said}", flush=True)


if __name__ == "__main__":
    main()
