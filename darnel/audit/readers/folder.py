"""A folder of text, Markdown and HTML files, or one such file: a file is a record."""

from __future__ import annotations

import codecs
import os
import stat
from collections.abc import Iterator
from pathlib import Path

from darnel.audit.batch import Row
from darnel.audit.readers.base import MOST_TEXT, PathReader, ReadLog
from darnel.audit.readers.fields import clean

SUFFIXES = frozenset({".txt", ".text", ".md", ".markdown", ".mdx", ".rst", ".htm", ".html", ".xhtml"})
MOST_FILE = 4 * MOST_TEXT
"""Bytes of one file that are read."""
_BOMS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))


class FolderReader(PathReader):
    """Files below a folder by sorted path, which is also their id; links are not followed, so there is no loop."""

    kind = "folder"

    def _rows(self, log: ReadLog) -> Iterator[Row]:
        if self.path.is_file():
            found = [(self.path, self.path.name)]
            yield from (row for path, name in found if (row := _read(path, name, log)))
            return

        def failed(error: OSError) -> None:
            log.fail(self._relative(str(error.filename)), f"cannot be listed: {error.strerror}")

        for where, folders, files in os.walk(self.path, onerror=failed, followlinks=False):
            folders.sort()
            for name in list(folders):
                path = Path(where, name)
                if path.is_symlink() or name.startswith("."):
                    folders.remove(name)
                    log.skip(self._relative(str(path)), "a link" if path.is_symlink() else "a hidden folder")
            for name in sorted(files):
                path = Path(where, name)
                if (row := _read(path, self._relative(str(path)), log)) is not None:
                    yield row

    def _relative(self, path: str) -> str:
        return Path(os.path.relpath(path, self.path)).as_posix()


def _read(path: Path, name: str, log: ReadLog) -> Row | None:
    if path.suffix.lower() not in SUFFIXES:
        log.skip(name, f"no text, Markdown or HTML by its name ({path.suffix or 'no suffix'})")
        return None
    try:
        mode = path.lstat().st_mode
        if not stat.S_ISREG(mode):
            log.skip(name, "a link" if stat.S_ISLNK(mode) else "no regular file")
            return None
        with path.open("rb") as file:
            raw = file.read(MOST_FILE + 1)
    except OSError as error:
        log.fail(name, f"cannot be read: {error.strerror}")
        return None
    shown = name.encode("utf-8", "replace").decode()
    return _decoded(raw, shown, log)


def _decoded(raw: bytes, name: str, log: ReadLog) -> Row | None:
    if len(raw) > MOST_FILE:
        raw = raw[:MOST_FILE]
        log.repair(name, f"only the first {MOST_FILE:,} bytes were looked at")
    coding = next((coding for bom, coding in _BOMS if raw.startswith(bom)), "utf-8")
    if coding == "utf-16":
        return clean(name, raw.decode("utf-16", "replace"), {}, None, log, name)
    text = raw.decode(coding, "surrogateescape")
    broken = sum("\udc80" <= ch <= "\udcff" for ch in text[:65_536]) if not text.isascii() else 0
    if broken > len(text[:65_536]) / 10 or (broken and "\0" in text):
        log.fail(name, "not text: bytes that are neither UTF-8 nor UTF-16")
        return None
    return clean(name, text, {}, None, log, name)
