"""The HTML report as a file: complete, small, and with nothing in it that runs but its own two scripts."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import shlex
from html.parser import HTMLParser
from typing import Any

import msgspec
import pytest

from darnel.core.results import GateResult, Observation, QueryInfo, Results
from darnel.reports.html import render_html
from darnel.reports.html.repeat import command_line

PLAIN = {"script", "style"}


class Read(HTMLParser):
    """What stands in a page: elements, the text of scripts and styles, and the text people see."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.blocks: list[tuple[str, dict[str, str | None], str]] = []
        self.seen: list[str] = []
        self._within: tuple[str, dict[str, str | None]] | None = None
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        self._within = (tag, dict(attrs)) if tag in PLAIN else None

    def handle_endtag(self, tag: str) -> None:
        self._within = None

    def handle_data(self, data: str) -> None:
        if self._within:
            self.blocks.append((*self._within, data))
        else:
            self.seen.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.seen).split())

    def data(self) -> Any:
        (text,) = [text for tag, attrs, text in self.blocks if attrs.get("id") == "data"]
        return json.loads(text)


def test_it_states_what_was_tested_and_how_to_repeat_it(results: Results) -> None:
    text = Read(render_html(results)).text
    planted = f"{results.cleanup.planted} planted, {results.cleanup.planted} removed, 0 left over"
    for fact in ("store memory", "records 40", "questions (n) 3", "k 5", "isolation by pattern", planted):
        assert fact in text, fact
    for score in results.scores:
        assert score.pattern in text
        assert f"{score.exposure['5'].value:.2f}" in text
    assert "failed exposure@5 > 0.9" in text
    assert "passed mrr > 1" in text
    assert "corpus digest: before = after (40 records, in full" in text
    assert results.run.campaign in text
    for line in command_line(results):
        assert line.strip() in text
    assert "safe" not in text.replace("unsafe", "")


def test_the_command_names_patterns_strengths_and_gates(results: Results) -> None:
    lines = command_line(results)
    assert all(line.endswith(" \\") for line in lines[:-1])
    words = shlex.split(" ".join(line.removesuffix("\\") for line in lines))
    assert words[:3] == ["darnel", "run", "TARGET"]  # an object handed in has no spec
    options = list(zip(words[3::2], words[4::2], strict=True))
    labels = [score.pattern for score in results.scores if not score.control]
    assert [value for name, value in options if name == "--pattern"] == labels
    assert [value for name, value in options if name == "--fail-on"] == ["exposure@5 > 0.9", "mrr > 1"]
    assert ("--k", "5") in options
    assert ("--seed", "0") in options


def test_only_its_own_blocks_are_allowed(results: Results) -> None:
    page = Read(render_html(results))
    policy = next(a["content"] for t, a in page.elements if a.get("http-equiv") == "Content-Security-Policy")
    assert policy is not None
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    for tag, attrs, text in page.blocks:
        if attrs.get("type") == "application/json":
            continue
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        (rule,) = [part for part in policy.split("; ") if part.startswith(f"{tag}-src")]
        assert f"'sha256-{digest}'" in rule
    assert sum(1 for tag, attrs, _ in page.blocks if tag == "script" and "type" not in attrs) == 2


def test_nothing_comes_from_elsewhere_and_nothing_is_inline(hostile: Results) -> None:
    page = Read(render_html(hostile))
    for tag, attrs in page.elements:
        assert not [name for name in attrs if name.startswith("on") or name in ("src", "style", "srcdoc")], (tag, attrs)
        assert tag not in ("img", "svg", "iframe", "object", "embed", "base", "textarea"), tag
        assert (attrs.get("href") or "#").startswith(("#", "data:,"))
    assert sum(1 for tag, _ in page.elements if tag == "script") == 3


