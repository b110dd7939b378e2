"""The page of findings in a real headless Chromium: it filters, marks the evidence, fits a phone; what is hostile does nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from darnel.audit.results import AuditResults
from darnel.reports.html.findings import render_findings_html
from tests.reports.test_findings_formats import hostile, results  # noqa: F401  # fixtures
from tests.reports.test_html_browser import DESKTOP, PHONE, only_itself
from tests.support.browser import Browser


def write(path: Path, results: AuditResults) -> Path:  # noqa: F811
    path.write_text(render_findings_html(results), encoding="utf-8")
    return path


def test_it_filters_and_marks(browser: Browser, results: AuditResults, tmp_path: Path) -> None:  # noqa: F811
    file = write(tmp_path / "a.html", results)
    with browser.open(file, **DESKTOP) as opened:
        page = opened.page
        rows = page.locator(".findings tbody tr:visible")
        assert rows.count() == 3
        row = rows.filter(has=page.locator("th", has_text="new"))
        assert row.locator("mark").first.inner_text().startswith("ferry times ferry times")
        assert row.locator("blockquote").first.inner_text().startswith("The harbour opens.")
        page.locator("#by-text").press_sequentially("раураl")
        assert rows.locator("th").all_inner_texts() == ["old"]
        assert page.locator("#filtered").inner_text() == "1 of 3 findings"
        page.locator("#by-text").fill("")
        page.locator("#by-state").select_option("suppressed")
        assert rows.locator("th").all_inner_texts() == ["=cmd"]
        page.locator("#by-detector").select_option("repetition")
        assert rows.count() == 0
        only_itself(opened, file)


def test_it_is_read_without_a_script(browser: Browser, results: AuditResults, tmp_path: Path) -> None:  # noqa: F811
    with browser.open(write(tmp_path / "a.html", results), java_script_enabled=False, **DESKTOP) as opened:
        assert opened.page.locator(".findings tbody tr:visible").count() == 3
        assert not opened.page.locator(".filters").is_visible()


def test_hostile_text_runs_nothing(browser: Browser, hostile: AuditResults, tmp_path: Path) -> None:  # noqa: F811
    file = write(tmp_path / "a.html", hostile)
    with browser.open(file, **DESKTOP) as opened:
        page = opened.page
        assert "<script>window.owned = 1</script>" in page.locator(".findings tbody th").first.inner_text()
        assert page.evaluate("typeof window.owned") == "undefined"
        assert page.locator("img, iframe, main script").count() == 0
        only_itself(opened, file)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_fits_a_phone(browser: Browser, hostile: AuditResults, tmp_path: Path, scheme: str) -> None:  # noqa: F811
    with browser.open(write(tmp_path / "a.html", hostile), color_scheme=scheme, **PHONE) as opened:
        assert opened.page.evaluate("document.documentElement.scrollWidth") == 390
        red = opened.page.evaluate("Number(getComputedStyle(document.body).backgroundColor.match(/\\d+/)[0])")
        assert (red < 60) == (scheme == "dark")
