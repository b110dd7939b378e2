"""A live audit of Chroma and Qdrant collections beside the bare scan of the same client, and their digest before and after.

    python benchmarks/audit_stores.py [--records 100000] [--stores chroma qdrant] [--jobs 2]

Records of about 500 bytes with random vectors of 32 dimensions, in local folders. The bare scan reads ids, texts and metadata
page by page and does nothing with them; so does the audit's reader. Wall seconds, the better of two for the bare scan.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.audit import records_of
from darnel.api.auditing import audit_corpus
from darnel.core.text import sentences

DIMENSION, PAGE = 32, 1_000


def texts(count: int) -> Iterator[tuple[str, str]]:
    drawn = random.Random(0)
    pool = [s for name in ("cranfield", "cisi") for r in records_of(name) for s in sentences(r.text or "")]
    for number in range(count):
        yield f"doc-{number}", " ".join(drawn.choices(pool, k=4))


def build_chroma(folder: Path, count: int) -> str:
    import chromadb
    import numpy as np

    client = chromadb.PersistentClient(str(folder))
    collection = client.create_collection("docs")
    rows, drawn = list(texts(count)), np.random.default_rng(0)
    for start in range(0, count, 5_000):
        part = rows[start : start + 5_000]
        vectors = drawn.random((len(part), DIMENSION), dtype=np.float32)
        collection.add([i for i, _ in part], vectors, [{"n": start} for _ in part], [t for _, t in part])
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
    rows, drawn = list(texts(count)), np.random.default_rng(0)
    for start in range(0, count, 5_000):
        part = rows[start : start + 5_000]
        vectors = drawn.random((len(part), DIMENSION), dtype=np.float32)
        points = [
            models.PointStruct(id=start + n, vector=v.tolist(), payload={"page_content": t, "metadata": {"n": start}})
            for n, ((_, t), v) in enumerate(zip(part, vectors, strict=True))
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
            bare = []
            for _ in range(2):
                began = time.perf_counter()
                assert scan(Path(folder)) == given.records
                bare.append(time.perf_counter() - began)
            began = time.perf_counter()
            results = audit_corpus([target], jobs=given.jobs)
            whole = time.perf_counter() - began
            (source,) = results.sources
            assert source.read == given.records, results.errors
            same = "unchanged" if source.digest_before == source.digest_after else "CHANGED"
            print(
                f"{name}: bare scan {min(bare):.1f} s ({given.records / min(bare):,.0f}/s), audit {results.run.seconds:.1f} s "
                f"({given.records / results.run.seconds:,.0f}/s, {results.run.seconds / min(bare):.1f} times the scan), with both "
                f"digests {whole:.1f} s; digest {same}; {len(results.findings)} findings {results.errors or ''}",
                flush=True,
            )


if __name__ == "__main__":
    main()
