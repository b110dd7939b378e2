"""What planting and removing with proof costs beside the bare clients, and whether removal grows with the corpus.

    python benchmarks/adapters.py                   1,000 plants in 5,000 and 50,000 records, in every store
    python benchmarks/adapters.py --stores memory chroma --sizes 5000 50000 200000

darnel: announce, refuse collisions, write, read back; then read, remove, read back. The bare client: the same texts, vectors
and metadata written in one call, and deleted by id in one. Not counted: building, opening, embedding. The two take turns.
"""

from __future__ import annotations

import argparse
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

from benchmarks.bare_stores import STORES, Bare, TooSlowError, seeded

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
    """One store at one size. ``skipped``: why there are no times."""

    store: str
    size: int
    built: float
    darnel: Times | None = None
    raw: Times | None = None
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
    parser.add_argument("--rounds", type=int, default=5, help="timed pairs (default 5)")
    parser.add_argument(
        "--build-within", type=float, default=60.0, help="seconds a store may take to fill (default 60)"
    )
    parser.add_argument("--json", action="store_true", help="print JSON")
    options = parser.parse_args()
    warnings.simplefilter("ignore")  # packages that announce their end, and local mode that it is small
    rows = [
        _measure(name, size, options.plants, options.rounds, options.build_within)
        for name in options.stores
        for size in options.sizes
    ]
    print(json.dumps([asdict(row) for row in rows], indent=2) if options.json else table(rows))


def table(rows: list[Row]) -> str:
    """Milliseconds; ``x``: darnel to bare, by the clock and (cpu) by processor time.

    ``grown``: removal beside the smallest size of the same store, darnel's and the bare client's.
    """
    head = f"{'store':<19}{'records':>8}{'built s':>9}  {'write':>7}{'raw':>8}  {'remove':>7}{'raw':>8}  "
    lines = [head + f"{'x':>6}{'x cpu':>7}{'x rem.':>8}   grown, raw"]
    smallest: dict[str, Row] = {}
    for row in rows:
        start = f"{row.store:<19}{row.size:>8,}{row.built:>9.1f}  "
        if row.darnel is None or row.raw is None:
            lines.append(start + row.skipped)
            continue
        ours, raw, first = row.darnel, row.raw, smallest.setdefault(row.store, row)
        assert first.darnel is not None
        assert first.raw is not None
        processor = (ours.write_processor + ours.remove_processor) / (raw.write_processor + raw.remove_processor)
        lines.append(
            f"{start}{ours.write * 1e3:>7.1f}{raw.write * 1e3:>8.1f}  {ours.remove * 1e3:>7.1f}{raw.remove * 1e3:>8.1f}  "
            f"{row.ratio:>6.2f}{processor:>7.2f}{ours.remove / raw.remove:>8.2f}"
            f"   {ours.remove / first.darnel.remove:.2f}, {raw.remove / first.raw.remove:.2f}"
        )
    return "\n".join(lines)


def _measure(name: str, size: int, count: int, rounds: int, within: float) -> Row:
    records = seeded(size, count)
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="darnel-bench-") as folder:
        try:
            with STORES[name](records, Path(folder), started + within) as store:
                built = time.monotonic() - started
                times = _rounds(store, Path(folder) / "ledger.db", count, rounds)
                return Row(name, size, round(built, 1), times["darnel"], times["raw"])
        except TooSlowError:
            return Row(name, size, within, skipped=f"skipped: not filled within {within:.0f} s")


def _rounds(store: Bare, journal: Path, count: int, rounds: int) -> dict[str, Times]:
    from darnel.core.ledger import Ledger

    kept: dict[str, list[list[float]]] = {side: [] for side in SIDES}
    with Ledger(journal) as ledger:
        jobs = {"darnel": lambda: _darnel(store, ledger, count), "raw": lambda: _raw(store, count)}
        for number in range(-1, rounds):  # the first pair warms up and is not counted
            for side in SIDES if number % 2 else SIDES[::-1]:
                found = jobs[side]()
                if number >= 0:
                    kept[side].append(found)
    return {side: Times(*(statistics.median(c) for c in zip(*runs, strict=True))) for side, runs in kept.items()}


def _darnel(store: Bare, ledger: Any, count: int) -> list[float]:
    from darnel.core.campaign import Campaign

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
    clock, processor = time.perf_counter(), time.process_time()
    yield found
    found += [time.perf_counter() - clock, time.process_time() - processor]


if __name__ == "__main__":
    main()
