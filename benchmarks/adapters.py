"""What planting and removing with proof costs beside the bare clients, and whether removal grows with the corpus.

    python benchmarks/adapters.py                   1,000 plants in 5,000 and 50,000 records, in every store
    python benchmarks/adapters.py --stores memory chroma --sizes 5000 50000 200000 --build-within 300

darnel: announce, refuse collisions, write, read back; then read, remove, read back. The bare client: the same texts, vectors
and metadata written in one call, and deleted by id in one; of a framework's store, the framework's own calls. Not counted:
building, opening, embedding, and garbage collection, whose full passes take longer than some stores and hit either side. The
two take turns. Each line is printed as soon as it is there; a store that does not fit into the time given says so.

Measured on two cores of a shared machine (64 dimensions, 1,000 plants, medians of 5 pairs, milliseconds; x is darnel to bare,
write and removal together; the bare client of the memory corpus is a dictionary):

                       5,000 records                  50,000 records                 200,000 records
                       write/raw    remove/raw   x    write/raw    remove/raw   x    write/raw    remove/raw   x
    memory              13/1         9/0.4     16.7    15/1         9/0.8     11.8    14/1         10/0.8    10.8
    chroma             470/408     235/115     1.35   662/663     250/160     1.11  1115/888      398/304    1.27
    qdrant (local)     109/30       56/0.9     5.30   163/50       71/1.0     4.57   188/112       63/1.1    2.22
    langchain-memory    23/5        13/1.8     5.11    27/6        19/2.4     5.43    36/7         25/2.4    6.77
    langchain-chroma   538/474     239/127     1.29   581/528     251/156     1.22
    langchain-qdrant    82/29       47/0.8     4.30    97/44       50/1.0     3.25
    langchain-faiss     29/10       16/2.6     3.55    35/14       29/15      2.18    58/32        80/62     1.46
    langchain-pgvector 174/133      28/8.6     1.43   194/144      33/9.3     1.48   174/128       28/8.6    1.47
    llamaindex-simple  129/52       62/20      2.67   285/193     214/151     1.45   770/686      801/661    1.17
    llamaindex-chroma  528/433     348/141     1.53   764/654     388/176     1.39
    llamaindex-qdrant  114/60       58/96      1.10   137/79       63/461     0.37   198/135       64/1666   0.15

What grows is the stores' own: FAISS numbers its rows anew, LlamaIndex writes the whole index struct and sends Qdrant a filter
that local mode checks against every point (darnel sends ids). Filling Chroma with 200,000 records took 135 s.
"""

from __future__ import annotations

import argparse
import gc
import json
import statistics
import sys
import tempfile
import time
import uuid
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.bare_frameworks import FRAMEWORKS
from benchmarks.bare_stores import BARE_STORES, Bare, TooSlowError, seeded

STORES = {**BARE_STORES, **FRAMEWORKS}
SIDES = ("darnel", "raw")


@dataclass(frozen=True)
class Times:
    """Median seconds of a side's writes and removals, by the clock and of the processor."""

    write: float
    remove: float
    write_processor: float
    remove_processor: float


@dataclass(frozen=True)
class Row:
    """One store at one size. ``built``: seconds; ``rounds``: timed pairs; ``skipped``: why there are no times."""

    store: str
    size: int
    built: float
    darnel: Times | None = None
    raw: Times | None = None
    rounds: int = 0
    skipped: str = ""

    @property
    def ratio(self) -> float:
        """Of write and removal together, darnel to bare, by the clock."""
        assert self.darnel is not None
        assert self.raw is not None
        return (self.darnel.write + self.darnel.remove) / (self.raw.write + self.raw.remove)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--stores", nargs="+", choices=STORES, default=list(STORES))
    parser.add_argument("--sizes", nargs="+", type=int, default=[5_000, 50_000])
    parser.add_argument("--plants", type=int, default=1_000)
    parser.add_argument("--rounds", type=int, default=5, help="timed pairs at the most (default 5)")
    parser.add_argument("--build-within", type=float, default=60.0, help="seconds a store may fill (default 60)")
    parser.add_argument("--time-within", type=float, default=60.0, help="seconds its pairs may take (default 60)")
    parser.add_argument("--json", action="store_true", help="print JSON; the table goes to stderr")
    options = parser.parse_args()
    warnings.simplefilter("ignore")  # packages that announce their end, and local mode that it is small
    people, rows = sys.stderr if options.json else sys.stdout, []
    print(HEAD, file=people, flush=True)
    for name in options.stores:
        first = None
        for size in sorted(options.sizes):
            row = _measure(name, size, options)
            first = first or (row if row.darnel else None)
            print(line(row, first or row), file=people, flush=True)
            rows.append(row)
    if options.json:
        print(json.dumps([asdict(row) for row in rows], indent=2))


