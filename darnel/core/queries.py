"""Queries and judgments, and the files they come in: BEIR, JSONL, CSV, plain text."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from darnel.core.errors import QueryFileError

ID_KEYS = ("_id", "id", "query_id", "query-id", "qid")
TEXT_KEYS = ("text", "query", "question")


@dataclass(frozen=True, slots=True)
class Query:
    """One question. ``judged``: record id → relevance grade (above 0: relevant), where judgments are known."""

    id: str
    text: str
    judged: Mapping[str, int] = field(default_factory=dict)


def make_queries(given: Iterable[str | Query | Mapping[str, Any]]) -> list[Query]:
    """Queries from strings (ids ``q1``, ``q2``, ...), mappings with a text, or ``Query`` objects.

    Raises:
        QueryFileError: an item has no text, or two share an id.
    """
    queries = []
    for number, item in enumerate(given, 1):
        if isinstance(item, Query):
            queries.append(item)
        else:
            row = {"text": item} if isinstance(item, str) else item
            queries.append(_from_row(row, f"query {number}", f"q{number}"))
    return _checked(queries, "queries")


def load_queries(lines: Iterable[str], name: str, qrels: Iterable[Path] = ()) -> list[Query]:
    """Read queries from an open text file and judgments from BEIR ``qrels`` files.

    The form is told from the first line that is not blank: ``{`` is JSONL, a known CSV header is CSV, else a query a line.

    Raises:
        QueryFileError: names the file and the line, and says what was expected there.
    """
    numbered = [(n, line.rstrip("\r\n")) for n, line in enumerate(_text_lines(lines, name), 1)]
    filled = [(n, line) for n, line in numbered if line.strip()]
    if not filled:
        raise QueryFileError(f"{name}: no queries in it; give a question a line, JSONL, CSV or BEIR queries.jsonl")
    first = filled[0][1].lstrip("\ufeff")
    filled[0] = (filled[0][0], first)
    if first.startswith("{"):
        queries = [_from_json(line, f"{name}:{n}", f"q{n}") for n, line in filled]
    elif _is_csv_header(first):
        queries = list(_from_csv([line for _, line in numbered], name))
    else:
        queries = [Query(f"q{n}", line.strip()) for n, line in filled]
    judged = _load_qrels(qrels)
    return _checked([Query(q.id, q.text, judged.get(q.id, q.judged)) for q in queries], name)


def find_qrels(queries_file: Path) -> list[Path]:
    """The BEIR judgments beside a ``queries.jsonl``: ``qrels/test.tsv``, else all of ``qrels/*.tsv``."""
    folder = queries_file.parent / "qrels"
    test = folder / "test.tsv"
    return [test] if test.is_file() else sorted(folder.glob("*.tsv"))


def _text_lines(lines: Iterable[str], name: str) -> Iterator[str]:
    number = 0
    try:
        for line in lines:
            number += 1
            yield line
    except UnicodeDecodeError as error:
        raise QueryFileError(f"{name}:{number + 1}: not UTF-8 text ({error.reason}); re-encode the file") from None


def _from_json(line: str, where: str, default_id: str) -> Query:
    try:
        row = json.loads(line)
    except json.JSONDecodeError as error:
        raise QueryFileError(f"{where}: not JSON ({error.msg} at column {error.colno})") from None
    if not isinstance(row, dict):
        raise QueryFileError(f"{where}: expected a JSON object with a 'text', found {type(row).__name__}")
    return _from_row(row, where, default_id)


def _from_csv(lines: list[str], name: str) -> Iterator[Query]:
    reader = csv.DictReader(lines, strict=True)
    try:
        for number, row in enumerate(reader, 1):
            yield _from_row(row, f"{name}:{reader.line_num}", f"q{number}")
    except csv.Error as error:
        raise QueryFileError(f"{name}:{reader.line_num}: not CSV ({error})") from None


def _is_csv_header(line: str) -> bool:
    cells = next(csv.reader([line]))
    return any(c.strip().casefold() in TEXT_KEYS for c in cells) and (
        len(cells) > 1 or line.strip().casefold() in TEXT_KEYS
    )


def _from_row(row: Mapping[str, Any], where: str, default_id: str) -> Query:
    folded = {str(k).strip().casefold(): v for k, v in row.items() if k is not None}
    text = next((folded[k] for k in TEXT_KEYS if folded.get(k)), None)
    if not isinstance(text, str) or not text.strip():
        raise QueryFileError(f"{where}: no query text; expected one of the keys {', '.join(TEXT_KEYS)}")
    given = next((folded[k] for k in ID_KEYS if folded.get(k) not in (None, "")), default_id)
    judged = folded.get("relevant") or folded.get("judged") or {}
    if isinstance(judged, list):
        judged = dict.fromkeys(map(str, judged), 1)
    if not isinstance(judged, dict):
        raise QueryFileError(f"{where}: 'relevant' must be a list of record ids or a map from id to grade")
    return Query(str(given), text.strip(), judged)


def _load_qrels(paths: Iterable[Path]) -> dict[str, dict[str, int]]:
    judged: dict[str, dict[str, int]] = {}
    for path in paths:
        try:
            lines = path.read_text(encoding="utf-8").splitlines()
        except (OSError, UnicodeDecodeError) as error:
            raise QueryFileError(f"cannot read the judgments {path}: {error}") from None
        for number, line in enumerate(lines, 1):
            cells = line.split("\t")
            if not line.strip() or (number == 1 and not cells[-1].strip().lstrip("-").isdigit()):
                continue
            try:
                query, record, grade = (
                    (cells[0], cells[2], cells[3]) if len(cells) == 4 else (cells[0], cells[1], cells[2])
                )
                judged.setdefault(query, {})[record] = int(grade)
            except (IndexError, ValueError):
                raise QueryFileError(
                    f"{path}:{number}: expected query-id, corpus-id and a whole-number score, separated by tabs"
                ) from None
    return judged


def _checked(queries: list[Query], name: str) -> list[Query]:
    seen: dict[str, str] = {}
    for query in queries:
        if query.id in seen:
            raise QueryFileError(f"{name}: query id '{query.id}' stands twice; ids must differ")
        seen[query.id] = query.text
    if not queries:
        raise QueryFileError(f"{name}: no queries given")
    return queries
