"""Queries and judgments, and the files they come in: BEIR, JSONL, CSV, plain text."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from darnel.core.errors import QueryFileError
from darnel.core.text import unstorable

ID_KEYS = ("_id", "id", "query_id", "query-id", "qid")
TEXT_KEYS = ("text", "query", "question")
STANDARD_INPUT = "standard input"
"""Name of the lines that come from there."""
_ESCAPED_BYTE = re.compile("[\udc80-\udcff]")  # what "surrogateescape" makes of a byte that is no UTF-8


@dataclass(frozen=True, slots=True)
class Query:
    """One question. ``judged``: record id → relevance grade (above 0: relevant), where judgments are known.

    ``translations``: the same question in other languages. ``paraphrases``: the same in other words, which no plant is made
    for; they are asked with ``--transfer``. ``unanswerable``: the corpus holds no answer, so that any is a breach; nothing is
    planted for it. ``where``: the file and line it was read from, if any.
    """

    id: str
    text: str
    judged: Mapping[str, int] = field(default_factory=dict)
    translations: tuple[str, ...] = ()
    paraphrases: tuple[str, ...] = ()
    unanswerable: bool = False
    where: str = field(default="", compare=False)


def make_queries(given: Iterable[str | Query | Mapping[str, Any]]) -> list[Query]:
    """Queries from strings (ids ``q1``, ``q2``, ...), mappings with a text, or ``Query`` objects.

    Raises:
        QueryFileError: an item has no text, or two share an id.
    """
    queries = []
    for number, item in enumerate(given, 1):
        where, row = f"query {number}", {"text": item} if isinstance(item, str) else item
        query = row if isinstance(row, Query) else _from_row(row, where, f"q{number}")
        queries.append((where, query))
    return _checked(queries, "queries")


def load_queries(lines: Iterable[str], name: str, qrels: Iterable[Path] = ()) -> list[Query]:
    """Read queries from an open text file and judgments from BEIR ``qrels`` files.

    The form is told from the first line that is not blank: ``{`` is JSONL, a known CSV header is CSV, else a query a line.
    Open the file with ``errors="surrogateescape"``, so that bytes that are no UTF-8 are reported with their line.

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
        queries = [(f"{name}:{n}", _from_json(line, f"{name}:{n}", f"q{n}")) for n, line in filled]
    elif _is_csv_header(first):
        queries = list(_from_csv([line for _, line in numbered], name))
    else:
        queries = [(f"{name}:{n}", Query(f"q{n}", line.strip())) for n, line in filled]
    judged = _load_qrels(qrels)
    of_file = name != STANDARD_INPUT
    known = [
        (where, replace(q, judged=judged.get(q.id, q.judged), where=where if of_file else "")) for where, q in queries
    ]
    return _checked(known, name)


def find_qrels(queries_file: Path) -> list[Path]:
    """The BEIR judgments beside a ``queries.jsonl``: ``qrels/test.tsv``, else all of ``qrels/*.tsv``."""
    folder = queries_file.parent / "qrels"
    test = folder / "test.tsv"
    return [test] if test.is_file() else sorted(folder.glob("*.tsv"))


def _text_lines(lines: Iterable[str], name: str) -> Iterator[str]:
    for number, line in enumerate(lines, 1):
        if _ESCAPED_BYTE.search(line):
            raise QueryFileError(f"{name}:{number}: not UTF-8 text; re-encode the file")
        yield line


def _from_json(line: str, where: str, default_id: str) -> Query:
    try:
        row = json.loads(line)
    except json.JSONDecodeError as error:
        raise QueryFileError(f"{where}: not JSON ({error.msg} at column {error.colno})") from None
    return _from_row(row, where, default_id)


def _from_csv(lines: list[str], name: str) -> Iterator[tuple[str, Query]]:
    at = 0

    def fed() -> Iterator[str]:
        nonlocal at  # the reader's own count lags behind where a line breaks it
        for at, line in enumerate(lines, 1):  # noqa: B007  # read by the caller, through nonlocal
            yield f"{line}\n"

    try:
        for number, row in enumerate(csv.DictReader(fed(), strict=True), 1):
            yield f"{name}:{at}", _from_row(row, f"{name}:{at}", f"q{number}")
    except csv.Error as error:
        raise QueryFileError(f"{name}:{at}: not CSV ({error})") from None


def _is_csv_header(line: str) -> bool:
    try:
        cells = next(csv.reader([line]))
    except csv.Error:  # a line longer than any header
        return False
    return any(c.strip().casefold() in TEXT_KEYS for c in cells) and (
        len(cells) > 1 or line.strip().casefold() in TEXT_KEYS
    )


def _from_row(row: Any, where: str, default_id: str) -> Query:
    if not isinstance(row, Mapping):
        raise QueryFileError(
            f"{where}: expected a text, a mapping with a 'text' or a Query, found {type(row).__name__}"
        )
    folded = {str(k).strip().casefold(): v for k, v in row.items() if k is not None}
    text = next((folded[k] for k in TEXT_KEYS if folded.get(k)), None)
    if not isinstance(text, str) or not text.strip():
        raise QueryFileError(f"{where}: no query text; expected one of the keys {', '.join(TEXT_KEYS)}")
    given = next((folded[k] for k in ID_KEYS if folded.get(k) not in (None, "")), default_id)
    judged = folded.get("relevant") or folded.get("judged") or {}
    if isinstance(judged, list):
        judged = dict.fromkeys(map(str, judged), 1)
    if not isinstance(judged, dict) or not all(isinstance(grade, int) for grade in judged.values()):
        raise QueryFileError(
            f"{where}: 'relevant' must be a list of record ids, or a map from id to whole-number grade"
        )
    translations = folded.get("translations")
    if isinstance(translations, Mapping):  # from language to text
        translations = list(translations.values())
    return Query(
        str(given),
        text.strip(),
        judged,
        _texts(translations, f"{where}: 'translations' must be a list of texts, or a map from language to text"),
        _texts(folded.get("paraphrases"), f"{where}: 'paraphrases' must be a list of texts"),
        _truth(folded.get("unanswerable"), f"{where}: 'unanswerable' must be true or false"),
    )


def _truth(given: Any, otherwise: str) -> bool:
    """A truth value, or its name, as CSV has it; not given is false."""
    found = {"": False, "none": False, "false": False, "true": True}.get(str(given).strip().casefold())
    if found is None:
        raise QueryFileError(otherwise)
    return found


def _texts(given: Any, otherwise: str) -> tuple[str, ...]:
    texts = given or []
    if not isinstance(texts, list) or not all(isinstance(text, str) and text.strip() for text in texts):
        raise QueryFileError(otherwise)
    return tuple(text.strip() for text in texts)


def _load_qrels(paths: Iterable[Path]) -> dict[str, dict[str, int]]:
    judged: dict[str, dict[str, int]] = {}
    for path in paths:
        try:
            lines = path.read_text(encoding="utf-8", errors="surrogateescape").split("\n")
        except OSError as error:
            raise QueryFileError(f"cannot read the judgments {path}: {error.strerror}") from None
        for number, line in enumerate(_text_lines(lines, str(path)), 1):
            cells = line.rstrip("\r").split("\t")
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


def _checked(queries: Iterable[tuple[str, Query]], name: str) -> list[Query]:
    """The queries, each given with where it stands, once every id and text will do."""
    seen: dict[str, Query] = {}
    for where, query in queries:
        for part in (query.id, query.text, *query.paraphrases):
            if problem := unstorable(part):
                raise QueryFileError(f"{where}: the query holds {problem}; take it out")
        if not query.text.strip():
            raise QueryFileError(f"{where}: the query is empty")
        if query.id in seen:
            raise QueryFileError(f"{where}: query id '{query.id}' stands twice; ids must differ")
        seen[query.id] = query
    if not seen:
        raise QueryFileError(f"{name}: no queries given")
    return list(seen.values())
