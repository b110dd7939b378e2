"""From a path to its reader."""

from __future__ import annotations

from pathlib import Path

from darnel.audit.readers.base import Reader
from darnel.audit.readers.csvfile import CsvReader
from darnel.audit.readers.folder import SUFFIXES, FolderReader
from darnel.audit.readers.jsonl import JsonlReader
from darnel.audit.readers.parquet import ParquetReader
from darnel.core.errors import TargetError, UsageError


def open_file(path: Path) -> Reader:
    """A reader by what the path is called: JSONL, CSV, TSV, Parquet, a text, Markdown or HTML file, or a folder of those.

    Raises:
        TargetError: there is no such file.
        UsageError: it is a file of another kind.
    """
    if path.is_dir():
        return FolderReader(path)
    if not path.is_file():
        raise TargetError(f"no file or folder {path}; give a file, a folder or a target such as chroma:./db#docs")
    suffix = path.suffix.lower()
    if suffix in (".jsonl", ".ndjson"):
        return JsonlReader(path)
    if suffix in (".csv", ".tsv"):
        return CsvReader(path)
    if suffix in (".parquet", ".pq"):
        return ParquetReader(path)
    if suffix in SUFFIXES:
        return FolderReader(path)
    raise UsageError(
        f"{path} is no file that an audit reads; give JSONL, CSV, TSV, Parquet, a text, Markdown or HTML file, or a folder"
    )
