"""The application's embedder and its corpus: the same for every store, so that ranks can be compared."""

from __future__ import annotations

import hashlib
import math
import re
import uuid

from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings

DIMENSION = 48

QUESTIONS = (
    "When does the harbour master open the gates?",
    "How long do apples from the orchard keep?",
    "What does the lantern on the pier mean?",
    "Who lends maps and atlases?",
)
_SUBJECTS = (
    "harbour master",
    "north orchard",
    "lantern pier",
    "glacier survey",
    "saffron field",
    "walnut press",
    "wheelhouse compass",
    "lower meadow",
    "map library",
    "salt weigher",
)
_FACTS = (
    "opens the gates at six and rings the bell twice",
    "keeps apples until March in a dry cellar",
    "means that the ferry has left already",
    "lends atlases for a day and maps for a week",
)


class WordEmbeddings(Embeddings):
    """Every word is a fixed direction, a text the sum of its words, of length one; no network, no randomness."""

    def __init__(self, dimension: int = DIMENSION) -> None:
        self.dimension = dimension
        self.asked: list[str] = []

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return [self._embed(text) for text in texts]

    def embed_query(self, text: str) -> list[float]:
        self.asked.append(text)
        return self._embed(text)

    def _embed(self, text: str) -> list[float]:
        total = [1e-3] * self.dimension
        for word in re.findall(r"\w+", text.lower()):
            raw = hashlib.blake2b(word.encode(), digest_size=self.dimension).digest()
            total = [t + b / 127.5 - 1.0 for t, b in zip(total, raw, strict=True)]
        length = math.sqrt(sum(t * t for t in total))
        return [t / length for t in total]


def make_documents() -> list[Document]:
    """Forty records with ids that every store takes, of two tenants, each with a source of its own."""
    found = []
    for n, (subject, fact) in enumerate((s, f) for s in _SUBJECTS for f in _FACTS):
        metadata = {"source": f"handbook/{n:02}.md", "tenant": "blue" if n % 4 else "red", "page": n % 3 + 1}
        text = f"Note {n}. The {subject} {fact}."
        found.append(Document(id=str(uuid.uuid5(uuid.NAMESPACE_URL, f"doc-{n}")), page_content=text, metadata=metadata))
    return found
