"""A live audit of Chroma and Qdrant collections beside the bare scan of the same client, and their digest before and after.

    python benchmarks/audit_stores.py [--records 100000] [--stores chroma qdrant] [--jobs 2]

Records of about 1 KB with random vectors of 32 dimensions, in local folders. The bare scan reads ids, texts and metadata page
by page and does nothing with them; the audit's reader makes Arrow batches of the same, by the same client. Wall and CPU
seconds, the better of two for both; the audit reads once, and again where texts meet.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.audit import made_texts
from darnel.api import open_target
from darnel.api.auditing import audit_corpus
from darnel.audit.engine import AuditOptions
from darnel.audit.live import reader_of
from darnel.audit.readers.base import ReadLog

DIMENSION, PAGE = 32, 1_000


def build_chroma(folder: Path, count: int) -> str:
    import chromadb
    import numpy as np

    client = chromadb.PersistentClient(str(folder))
    collection = client.create_collection("docs")
    rows, drawn = list(made_texts(count)), np.random.default_rng(0)
    for start in range(0, count, 5_000):
        part = rows[start : start + 5_000]
        vectors = drawn.random((len(part), DIMENSION), dtype=np.float32)
        ids = [f"doc-{start + n}" for n in range(len(part))]
        collection.add(ids, vectors, [{"n": start} for _ in part], part)
    client.close()
    return f"chroma:{folder}#docs"


def scan_chroma(folder: Path) -> int:
    import chromadb

    client = chromadb.PersistentClient(str(folder))
    collection, read = client.get_collection("docs"), 0
    ids = collection.get(include=[])["ids"]
    for start in range(0, len(ids), PAGE):
        read += len(collection.get(ids[start : start + PAGE], include=["documents", "metadatas"])["ids"])
    client.close()
    return read


def build_qdrant(folder: Path, count: int) -> str:
    import numpy as np
    from qdrant_client import QdrantClient, models

    client = QdrantClient(path=str(folder))
    client.create_collection("docs", models.VectorParams(size=DIMENSION, distance=models.Distance.COSINE))
    rows, drawn = list(made_texts(count)), np.random.default_rng(0)
    for start in range(0, count, 5_000):
        part = rows[start : start + 5_000]
        vectors = drawn.random((len(part), DIMENSION), dtype=np.float32)
        points = [
            models.PointStruct(id=start + n, vector=v.tolist(), payload={"page_content": t, "metadata": {"n": start}})
            for n, (t, v) in enumerate(zip(part, vectors, strict=True))
        ]
        client.upsert("docs", points)
    client.close()
    return f"qdrant:{folder}#docs"


def scan_qdrant(folder: Path) -> int:
    from qdrant_client import QdrantClient

    client, read, offset = QdrantClient(path=str(folder)), 0, None
    while True:
        points, offset = client.scroll("docs", limit=PAGE, offset=offset, with_payload=True, with_vectors=False)
        read += len(points)
        if offset is None:
            client.close()
            return read


STORES: dict[str, tuple[Any, Any]] = {"chroma": (build_chroma, scan_chroma), "qdrant": (build_qdrant, scan_qdrant)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, default=100_000)
    parser.add_argument("--stores", nargs="+", choices=STORES, default=list(STORES))
    parser.add_argument("--jobs", type=int, default=2)
    given = parser.parse_args()
    for name in given.stores:
        build, scan = STORES[name]
        with tempfile.TemporaryDirectory(prefix="darnel-audit-stores-") as folder:
            target = build(Path(folder), given.records)
            bare = min(timed(partial(scan, Path(folder))) for _ in range(2))
            read = min(timed(partial(read_alone, target)) for _ in range(2))
            began = time.perf_counter()
            results = audit_corpus([target], jobs=given.jobs)
            whole = time.perf_counter() - began
            (source,) = results.sources
            assert source.read == given.records, results.errors
            same = "unchanged" if source.digest_before == source.digest_after else "CHANGED"
            used = results.run.seconds, results.run.cpu_seconds
            times = f"{used[0] / bare[0]:.1f} times the scan, {used[1] / bare[1]:.1f} in CPU"
            print(
                f"{name}: bare scan {shown(bare)}; the audit's reader alone {shown(read)}; audit {shown(used)}, {times}"
            )
            print(
                f"    {given.records / used[0]:,.0f} records/s; digests {whole - used[0]:.1f} s, {same}; "
                f"{len(results.findings)} findings {results.errors or ''}",
                flush=True,
            )


def timed(what: Callable[[], object]) -> tuple[float, float]:
    """Wall and CPU seconds."""
    wall, cpu = time.perf_counter(), time.process_time()
    what()
    return time.perf_counter() - wall, time.process_time() - cpu


def shown(seconds: tuple[float, float]) -> str:
    return f"{seconds[0]:.1f} s ({seconds[1]:.1f} CPU-s)"


def read_alone(spec: str) -> None:
    """What an audit without detectors would do."""
    target = open_target(spec, writes=False)
    try:
        for _ in reader_of(target, AuditOptions()).batches(1_000, ReadLog()):
            pass
    finally:
        target.close()


if __name__ == "__main__":
    main()