def test_hostile_text_is_shown_as_text(hostile: Results) -> None:
    page = Read(render_html(hostile))
    assert "<script>window.owned = 1</script>" in page.text
    assert "{{ 7 * 7 }}" in page.text
    assert "\x1b" not in page.text
    assert "\u202e" not in page.text
    assert r"\u{202e}" in page.text
    raw = render_html(hostile)
    block = raw[raw.index('id="data">') + 10 :]
    assert not set(block[: block.index("</script>")]) & set("<>&\u2028")


def test_the_data_holds_every_cell(results: Results) -> None:
    data = Read(render_html(results)).data()
    strings = data["strings"]
    best: dict[tuple[str, str], int] = {}
    for row in results.observations:
        if row.rank is not None:
            key = (row.pattern, row.query)
            best[key] = min(row.rank, best.get(key, row.rank))
    found = {
        (pattern["label"], strings[query[0]]): data["cells"][p][q][0]
        for p, pattern in enumerate(data["patterns"])
        for q, query in enumerate(data["queries"])
        if data["cells"][p][q][0]
    }
    assert found == best
    assert best
    assert [dose["name"] for dose in data["doses"]] == ["echo"]
    funnel = data["funnel"][0]
    assert funnel["total"] == sum(1 for row in results.observations if row.pattern not in ("control:1", "honest:1"))
    assert dict(funnel["stages"])["planted"] == funnel["total"]


def test_trouble_is_seen(silent: Results, stuck: Results) -> None:
    text = Read(render_html(silent)).text
    assert "could not tell" in text
    assert "Could not tell: no row came to a conclusion." in text
    assert "rows inconclusive: not visible" in text
    left = Read(render_html(stuck)).text
    assert "left behind" in left
    for item in stuck.leftovers:
        assert item.id in left


@pytest.mark.parametrize("count", [1_000, 20_000])
def test_a_large_run_stays_under_two_megabytes_and_says_what_is_left_out(results: Results, count: int) -> None:
    first = results.queries[0]
    queries = [QueryInfo(f"q{n}", f"{first.text} {n}", 1, [f"{n}-{i}" for i in range(10)]) for n in range(count)]
    labels = [score.pattern for score in results.scores]
    rows = [
        Observation(label, query.id, "p", "m", "retrieved", "retrieved", 1, 1, "id")
        for label in labels
        for query in queries
    ]
    patterns = [msgspec.structs.replace(results.patterns[-1], example="word " * 1_000)] * 200
    warnings = [f"warning {n} " + "x" * 1_500 for n in range(count)]
    whole = msgspec.structs.replace(results, queries=queries, observations=rows, patterns=patterns, warnings=warnings)
    page = render_html(whole)
    assert len(page.encode()) < 2_000_000
    read = Read(page)
    assert f"and {count - 100} more" in read.text
    shown = len(read.data()["queries"])
    assert 0 < shown <= count
    found = re.search(r"The first ([\d,]+) questions are shown; ([\d,]+) were left out", read.text)
    assert (found is None) == (shown == count)
    if found:
        assert [int(number.replace(",", "")) for number in found.groups()] == [shown, count - shown]


def test_a_notebook_shows_the_verdict_and_the_table(results: Results, hostile: Results) -> None:
    shown = results._repr_html_()
    assert shown is not None
    text = Read(shown).text
    assert all(score.pattern in text for score in results.scores)
    assert "questions brought a document planted by" in text
    tags = {tag for tag, _ in Read(hostile._repr_html_() or "").elements}
    assert not tags & {"script", "img", "svg", "style", "iframe"}


def test_the_command_to_repeat_names_the_baseline_and_not_its_gates(results: Results) -> None:
    gates = [*results.gates, GateResult("echo:1 rise@5 > 0.1", "passed", "")]
    said = "\n".join(command_line(msgspec.structs.replace(results, gates=gates)))
    assert "--baseline BASELINE" in said
    assert "--allowed-rise 0.1" in said
    assert "rise@" not in said
    assert "--baseline" not in "\n".join(command_line(results))
