"""The documentation: FastAPI's pages where they are at hand, else a small one of an invented job queue."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from darnel.adapters.memory.corpus import load_corpus
from darnel.core.corpus import Record
from docs_assistant.tenancy import seen_by

DATA = Path(__file__).parent / "data"
PAGES = Path("fastapi-docs") / "en.jsonl"
CHUNK = 1_600
"""Characters of a chunk at the most; a paragraph longer than that is cut."""

_SECTION_OF = (
    (r"reference/", "reference"),
    (r"virtual-environments|environment-variables|fastapi-cli|editor-support|deployment/|advanced/settings", "setup"),
    (r"how-to/|advanced/", "tasks"),
    (r"tutorial/", "tutorials"),
)
"""FastAPI's folders, by the section that they are here; all others are concepts."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A question, who asks it, and for an answerable one the page that answers it."""

    tenant: str
    text: str
    page: str = ""


@dataclass(frozen=True, slots=True)
class Documentation:
    """Pages and the questions that go with them. ``answerable``: 7, the last of them long-winded; ``restricted``: a fair
    question for content that its asker may not see, in ``restricted_section``; ``unanswerable``: kind → question."""

    name: str
    pages: Sequence[Record]
    answerable: Sequence[Asked]
    restricted: Asked
    restricted_section: str
    unanswerable: dict[str, str]

    def chunks(self) -> Iterator[Record]:
        """Every chunk, once for each tenant that may see its section."""
        for page in self.pages:
            metadata = page.metadata or {}
            title, section = str(metadata["title"]), str(metadata["section"])
            for number, text in enumerate(_cut(page.text or "")):
                for tenant in seen_by(section):
                    own = {"page": page.id, "title": title, "section": section, "tenant": tenant}
                    yield Record(f"{tenant}/{page.id}/{number}", f"{title}\n{text}", own)


def find_pages(given: str | None = None) -> Path | None:
    """FastAPI's pages: the file given, else in ``$DARNEL_DATA``, else in ``shared/data`` beside the checkout."""
    if given is not None:
        return Path(given)
    folder = Path(os.environ.get("DARNEL_DATA") or Path(__file__).resolve().parents[4] / "shared" / "data")
    return found if (found := folder / PAGES).is_file() else None


def read_documentation(pages: Path | None) -> Documentation:
    """FastAPI's documentation from its pages (JSON Lines with ``_id``, ``title`` and ``text``), or without any the small one.

    Raises:
        TargetError: the file cannot be read.
    """
    name = "own" if pages is None else "fastapi"
    records = load_corpus(DATA / "pages.jsonl") if pages is None else [_sectioned(r) for r in load_corpus(pages)]
    asked = json.loads((DATA / "questions.json").read_text(encoding="utf-8"))[name]
    return Documentation(
        name,
        records,
        [Asked(*item) for item in asked["answerable"]],
        Asked(*asked["restricted_content"]),
        asked["restricted_section"],
        asked["unanswerable"],
    )


def _sectioned(record: Record) -> Record:
    section = next((name for pattern, name in _SECTION_OF if re.match(pattern, record.id)), "concepts")
    title = re.sub(r"\s*\{ #.*\}", "", str((record.metadata or {}).get("title", record.id)))
    return Record(record.id, record.text, {"title": title, "section": section})


def _cut(text: str) -> Iterator[str]:
    """Paragraphs joined to chunks."""
    chunk = ""
    for paragraph in filter(None, (p.strip() for p in re.split(r"\n\s*\n", text))):
        if chunk and len(chunk) + len(paragraph) > CHUNK:
            yield chunk
            chunk = ""
        chunk = f"{chunk}\n{paragraph}".strip()[:CHUNK]
    if chunk:
        yield chunk