HEAD = (
    f"{'store':<19}{'records':>8}{'built s':>9}{'n':>3}  {'write':>7}{'raw':>8}  {'remove':>7}{'raw':>8}  "
    f"{'x':>6}{'x cpu':>7}{'x rem.':>8}{'own':>7}   grown, raw"
)


def line(row: Row, first: Row) -> str:
    """Milliseconds; ``x``: darnel to bare, by the clock and (cpu) by processor time.

    ``own``: processor time of removal, darnel's less the bare client's, which must not grow with the corpus; a server's
    own is not in it. ``grown``: removal beside the same store at its smallest size, ``first``.
    """
    start = f"{row.store:<19}{row.size:>8,}{row.built:>9.1f}{row.rounds:>3}  "
    if row.darnel is None or row.raw is None or first.darnel is None or first.raw is None:
        return start + row.skipped
    ours, raw = row.darnel, row.raw
    processor = (ours.write_processor + ours.remove_processor) / (raw.write_processor + raw.remove_processor)
    return (
        f"{start}{ours.write * 1e3:>7.1f}{raw.write * 1e3:>8.1f}  {ours.remove * 1e3:>7.1f}{raw.remove * 1e3:>8.1f}  "
        f"{row.ratio:>6.2f}{processor:>7.2f}{ours.remove / raw.remove:>8.2f}"
        f"{(ours.remove_processor - raw.remove_processor) * 1e3:>7.1f}"
        f"   {ours.remove / first.darnel.remove:.2f}, {raw.remove / first.raw.remove:.2f}"
    )


def _measure(name: str, size: int, options: argparse.Namespace) -> Row:
    records = seeded(size, options.plants)
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="darnel-bench-") as folder:
        try:
            with STORES[name](records, Path(folder), started + options.build_within) as store:
                built = round(time.monotonic() - started, 1)
                kept = _rounds(store, Path(folder) / "ledger.db", options)
                if not kept["raw"]:
                    return Row(
                        name, size, built, skipped=f"skipped: a pair takes more than {options.time_within:.0f} s"
                    )
                darnel, raw = (Times(*map(statistics.median, zip(*kept[side], strict=True))) for side in SIDES)
                return Row(name, size, built, darnel, raw, len(kept["raw"]))
        except TooSlowError:
            why = f"skipped: not filled within {options.build_within:.0f} s"
            return Row(name, size, round(time.monotonic() - started, 1), skipped=why)


def _rounds(store: Bare, journal: Path, options: argparse.Namespace) -> dict[str, list[list[float]]]:
    from darnel.core.planting.ledger import Ledger

    kept: dict[str, list[list[float]]] = {side: [] for side in SIDES}
    until = time.monotonic() + options.time_within
    with Ledger(journal) as ledger:
        jobs = {"darnel": lambda: _darnel(store, ledger, options.plants), "raw": lambda: _raw(store, options.plants)}
        for number in range(-1, options.rounds):  # the first pair warms up and is not counted
            if time.monotonic() > until:
                break
            for side in SIDES if number % 2 else SIDES[::-1]:
                found = jobs[side]()
                if number >= 0:
                    kept[side].append(found)
    return kept


def _darnel(store: Bare, ledger: Any, count: int) -> list[float]:
    from darnel.core.planting.campaign import Campaign

    with Campaign(store.target.injector, ledger) as campaign:
        plants = _plants(campaign.where.identity, campaign.id, count)
        with _timed() as write:
            planting = campaign.plant(plants)
        assert len(planting.visible) == count, planting.error
        with _timed() as remove:
            removal = campaign.remove()
        assert len(removal.removed) == count, removal.leftovers[:1]
    return [write[0], remove[0], write[1], remove[1]]


def _raw(store: Bare, count: int) -> list[float]:
    plants = _plants("bare", uuid.uuid4().hex, count)
    vectors = store.embedder.documents([p.text for p in plants])
    with _timed() as write:
        store.write(plants, vectors)
    with _timed() as remove:
        store.delete([p.id for p in plants])
    return [write[0], remove[0], write[1], remove[1]]


def _plants(identity: str, campaign: str, count: int) -> list[Any]:
    from darnel.core.plant import make_marker, make_plant

    def make(number: int) -> Any:
        marker = make_marker(0, number)
        text = f"planted {number} {marker} and some more words to make it a text of a usual length"
        return make_plant(
            identity=identity,
            campaign=campaign,
            pattern="hand",
            strength=1,
            query_id="q",
            copy=number,
            marker=marker,
            text=text,
            metadata={"source": "seeded"},
        )

    return [make(number) for number in range(count)]


@contextmanager
def _timed() -> Iterator[list[float]]:
    """Seconds by the clock and of the processor, once it is left."""
    found: list[float] = []
    gc.collect()
    gc.disable()
    clock, processor = time.perf_counter(), time.process_time()
    try:
        yield found
        found += [time.perf_counter() - clock, time.process_time() - processor]
    finally:
        gc.enable()


if __name__ == "__main__":
    main()
