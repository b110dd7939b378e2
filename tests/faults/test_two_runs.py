"""Two runs on one collection at once: each finds what it would have found alone, and leaves the other's plants alone."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any

import darnel
from darnel.core.options import RunOptions
from darnel.core.planting.ledger import Ledger
from darnel.core.results import Results
from tests.support import chroma, corpora
from tests.support.command import HASHED, Outcome, darnel_process, finish, start
from tests.support.embedder import hashed

PATTERNS = {"one": ["echo:1", "flood:3"], "two": ["keywords:5", "answer:1"]}


def figures(document: dict[str, Any]) -> dict[str, Any]:
    """All that a run measured."""
    kept = {
        k: document[k]
        for k in ("scores", "observations", "queries", "baseline", "patterns", "corpus_digest", "leftovers", "errors")
    }
    return {**kept, "size": document["target"]["size"], "exit_code": document["exit_code"]}


def command(spec: str, questions: Path, name: str) -> list[str]:
    doses = [part for pattern in PATTERNS[name] for part in ("-p", pattern)]
    return ["run", spec, "--queries", str(questions), "--embedder", HASHED, *doses, "--json"]


def measured(ended: Outcome) -> dict[str, Any]:
    assert ended.code == 0, ended.err
    return figures(json.loads(ended.out))


def test_two_processes_over_http(served: tuple[str, Any], questions: Path, tmp_path: Path) -> None:
    spec, collection = served
    before = chroma.everything(collection)
    alone = {name: measured(darnel_process(command(spec, questions, name), tmp_path)) for name in PATTERNS}
    for _attempt in range(4):
        running = {name: start(command(spec, questions, name), tmp_path) for name in PATTERNS}
        most = 0
        while any(process.poll() is None for process in running.values()):
            metadatas = collection.get(where={"darnel": "plant"}, include=["metadatas"])["metadatas"]
            most = max(most, len({m["darnel_plant"].split(":")[1] for m in metadatas}))
        assert {name: measured(finish(process)) for name, process in running.items()} == alone
        if most == 2:
            break
    assert most == 2  # both had plants in the collection at the same time
    assert chroma.everything(collection) == before


def test_two_threads_on_one_client(folder: Path, tmp_path: Path) -> None:
    client = chroma.persistent(folder)
    collection = client.get_collection("docs", embedding_function=None)
    before = chroma.everything(collection)
    meet = threading.Barrier(2, timeout=60)
    found: dict[str, Results] = {}

    def work(name: str, wait: bool) -> None:
        waiting = [wait]

        def progress(what: str, _done: int, _total: int) -> None:
            if waiting[0] and what == "asking again":  # never: the last step is not waited at
                return
            if waiting[0]:
                try:
                    meet.wait()  # step by step, so that both have plants in the corpus at the same time
                except threading.BrokenBarrierError:
                    waiting[0] = False

        options = RunOptions(progress=progress)
        with Ledger(tmp_path / f"{name}.db") as ledger:
            texts = [q.text for q in corpora.make_query_list()]
            found[name] = darnel.run(collection, texts, PATTERNS[name], embedder=hashed, ledger=ledger, options=options)
        meet.abort()

    for name in PATTERNS:
        work(name, False)
        meet.reset()
    alone = {name: figures(json.loads(results.to_json())) for name, results in found.items()}
    threads = [threading.Thread(target=work, args=(name, True)) for name in PATTERNS]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {name: figures(json.loads(results.to_json())) for name, results in found.items()} == alone
    assert chroma.everything(collection) == before
    client.close()


def test_two_processes_on_one_folder_take_turns(folder: Path, questions: Path, tmp_path: Path) -> None:
    with chroma.reading(folder) as collection:
        before = chroma.everything(collection)
    spec = f"chroma:{folder}#docs"
    running = [start(command(spec, questions, name), tmp_path) for name in PATTERNS]
    ended = [finish(process) for process in running]
    assert [o.code for o in ended] == [0, 0], [o.err for o in ended]
    times = sorted((r["run"]["started"], r["run"]["finished"]) for r in (json.loads(o.out) for o in ended))
    assert times[0][1] <= times[1][0]  # one after the other
    with chroma.reading(folder) as collection:
        assert chroma.everything(collection) == before


def test_a_sweep_leaves_a_run_that_is_under_way_alone(served: tuple[str, Any], questions: Path, tmp_path: Path) -> None:
    spec, collection = served
    before = chroma.everything(collection)
    alone = measured(darnel_process(command(spec, questions, "one"), tmp_path))
    process = start(command(spec, questions, "one"), tmp_path)
    while not chroma.kit_records(collection):
        assert process.poll() is None
    swept = [darnel_process(["sweep", *named, "--json"], tmp_path) for named in ([], [spec])]
    assert [o.code for o in swept] == [0, 0]
    notes = [row["note"] for o in swept for row in json.loads(o.out)]
    assert all("running in another process; left alone" in note for note in notes)
    assert measured(finish(process)) == alone
    assert chroma.everything(collection) == before
