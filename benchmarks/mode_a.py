"""How much a run with all its proofs costs beside the bare chromadb client: time, memory, and against a peer.

    python benchmarks/mode_a.py                     Cranfield: 6 patterns x 225 questions, embedded Chroma
    python benchmarks/mode_a.py --sizes 1000 10000 100000
    python benchmarks/mode_a.py --peer              seconds a pattern-question pair, against raginject

Excluded on both sides: building the corpus, opening the store and loading its index, imports, embedding (every vector is
computed beforehand in an untimed run of the same seed). Each timed run has a fresh copy of the store; darnel and the bare
client take turns, and every second pair starts with the other one.
"""

from __future__ import annotations

import argparse
import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks import peer
from benchmarks.raw_client import Call, RecordingCollection, describe_plan, load_plan, plan_of, replay, save_plan
from benchmarks.stores import Corpus, RecordingEmbedder, beir, build, copied, synthetic, table_embedder

PATTERNS = ("control", "honest", "echo:1", "keywords:5", "answer:1", "flood:5")


def main() -> None:
    options = _parse()
    if options.child:
        _child(options.child, Path(options.folder), options.queries_file)
        return
    report: dict[str, Any] = {"patterns": list(PATTERNS)}
    with tempfile.TemporaryDirectory(prefix="darnel-bench-") as name:
        root = Path(name)
        if options.peer:
            report["peer"] = _compare(root / "peer", options.peer_pairs, min(options.rounds, 5))
        else:
            corpora = [lambda: beir("cranfield")] if not options.sizes else []
            corpora += [lambda size=size: synthetic(size, 225) for size in options.sizes]
            report["corpora"] = [
                _measure(make(), root / str(n), options.rounds, options.memory) for n, make in enumerate(corpora)
            ]
    if options.json:
        print(json.dumps(report, indent=2))
    else:
        _print(report)


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=7, help="timed pairs of runs (default 7)")
    parser.add_argument("--sizes", type=int, nargs="*", default=[], help="synthetic corpora of these sizes instead")
    parser.add_argument("--no-memory", dest="memory", action="store_false", help="leave out peak memory")
    parser.add_argument("--peer", action="store_true", help="compare with raginject instead")
    parser.add_argument("--peer-pairs", type=int, default=270, help="pairs that one-at-a-time runs do (default 270)")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--child", choices=("darnel", "raw"), help=argparse.SUPPRESS)
    parser.add_argument("--folder", help=argparse.SUPPRESS)
    parser.add_argument("--queries-file", help=argparse.SUPPRESS)
    return parser.parse_args()


def run_darnel(collection: Any, queries: Any, embedder: Any, ledger: Path, isolation: Any = "pattern") -> Any:
    """One complete run, all proofs on."""
    import darnel
    from darnel.core.options import RunOptions

    options = RunOptions(isolation=isolation)
    results = darnel.run(collection, queries, PATTERNS, embedder=embedder, ledger=ledger, options=options)
    # 2 is possible: an approximate index may leave a plant unreachable, which the run says
    assert results.exit_code in (0, 2), results.errors
    assert not results.leftovers
    assert not results.errors, results.errors
    assert results.corpus_digest is not None
    assert results.corpus_digest.same
    return results


def prepare(corpus: Corpus, root: Path) -> tuple[dict[str, Any], Any, Sequence[Call]]:
    """Build the store, and do one untimed run that computes every vector and records what the bare client must do.

    Returns facts for the report, the results of that run, and the calls.
    """
    root.mkdir()
    from darnel.adapters.chroma import chroma_target

    started = time.monotonic()
    build(corpus, root / "store")
    built = time.monotonic() - started
    embedder = RecordingEmbedder(corpus.embedder)
    with copied(root / "store", root / "copy") as collection:
        recorder = RecordingCollection(collection)
        results = run_darnel(chroma_target(recorder, embedder), corpus.queries, None, root / "warm.db")
    embedder.save(root / "vectors")
    plan = plan_of(recorder.calls, [embedder.seen["queries"][q.text] for q in corpus.queries])
    save_plan(plan, root / "plan")
    rows = [{"id": q.id, "text": q.text, "relevant": dict(q.judged)} for q in corpus.queries]
    (root / "queries.jsonl").write_text("\n".join(map(json.dumps, rows)))
    facts = {"corpus": corpus.name, "records": len(corpus.ids), "build seconds": round(built, 1), **describe_plan(plan)}
    return facts, results, plan


