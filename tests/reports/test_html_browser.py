"""The HTML report in a real headless Chromium: it draws, filters and shows lists; what is hostile does nothing."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import msgspec
import pytest

from darnel.core.results import Results
from tests.support.browser import Browser

Write = Callable[[Results], Path]
PHONE = {"viewport": {"width": 390, "height": 844}, "is_mobile": True, "has_touch": True}
DESKTOP = {"viewport": {"width": 1280, "height": 900}}


@contextmanager
def listener() -> Iterator[tuple[str, list[str]]]:
    """A server on this machine, and the paths it was asked for."""
    heard: list[str] = []

    class Hears(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            heard.append(self.path)
            self.send_error(404)

        def log_message(self, *_args: object) -> None: ...

    with ThreadingHTTPServer(("127.0.0.1", 0), Hears) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}", heard
        server.shutdown()


def only_itself(opened: Any, file: Path) -> None:
    """The page said nothing (a refused script or style would be said), and asked for nothing but itself."""
    assert opened.said == []
    assert [url.partition("#")[0] for url in opened.asked] == [file.as_uri()]


def test_everything_is_drawn(browser: Browser, page_of: Write, results: Results) -> None:
    file = page_of(results)
    with browser.open(file, **DESKTOP) as opened:
        page = opened.page
        patterns = [score for score in results.scores if not score.control]
        assert page.locator("#exposure-charts svg").count() == len(patterns)
        for chart in page.locator("#exposure-charts svg").all():
            # the bands and lines of the pattern and of both controls
            assert chart.locator("[aria-label=area] path").count() == 3
            assert chart.locator("[aria-label=line] path").count() == 3
        assert page.locator("#dose-charts svg").count() == 1
        assert page.locator("#funnel-chart svg").count() == 1
        assert page.locator("#kept-chart svg").count() == 1
        assert page.locator("#displaced-chart [aria-label=dot] circle").count() == len(results.scores)
        assert page.locator("#heat tbody tr").count() == len(results.queries)
        assert page.locator("#heat thead th").count() == 1 + len(results.scores)
        only_itself(opened, file)


def test_the_ranks_filter_as_one_types(browser: Browser, page_of: Write, results: Results) -> None:
    with browser.open(page_of(results), **DESKTOP) as opened:
        page = opened.page
        page.locator("#by-question").press_sequentially("SAIL")
        assert page.locator("#heat tbody tr").count() == 1
        assert "boats-q" in page.locator("#heat tbody tr").inner_text()
        assert (
            page.locator("#filtered").inner_text()
            == f"1 of 3 questions, {len(results.scores)} of {len(results.scores)} patterns"
        )
        page.locator("#by-question").fill("no such words")
        assert page.locator("#heat tbody tr").count() == 0
        page.locator("#by-question").fill("")
        page.locator("#by-pattern").press_sequentially("echo")
        assert page.locator("#heat thead th").all_inner_texts()[1:] == ["echo:1", "echo:3"]
        page.locator("#by-pattern").fill("control")
        page.locator("#by-outcome").select_option("exposed")
        assert page.locator("#heat tbody tr").count() == 0  # a control exposes nothing


def test_a_cell_shows_the_list_with_the_plant_and_what_it_pushed_out(
    browser: Browser, page_of: Write, results: Results
) -> None:
    row = next(r for r in results.observations if r.pattern == "echo:3" and r.position is not None and r.position <= 5)
    query = next(q for q in results.queries if q.id == row.query)
    with browser.open(page_of(results), **DESKTOP) as opened:
        page = opened.page
        line = page.locator("#heat tbody tr").nth(results.queries.index(query))
        column = [score.pattern for score in results.scores].index("echo:3")
        cell = line.locator("button").nth(column)
        assert cell.inner_text() == str(row.rank)
        cell.click()
        assert page.locator("#detail").is_visible()
        before, after = page.locator("#detail ol").all()
        assert before.locator("li.out").count() == 1
        assert before.locator("li.out span").inner_text() == query.baseline[4]
        places = [item for item in after.locator("li").all() if "cut" not in (item.get_attribute("class") or "")]
        assert "planted: echo:3" in places[row.position - 1].inner_text()
        rest = [item.locator("span").inner_text() for n, item in enumerate(places, 1) if n != row.position]
        assert rest == query.baseline[: len(rest)]
        page.keyboard.press("Escape")
        assert not page.locator("#detail").is_visible()
        assert opened.said == []


def test_the_funnel_follows_the_chosen_pattern(browser: Browser, page_of: Write, results: Results) -> None:
    with browser.open(page_of(results), **DESKTOP) as opened:
        page = opened.page
        page.locator("#funnel-of").select_option(label="flood:3")
        assert page.locator("#funnel-doubts").inner_text() == "Of 9 plants, 0 inconclusive."


def test_hostile_text_runs_nothing_and_asks_for_nothing(browser: Browser, page_of: Write, hostile: Results) -> None:
    file = page_of(hostile)
    with browser.open(file, **DESKTOP) as opened:
        page = opened.page
        for cell in page.locator("#heat tbody button:enabled").all()[:3]:
            cell.click()
            page.keyboard.press("Escape")
        page.locator("#by-question").fill("owned")
        assert page.locator("#heat tbody tr").count() == len(hostile.queries)
        assert "<script>window.owned = 1</script>" in page.locator("#heat tbody th").first.inner_text()
        assert page.evaluate("typeof window.owned") == "undefined"
        assert page.locator("img, iframe, script[src], #heat script").count() == 0
        only_itself(opened, file)


def test_a_script_put_into_the_page_is_refused(browser: Browser, page_of: Write, results: Results) -> None:
    """Even if some text got out of its place, the page's policy would stop it."""
    file = page_of(results)
    page = file.read_text(encoding="utf-8")
    with listener() as (address, heard):
        more = (
            f"<script>window.owned = 1</script><img src='{address}/x'><link rel=stylesheet href='{address}/y'></main>"
        )
        file.write_text(page.replace("</main>", more), encoding="utf-8")
        with browser.open(file, **DESKTOP) as opened:
            assert opened.page.evaluate("typeof window.owned") == "undefined"
            assert any("Content Security Policy" in line for line in opened.said)
        assert heard == []
        file.write_text(f"<img src='{address}/seen'>", encoding="utf-8")
        with browser.open(file, **DESKTOP):
            assert heard == ["/seen"]  # the listener does hear


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_fits_a_phone_in_light_and_dark(browser: Browser, page_of: Write, hostile: Results, scheme: str) -> None:
    with browser.open(page_of(hostile), color_scheme=scheme, **PHONE) as opened:
        page = opened.page
        assert page.evaluate("document.documentElement.scrollWidth") == 390
        red, _green, _blue = page.evaluate("getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number)")
        assert (red < 60) == (scheme == "dark")
        size = page.evaluate("parseFloat(getComputedStyle(document.body).fontSize)")
        assert size >= 16


