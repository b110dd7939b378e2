"""The page: both lists of each question side by side, and every table. One file without scripts, which asks nobody."""

from __future__ import annotations

import base64
import hashlib
from pathlib import Path

from jinja2 import FileSystemLoader
from markupsafe import Markup

from darnel.reports.html.shell import environment
from ragtrust.bench import Bench
from ragtrust.tables import failures, further_tables, main_table

HERE = Path(__file__).parent


def render(bench: Bench) -> str:
    """The page as HTML. Texts of documents and questions are shown, hidden characters as escapes, and do nothing."""
    style = (HERE / "page.css").read_text(encoding="utf-8")
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    main = bench.main
    pairs = zip(main.ordinary.lists, main.defended.lists, strict=True)
    page: str = (
        environment()
        .overlay(loader=FileSystemLoader(HERE))
        .get_template("page.html.j2")
        .render(
            style=Markup(style),  # noqa: S704 (our own file)
            policy=f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'",
            bench=bench,
            main=main_table(main),
            further=further_tables(bench) if bench.attacks else [],
            failures=failures(bench),
            pairs=list(pairs),
        )
    )
    return page