def _measure(corpus: Corpus, root: Path, rounds: int, memory: bool) -> dict[str, Any]:
    facts, _, _ = prepare(corpus, root)
    seconds: dict[str, list[float]] = {"darnel": [], "raw": []}
    processor: dict[str, list[float]] = {"darnel": [], "raw": []}
    jobs = {"darnel": _darnel_job(root, corpus.queries), "raw": _raw_job(root)}
    for number in range(-1, rounds):  # the first pair warms up caches and is not counted
        order = ("darnel", "raw") if number % 2 else ("raw", "darnel")
        for side in order:
            with copied(root / "store", root / f"{side}-{number}") as collection:
                started, used = time.perf_counter(), time.process_time()
                jobs[side](collection)
                if number >= 0:
                    seconds[side].append(time.perf_counter() - started)
                    processor[side].append(time.process_time() - used)
    facts |= {f"{side} seconds": _spread(values) for side, values in seconds.items()}
    facts["ratio"] = _spread([a / b for a, b in zip(seconds["darnel"], seconds["raw"], strict=True)])
    # on a busy machine the clock tells as much of the neighbours; processor time leaves them out, and waits for the disk too
    facts["ratio of processor time"] = _spread(
        [a / b for a, b in zip(processor["darnel"], processor["raw"], strict=True)]
    )
    if memory:
        facts["peak MB"] = {side: _peak(side, root) for side in jobs}
    return facts


def _compare(root: Path, pairs: int, rounds: int) -> dict[str, Any]:
    if why := peer.missing():
        return {"skipped": why}
    corpus = beir("cranfield")
    _, results, plan = prepare(corpus, root)
    found = peer.pairs_of(corpus, results, plan)
    return peer.compare(peer.Bench(root, corpus, found, table_embedder(root / "vectors"), run_darnel), pairs, rounds)


def _darnel_job(root: Path, queries: Any) -> Any:
    embedder = table_embedder(root / "vectors")
    number = iter(range(1_000))
    return lambda collection: run_darnel(collection, queries, embedder, root / f"ledger-{next(number)}.db")


def _raw_job(root: Path) -> Any:
    plan = load_plan(root / "plan")
    return lambda collection: replay(collection, plan)


def _peak(side: str, root: Path) -> dict[str, float]:
    """Peak resident memory of a process that does one run, in MB; ``loaded``: before it, everything imported and open."""
    command = [sys.executable, __file__, "--child", side, "--folder", str(root)]
    command += ["--queries-file", str(root / "queries.jsonl")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    loaded, peak = map(float, done.stdout.split())
    return {"loaded": loaded, "peak": peak}


def _child(side: str, root: Path, queries: str) -> None:
    if side == "darnel":  # what a run imports on its way
        import bm25s.stopwords  # noqa: F401
        import scipy.stats  # noqa: F401

        import darnel.core.running.runner  # noqa: F401
    job = _raw_job(root) if side == "raw" else _darnel_job(root, queries)
    with copied(root / "store", root / f"{side}-memory") as collection:
        loaded = _own_peak()
        job(collection)
    print(loaded, _own_peak())


def _own_peak() -> float:
    """This process's peak in MB. Linux's getrusage carries the parent's over ``exec``, so its own mark is read there."""
    status = Path("/proc/self/status")
    if status.exists():
        line = next(row for row in status.read_text().splitlines() if row.startswith("VmHWM:"))
        return round(int(line.split()[1]) / 1024, 1)
    unit = 1024 * 1024 if sys.platform == "darwin" else 1024
    return round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit, 1)


def _spread(values: Sequence[float]) -> dict[str, float]:
    return {
        "median": round(statistics.median(values), 3),
        "min": round(min(values), 3),
        "max": round(max(values), 3),
        "n": len(values),
    }


def _print(report: dict[str, Any]) -> None:
    for facts in report.get("corpora", ()):
        print(f"\n{facts['corpus']}: {facts['records']:,} records (built in {facts['build seconds']} s, not counted)")
        print("  " + ", ".join(f"{facts[k]:,} {k}" for k in facts if k.endswith((" calls", " items"))))
        for key in ("darnel seconds", "raw seconds", "ratio", "ratio of processor time"):
            spread = facts[key]
            print(
                f"  {key:<24}{spread['median']:>8.3f}   ({spread['min']:.3f} to {spread['max']:.3f}, n={spread['n']})"
            )
        if "peak MB" in facts:
            print(
                f"  {'peak MB':<24}"
                + "   ".join(
                    f"{s} {m['peak']:.0f} ({m['loaded']:.0f} when loaded)" for s, m in facts["peak MB"].items()
                )
            )
    if "peer" in report:
        _print_peer(report["peer"])


def _print_peer(found: dict[str, Any]) -> None:
    if "skipped" in found:
        print(f"peer skipped: {found['skipped']}")
        return
    print("\nmilliseconds a pattern-question pair")
    for name, spread in found["milliseconds a pair"].items():
        print(f"  {name:<42}{spread['median']:>8.2f}   ({spread['min']:.2f} to {spread['max']:.2f})")
    for name in ("raginject / darnel", "raginject / darnel --isolation query"):
        print(f"  {name:<42}{found[name]:>8.2f}")


if __name__ == "__main__":
    main()