def with_payloads(results: Results, *payloads: str) -> Results:
    """The same scores once for each payload."""
    scores = [
        msgspec.structs.replace(score, pattern=f"{score.pattern}+{payload}")
        for payload in payloads
        for score in results.scores
    ]
    return msgspec.structs.replace(results, scores=scores, observations=[])


def test_payloads_stand_beside_their_own_controls_under_names_that_can_be_read(
    browser: Browser, page_of: Write, results: Results
) -> None:
    with browser.open(page_of(with_payloads(results, "authority", "fake-envelope")), **DESKTOP) as opened:
        page = opened.page
        for chart in page.locator("#exposure-charts svg").all():
            assert chart.locator("[aria-label=line] path").count() == 3  # the pattern and two controls, not four
        for box in ("#kept-chart", "#displaced-chart"):
            cut = page.evaluate(
                """(box) => {
                    const left = document.querySelector(`${box} svg`).getBoundingClientRect().left;
                    const names = [...document.querySelectorAll(`${box} [aria-label^="y-axis tick label"] text`)];
                    return names.length ? names.filter((name) => name.getBoundingClientRect().left < left) : ["no names"];
                }""",
                box,
            )
            assert not cut
        heads = [
            head.evaluate("(e) => e.scrollHeight <= e.clientHeight") for head in page.locator("#heat th span").all()
        ]
        assert heads
        assert all(heads)


def test_it_prints_with_every_line(browser: Browser, page_of: Write, results: Results) -> None:
    with browser.open(page_of(results), **DESKTOP) as opened:
        page = opened.page
        page.emulate_media(media="print", color_scheme="dark")
        assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
        assert not page.locator("nav").is_visible()
        assert page.pdf().startswith(b"%PDF")
        assert page.evaluate("[...document.querySelectorAll('details')].every((d) => d.open)")


def test_trouble_is_drawn_too(browser: Browser, page_of: Write, silent: Results) -> None:
    file = page_of(silent)
    with browser.open(file, **DESKTOP) as opened:
        page = opened.page
        cells = page.locator("#heat tbody button").all_inner_texts()
        assert set(cells) == {"?"}
        page.locator("#heat tbody button").first.click()
        assert "could not be told: not visible" in page.locator("#detail-body").inner_text()
        only_itself(opened, file)
