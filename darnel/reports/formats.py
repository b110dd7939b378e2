"""Which formats a result can be written in, each told from a file's name."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from darnel.core.errors import UsageError

if TYPE_CHECKING:
    from darnel.audit.results import AuditResults
    from darnel.core.results import Results


@dataclass(frozen=True, slots=True)
class Format:
    """One way to write a document. ``renderer``: ``module:function`` from it to text or bytes, imported when used."""

    name: str
    extensions: tuple[str, ...]
    renderer: str
    what: str

    def render(self, document: object) -> bytes:
        """The file's content."""
        module, _, function = self.renderer.partition(":")
        content: str | bytes = getattr(importlib.import_module(module), function)(document)
        return content if isinstance(content, bytes) else content.encode()


FORMATS = (
    Format("html", (".html", ".htm"), "darnel.reports.html:render_html", "one page to read, with charts"),
    Format("json", (".json",), "darnel.reports.formats:render_json", "the whole result document"),
    Format("jsonl", (".jsonl", ".ndjson"), "darnel.reports.rows:render_jsonl", "an observation a line"),
    Format("csv", (".csv",), "darnel.reports.rows:render_csv", "an observation a row"),
    Format("md", (".md", ".markdown"), "darnel.reports.markdown:render_markdown", "Markdown, for a pull request"),
    Format("junit", (".xml",), "darnel.reports.junit:render_junit", "JUnit XML, for a CI's test page"),
    Format("sarif", (".sarif",), "darnel.reports.sarif:render_sarif", "SARIF 2.1.0, for code scanning"),
)
"""Of a run's results."""
FINDINGS_FORMATS = (
    Format("html", (".html", ".htm"), "darnel.reports.html.findings:render_findings_html", "one page to read"),
    Format("json", (".json",), "darnel.reports.formats:render_json", "the whole findings document"),
    Format("jsonl", (".jsonl", ".ndjson"), "darnel.reports.findings_rows:render_findings_jsonl", "a finding a line"),
    Format("csv", (".csv",), "darnel.reports.findings_rows:render_findings_csv", "a finding a row"),
    Format("md", (".md", ".markdown"), "darnel.reports.findings_markdown:render_findings", "Markdown"),
    Format("junit", (".xml",), "darnel.reports.findings_junit:render_findings_junit", "JUnit XML"),
    Format("sarif", (".sarif",), "darnel.reports.findings_sarif:render_findings_sarif", "SARIF 2.1.0"),
)
"""Of an audit's findings."""
HANDED_FORMATS = (
    Format("json", (".json",), "darnel.reports.formats:render_json", "the whole result document"),
    Format("md", (".md", ".markdown"), "darnel.reports.handed:render_handed_markdown", "Markdown"),
)
"""Of mode B."""


@dataclass(frozen=True, slots=True)
class Output:
    """A file to be written, and how."""

    path: Path
    format: Format


def parse_output(given: str, formats: Sequence[Format] = FORMATS) -> Output:
    """``report.html`` by its ending, or ``md:summary`` where the ending does not tell.

    Raises:
        UsageError: no format has that ending; names those there are.
    """
    name, colon, rest = given.partition(":")
    if colon and rest and (named := [f for f in formats if f.name == name.casefold()]):
        return Output(Path(rest), named[0])
    ending = Path(given).suffix.casefold()
    found = [f for f in formats if ending in f.extensions]
    if not found:
        known = ", ".join(f"{'/'.join(f.extensions)} ({f.name})" for f in formats)
        raise UsageError(
            f"cannot tell the format of '{given}' from its ending; known are {known}; or name one: -o md:{given}"
        )
    return Output(Path(given), found[0])


def render_json(results: Results | AuditResults) -> str:
    """The document, with hidden characters as escapes."""
    from darnel.reports.escape import json_visible

    return json_visible(results.to_json().decode())
