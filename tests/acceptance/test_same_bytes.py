"""The same seed, corpus and query file give the same document, byte for byte, but for times and the campaign's name."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from darnel.demo import FOLDER, build_store, demo_records
from darnel.embedders.resolve import resolve_embedder
from tests.support.command import darnel_process

QUESTIONS = 12
PASSING = {
    "run": ("campaign", "started", "finished", "duration", "seconds_each"),
    "cleanup": ("visible_after", "gone_after"),
}
"""What may differ between two runs: names of the campaign, and whatever is a time."""
APPROXIMATE = {"chroma"}
"""Stores whose index may lose a plant, at random: it is planted again, and counted and warned of."""


def in_memory(_folder: Path) -> list[str]:
    return [f"memory:{FOLDER / 'corpus.jsonl'}#bm25"]


def in_chroma(folder: Path) -> list[str]:
    embedder, records = resolve_embedder("wordllama"), demo_records()
    client, _ = build_store(folder / "chroma", records, embedder.documents([r.text or "" for r in records]))
    client.close()
    return ["chroma:chroma#handbook", "--embedder", "wordllama"]


def in_qdrant(folder: Path) -> list[str]:
    client_module = pytest.importorskip("qdrant_client", reason="needs qdrant-client; run: pip install qdrant-client")
    from qdrant_client import models

    embedder, records = resolve_embedder("wordllama"), demo_records()
    vectors = embedder.documents([r.text or "" for r in records])
    client = client_module.QdrantClient(path=str(folder / "qdrant"))
    client.create_collection("handbook", models.VectorParams(size=len(vectors[0]), distance=models.Distance.COSINE))
    points = [
        models.PointStruct(id=n, vector=list(map(float, v)), payload={"text": r.text, **(r.metadata or {})})
        for n, (r, v) in enumerate(zip(records, vectors, strict=True))
    ]
    client.upsert("handbook", points)
    client.close()
    return ["qdrant:qdrant?text=text#handbook", "--embedder", "wordllama"]


@pytest.mark.parametrize("build", [in_memory, in_chroma, in_qdrant])
def test_two_runs_give_the_same_bytes(build: Callable[[Path], list[str]], tmp_path: Path) -> None:
    questions = (FOLDER / "queries.jsonl").read_text(encoding="utf-8").splitlines()[:QUESTIONS]
    (tmp_path / "q.jsonl").write_text("\n".join(questions), encoding="utf-8")
    target = build(tmp_path)
    first, second = (document(target, tmp_path, hash_seed) for hash_seed in ("1", "2"))
    assert first == second
    assert len(json.loads(first)["scores"]) >= 20


def document(target: list[str], folder: Path, hash_seed: str) -> bytes:
    """The result of the whole library, in a process of its own, without what passes."""
    args = ["run", *target, "--queries", "q.jsonl", "-p", "all", "--json", "--ledger", f"ledger-{hash_seed}.db"]
    ended = darnel_process(args, folder, {"PYTHONHASHSEED": hash_seed})
    assert ended.code == 0, ended.err
    found: dict[str, Any] = json.loads(ended.out)
    for part, names in PASSING.items():
        for name in names:
            del found[part][name]
    if found["target"]["backend"] in APPROXIMATE:
        cleanup = found.pop("cleanup")
        assert cleanup["planted"] == cleanup["removed"]
        found["warnings"] = [text for text in found["warnings"] if "planted and asked again" not in text]
    return json.dumps(found, indent=1).encode()
