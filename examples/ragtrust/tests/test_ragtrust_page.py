"""The command and its page: what is printed, what is written, and that hostile text stays text."""

from __future__ import annotations

import re
import socket
from collections.abc import Iterator
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from ragtrust.__main__ import main
from ragtrust.attacks import BASE
from ragtrust.bench import Bench, run_main
from ragtrust.corpus import questions, records
from ragtrust.page import render
from ragtrust.trial import run_trial

from darnel.adapters.memory.corpus import MemoryCorpus
from darnel.adapters.memory.open import memory_target
from darnel.core.planting.ledger import Ledger

LAB = Path(__file__).resolve().parents[1]
HOSTILE = "</p><script>alert(1)</script><img src=x onerror=alert(2)> {{ 7 * 7 }} \u202e\x1b[31m"


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    with Ledger(tmp_path / "ledger.db") as opened:
        yield opened


class Seen(HTMLParser):
    """Elements and attributes of a page, and its text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.links: list[str] = []
        self.text = self.policy = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes.update(name for name, _ in attrs)
        if ("http-equiv", "Content-Security-Policy") in attrs:
            self.policy = dict(attrs)["content"] or ""
        self.links += [value or "" for name, value in attrs if name in ("src", "href")]

    def handle_data(self, data: str) -> None:
        self.text += data


def test_the_page_shows_both_lists_of_every_question_side_by_side(ledger: Ledger) -> None:
    trial = run_main(ledger)
    seen = Seen(render(Bench(trial)))
    for query in questions():
        assert query.text in seen.text
    assert seen.text.count("\nordinary\n") == seen.text.count("\ndefended\n") == 12
    planted = sum(item.attack for view in (trial.ordinary, trial.defended) for one in view.lists for item in one.items)
    assert seen.text.count("attack document\n") + seen.text.count("attack document ") - 1 == planted  # and a row's name
    assert seen.text.count("expected document") == 24
    for item in trial.defended.lists[0].items:
        assert item.title in seen.text
        assert f"relevance {item.relevance:.3g} → final {item.final:.3g}" in seen.text


def test_hostile_text_is_inert_and_nothing_is_loaded(ledger: Ledger) -> None:
    papers = [
        replace(r, text=f"{r.text} {HOSTILE}", metadata={**(r.metadata or {}), "title": HOSTILE, "source": HOSTILE})
        for r in records()
    ]
    asked = [replace(q, text=f"{q.text} {HOSTILE}") for q in questions()]
    attack = replace(
        BASE,
        name=HOSTILE,
        group=HOSTILE,
        payload=replace(BASE.payload, text=lambda request: f"{BASE.payload.text(request)} {HOSTILE}"),
    )
    trial = run_trial(memory_target(MemoryCorpus(papers)), attack, asked, ledger)
    page = render(Bench(trial, attacks=[trial]))
    seen = Seen(page)
    assert not seen.tags & {"script", "img", "iframe", "object", "form", "a"}
    assert not any(name.startswith("on") for name in seen.attributes)
    assert seen.links == ["data:,"]
    assert "{{ 7 * 7 }}" in seen.text
    assert "<script>alert(1)</script>" in seen.text
    assert "\u202e" not in page
    assert "\x1b" not in page
    assert "default-src 'none'" in seen.policy
    assert "script-src" not in seen.policy


def no_network(*_args: Any) -> None:
    raise OSError("this test has no network")


def test_the_command_prints_what_the_readme_shows_without_any_network(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for package in ("wordllama", "chromadb", "qdrant_client"):
        pytest.importorskip(package, reason=f"{package} is not installed")
    monkeypatch.setattr(socket.socket, "connect", no_network)
    monkeypatch.setattr(socket, "getaddrinfo", no_network)
    page = tmp_path / "page.html"
    done = CliRunner().invoke(main, ["--html", str(page)])
    assert done.exit_code == 0, done.output
    printed = {" ".join(line.split()) for line in done.output.splitlines()}
    blocks = re.findall(r"```text\n(.*?)```", (LAB / "README.md").read_text(encoding="utf-8"), flags=re.DOTALL)
    shown = [" ".join(line.split()) for block in blocks for line in block.splitlines()]
    assert len(shown) > 20
    assert [line for line in shown if line and line != "..." and line not in printed] == []
    assert "Where the defence fails" in page.read_text(encoding="utf-8")


def test_only_the_described_part_needs_no_embedder_and_no_store(tmp_path: Path) -> None:
    done = CliRunner().invoke(main, ["--only-main", "--html", str(tmp_path / "page.html")])
    assert done.exit_code == 0, done.output
    assert "1 trials: 6 planted, 6 removed; all other records and lists are as before" in done.output
