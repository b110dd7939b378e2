"""Fill the Chroma server with the handbook: 195 passages, the same that ``darnel demo`` uses."""

from __future__ import annotations

import json
import time
from pathlib import Path

from app import embed, store

HANDBOOK = Path(__file__).resolve().parents[2] / "darnel" / "demo" / "corpus.jsonl"


def main() -> None:
    """Wait for the server and write a new collection."""
    for _ in range(100):
        try:
            client = store()
            break
        except Exception:  # it is still starting
            time.sleep(0.2)
    else:
        raise SystemExit("the Chroma server does not answer")
    rows = [json.loads(line) for line in HANDBOOK.read_text(encoding="utf-8").splitlines()]
    texts = [row["text"] for row in rows]
    collection = client.create_collection(
        "handbook", embedding_function=None, configuration={"hnsw": {"space": "cosine"}}
    )
    collection.add(
        ids=[row["_id"] for row in rows],
        documents=texts,
        embeddings=embed(texts),
        metadatas=[row["metadata"] for row in rows],
    )
    print(f"{len(rows)} passages are in the collection 'handbook'")


if __name__ == "__main__":
    main()
