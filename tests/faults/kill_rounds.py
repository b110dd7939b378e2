"""Kill a real run over and over, sweep in a fresh process, and look whether anything is left or changed.

``python -m tests.faults.kill_rounds --rounds 50 --mode embedded`` (or ``http``). Every second round the process is killed
at one step of its ledger or store, else at a random moment. The witness is chromadb itself, not darnel.
"""

from __future__ import annotations

import argparse
import json
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.faults.child import POINTS
from tests.support import chroma, corpora
from tests.support.command import HASHED, Outcome, darnel_process, environment

STORE_ALONE = 5
"""Every so many rounds the ledger is lost before the sweep."""


@dataclass
class Tally:
    """What the rounds came to."""

    mode: str
    rounds: int = 0
    killed: int = 0
    points: set[str] = field(default_factory=set)
    with_plants: int = 0
    plants: int = 0
    without_ledger: int = 0
    problems: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        return (
            f"{self.mode}: {self.rounds} rounds, {self.killed} killed in the run ({len(self.points)} of {len(POINTS)} steps), "
            f"{self.with_plants} left plants behind ({self.plants} plants), {self.without_ledger} swept without a ledger; "
            f"after sweep: {len(self.problems)} problems"
        )


class Store:
    """One corpus under test, and the witness."""

    def __init__(self, folder: Path, port: int | None) -> None:
        self.folder, self.port = folder, port
        where = folder if port is None else f"http://127.0.0.1:{port}"
        self.spec = f"chroma:{where}#{chroma.COLLECTION}"

    @contextmanager
    def open(self) -> Iterator[Any]:
        import chromadb

        if self.port is None:
            with chroma.reading(self.folder) as collection:
                yield collection
        else:
            client = chromadb.HttpClient("127.0.0.1", self.port, settings=chroma.settings())
            yield client.get_collection(chroma.COLLECTION, embedding_function=None)
            client.close()


def rounds(mode: str, count: int, seed: int, *, verbose: bool = False) -> Tally:
    """Make ``count`` rounds; whatever is wrong is in ``problems`` of the tally."""
    drawn, tally = random.Random(seed), Tally(mode)
    steps = [p for _ in range(count // len(POINTS) + 1) for p in drawn.sample(POINTS, len(POINTS))]
    with ExitStack() as stack:
        work = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="darnel-kills-")))
        (work / "db").mkdir()
        if mode == "http":
            store = Store(work / "db", stack.enter_context(chroma.chroma_server(work / "db")))
            _fill_served(store)
        else:
            chroma.build(work / "db", corpora.make_records())
            store = Store(work / "db", None)
        queries = work / "questions.txt"
        queries.write_text("\n".join(q.text for q in corpora.make_query_list(5)), encoding="utf-8")
        with store.open() as collection:
            before = chroma.everything(collection)
        for number in range(count):
            point = steps.pop() if number % 2 == 0 else "none"
            moment = drawn.uniform(0.0, 0.8)
            once = point.startswith(("open", "set"))
            _round(store, work, number, point, 1 if once else drawn.randint(1, 4), moment, before, tally)
            if verbose:
                print(f"round {number + 1}: {point if point != 'none' else f'after {moment:.2f} s'}", file=sys.stderr)
    return tally


def _fill_served(store: Store) -> None:
    import chromadb

    client = chromadb.HttpClient("127.0.0.1", store.port or 0, settings=chroma.settings())
    chroma.fill(client, corpora.make_records())
    client.close()


def _round(
    store: Store, work: Path, number: int, point: str, time_of: int, moment: float, before: dict[str, str], tally: Tally
) -> None:
    ledger, started = work / f"ledger-{number}.db", work / f"started-{number}"
    env = environment({"DARNEL_LEDGER": str(ledger)})
    run = ["run", store.spec, "--queries", "questions.txt", "--embedder", HASHED, "--isolation", "query"]
    run += ["-p", "echo:1", "-p", "flood:3", "--json"]
    command = [sys.executable, "-m", "tests.faults.child", point, str(time_of), str(started), *run]
    quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE}
    child = subprocess.Popen(command, cwd=work, env=env, **quiet)
    if point == "none":
        while child.poll() is None and not started.exists():
            time.sleep(0.005)
        time.sleep(moment)
        child.kill()
    _out, err = child.communicate(timeout=120)
    tally.rounds += 1
    if child.returncode == -signal.SIGKILL:
        tally.killed += 1
        tally.points |= {point} - {"none"}
    elif child.returncode or point != "none":
        tally.problems.append(f"round {number} ({point}): the run ended with {child.returncode}: {err.decode()[-500:]}")
    ids = _announced(ledger)
    with store.open() as collection:
        left = chroma.kit_records(collection)
    tally.plants += len(left)
    tally.with_plants += bool(left)
    if set(left) - ids:
        tally.problems.append(f"round {number} ({point}): in the store and not in the ledger: {set(left) - ids}")
    if number % STORE_ALONE == STORE_ALONE - 1:
        for path in work.glob(f"{ledger.name}*"):
            path.unlink()
        tally.without_ledger += 1
        swept = darnel_process(["sweep", store.spec, "--json"], work, {"DARNEL_LEDGER": str(ledger)})
    else:
        swept = darnel_process(["sweep", "--json"], work, {"DARNEL_LEDGER": str(ledger)})
    tally.problems += [f"round {number} ({point}): {what}" for what in _wrong(store, swept, ids, before)]


def _announced(ledger: Path) -> set[str]:
    """Ids of every plant the ledger knows, read without darnel."""
    if not ledger.exists():
        return set()
    db = sqlite3.connect(ledger)
    try:
        return {row[0] for row in db.execute("SELECT id FROM plant")}
    except sqlite3.OperationalError:  # killed before its tables were there
        return set()
    finally:
        db.close()


def _wrong(store: Store, swept: Outcome, ids: set[str], before: dict[str, str]) -> Iterator[str]:
    """Everything that is not as it was."""
    if swept.code != 0 or not isinstance(json.loads(swept.out or "null"), list):
        yield f"sweep ended with {swept.code}: {swept.out} {swept.err}"
    with store.open() as collection:
        if ids and (found := collection.get(ids=sorted(ids), include=[])["ids"]):
            yield f"still there by id: {found}"
        if found := collection.get(where={"darnel": "plant"}, include=[])["ids"]:
            yield f"still there by metadata: {found}"
        if found := chroma.kit_records(collection):
            yield f"still there by text: {found}"
        if collection.count() != len(before):
            yield f"{collection.count()} records, {len(before)} before"
        if (now := chroma.everything(collection)) != before:
            yield f"records differ: {sorted(now.items() ^ before.items())[:5]}"
        asked = [r.vector for r in corpora.make_records(5)]
        returned = {i for ids in collection.query(query_embeddings=asked, n_results=10)["ids"] for i in ids}
        if not returned <= before.keys():
            yield f"a search still returns {returned - before.keys()}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--mode", choices=["embedded", "http"], default="embedded")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--verbose", action="store_true")
    given = parser.parse_args()
    tally = rounds(given.mode, given.rounds, given.seed, verbose=given.verbose)
    for problem in tally.problems:
        print(problem)
    print(tally)
    return 1 if tally.problems else 0


if __name__ == "__main__":
    sys.exit(main())
