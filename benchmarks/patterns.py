"""Patterns x queries per second, and how that grows with ten times the queries and ten times the corpus.

    python benchmarks/patterns.py [--queries 100] [--records 1000] [--rounds 3] [--json]

The whole library at its default strengths over synthetic texts in the memory corpus (BM25; nothing is embedded): crafting
alone, and the whole of mode A with its proofs. Each case is run in a process of its own, building the corpus not timed; the
fastest of the rounds counts. A pair is one pattern for one query.

Measured on two cores shared with other work, one round:

    records queries patterns plants  crafted/s   run/s  run s  times a pair  memory before -> peak
      1,000     100       20  2,400     19,154     529    3.8          1.00  70 -> 130 MB
      1,000   1,000       20 39,445      5,631     264   75.7          2.00  71 -> 280 MB
     10,000     100       20  2,400     19,606     173   11.6          3.06  151 -> 200 MB

With ten times the queries a pair takes twice as long, since a thousand plants among a thousand records crowd each other's
lists and are planted again in smaller waves (39,445 plants for 24,000), and since the patterns that read other queries
rank them for each. With ten times the corpus it takes three times as long: this search scores every record for every
question, and indexes them anew for every wave.
"""

from __future__ import annotations

import argparse
import json
import logging
import resource
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.stores import synthetic

MEGABYTE = 1024


@dataclass(frozen=True)
class Case:
    """Seconds and megabytes of one size. ``idle_mb``: memory before the run, the corpus in it; ``peak_mb``: its most."""

    records: int
    queries: int
    patterns: int
    plants: int
    craft_s: float
    run_s: float
    idle_mb: float
    peak_mb: float

    @property
    def pairs(self) -> int:
        return self.patterns * self.queries


def main() -> None:
    options = _parse()
    if options.child:
        print(json.dumps(asdict(_measure(options.records, options.queries))))
        return
    sizes = [
        (options.records, options.queries),
        (options.records, options.queries * 10),
        (options.records * 10, options.queries),
    ]
    cases = [_best(records, queries, options.rounds) for records, queries in sizes]
    if options.json:
        print(json.dumps([asdict(case) for case in cases], indent=2))
    else:
        print(table(cases))


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--queries", type=int, default=100, help="of the first case (default 100)")
    parser.add_argument("--records", type=int, default=1_000, help="of the first case (default 1,000)")
    parser.add_argument("--rounds", type=int, default=3, help="runs of each case (default 3)")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    return parser.parse_args()


def _best(records: int, queries: int, rounds: int) -> Case:
    command = [sys.executable, __file__, "--child", "--records", str(records), "--queries", str(queries)]
    found = [
        Case(**json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout))
        for _ in range(rounds)
    ]
    return Case(
        records,
        queries,
        found[0].patterns,
        found[0].plants,
        min(case.craft_s for case in found),
        min(case.run_s for case in found),
        found[0].idle_mb,
        max(case.peak_mb for case in found),
    )


def _measure(records: int, queries: int) -> Case:
    from darnel.adapters.memory import MemoryCorpus
    from darnel.core.corpus import Record, Target
    from darnel.core.options import RunOptions
    from darnel.core.planting.campaign import new_campaign_id
    from darnel.core.planting.ledger import Ledger
    from darnel.core.running.crops import craft_all
    from darnel.core.running.runner import ask_baseline, prepare, run_mode_a
    from darnel.patterns.registry import parse_doses

    logging.getLogger("bm25s").setLevel(logging.WARNING)
    made = synthetic(records, queries)
    corpus = MemoryCorpus([Record(i, text) for i, text in zip(made.ids, made.texts, strict=True)])
    target, doses = Target(corpus, corpus, corpus), parse_doses(["all"])
    crafting = prepare(target, made.queries, doses, RunOptions())
    crafting.baseline = ask_baseline(crafting)
    idle, begun = _peak(), time.perf_counter()
    craft_all(crafting, new_campaign_id())
    crafted = time.perf_counter() - begun
    with tempfile.TemporaryDirectory(prefix="darnel-bench-") as folder, Ledger(Path(folder) / "ledger.db") as ledger:
        begun = time.perf_counter()
        results = run_mode_a(target, made.queries, doses, RunOptions(), ledger)
        took = time.perf_counter() - begun
    assert not results.leftovers
    assert not results.errors
    return Case(records, queries, len(results.scores), results.cleanup.planted, crafted, took, idle, _peak())


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / MEGABYTE


def table(cases: list[Case]) -> str:
    """A line a case: pairs a second crafted and run, and the time a pair takes beside the first case's."""
    lines = ["records queries patterns plants  crafted/s   run/s  run s  times a pair  memory before -> peak"]
    first = cases[0].run_s / cases[0].pairs
    for case in cases:
        lines.append(
            f"{case.records:>7,} {case.queries:>7,} {case.patterns:>8} {case.plants:>6,} "
            f"{case.pairs / case.craft_s:>10,.0f} {case.pairs / case.run_s:>7,.0f} {case.run_s:>6.1f} "
            f"{case.run_s / case.pairs / first:>13.2f}  {case.idle_mb:,.0f} -> {case.peak_mb:,.0f} MB"
        )
    return "\n".join(lines)


if __name__ == "__main__":
    main()
