"""The yardstick: what a run writes, asks and deletes, done by the bare chromadb client and nothing else.

Only writes, query rounds and deletes by id are kept of a recorded run. Its proofs are left out: reads before writing and
after, digests, the ledger, the probes of plants that no question found.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Call:
    """One call of the client: its name and its arguments."""

    name: str
    arguments: dict[str, Any]


class RecordingCollection:
    """A Chroma collection that keeps what is written, asked and deleted through it."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner
        self.calls: list[Call] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def add(self, **arguments: Any) -> Any:
        return self._keep("add", arguments)

    def upsert(self, **arguments: Any) -> Any:
        return self._keep("upsert", arguments)

    def query(self, **arguments: Any) -> Any:
        return self._keep("query", arguments)

    def delete(self, **arguments: Any) -> Any:
        return self._keep("delete", arguments)

    def _keep(self, name: str, arguments: dict[str, Any]) -> Any:
        self.calls.append(Call(name, arguments))
        return getattr(self._inner, name)(**arguments)


def plan_of(calls: Sequence[Call], questions: Any) -> list[Call]:
    """The writes, the deletes without their filter, and the rounds in which every question was asked.

    Left out are probes (other vectors than the questions'), second and deeper searches for some of the questions, and
    everything about plants that are planted a second time because the index lost them.
    """
    known = {row.tobytes() for row in np.asarray(questions, dtype=np.float32)}
    plan: list[Call] = []
    done: set[tuple[str, str]] = set()
    asked: set[bytes] = set()  # since the last write
    again = False
    for call in calls:
        arguments = {k: v for k, v in call.arguments.items() if v is not None}
        if call.name == "query":
            vectors = {row.tobytes() for row in np.asarray(arguments["query_embeddings"], dtype=np.float32)}
            first = vectors <= known - asked and (vectors == known or not again)
            asked |= vectors
            if not first:
                continue
        else:
            items = {(call.name, id_) for id_ in arguments["ids"]}
            asked, again = set(), items <= done
            if again:
                continue
            done |= items
        if call.name == "delete":
            arguments = {"ids": arguments["ids"]}
        plan.append(Call(call.name, arguments))
    return plan


def replay(collection: Any, plan: Sequence[Call]) -> None:
    """Do it."""
    for call in plan:
        getattr(collection, call.name)(**call.arguments)


def describe_plan(plan: Sequence[Call]) -> dict[str, int]:
    """How many calls of each kind, and how many records and questions are in them."""
    out: dict[str, int] = {}
    for call in plan:
        size = len(call.arguments.get("ids") or call.arguments["query_embeddings"])
        kind = "write" if call.name in ("add", "upsert") else call.name
        out[f"{kind} calls"] = out.get(f"{kind} calls", 0) + 1
        out[f"{kind} items"] = out.get(f"{kind} items", 0) + size
    return out


def save_plan(plan: Sequence[Call], folder: Path) -> None:
    folder.mkdir()
    rows = []
    for number, call in enumerate(plan):
        plain = {}
        for key, value in call.arguments.items():
            if key in ("embeddings", "query_embeddings"):
                np.save(folder / f"{number}-{key}.npy", np.asarray(value, dtype=np.float32))
            else:
                plain[key] = value
        rows.append({"name": call.name, "plain": plain})
    (folder / "plan.json").write_text(json.dumps(rows))


def load_plan(folder: Path) -> list[Call]:
    plan = []
    for number, row in enumerate(json.loads((folder / "plan.json").read_text())):
        arguments = dict(row["plain"])
        for key in ("embeddings", "query_embeddings"):
            if (file := folder / f"{number}-{key}.npy").exists():
                arguments[key] = np.load(file)
        plan.append(Call(row["name"], arguments))
    return plan
