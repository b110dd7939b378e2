"""A real Chromium, the system's own: pages opened in it, with what they log, ask for and pop up on record."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def chromium() -> str:
    """Where it is; skips the test where there is none."""
    pytest.importorskip("playwright", reason="playwright is not installed (pip install 'darnel[dev]')")
    found = next((path for name in NAMES if (path := shutil.which(name))), None)
    if found is None:
        pytest.skip("no Chromium on this machine; on Debian: apt-get install chromium")
    return found


@dataclass
class Opened:
    """A page, and whatever it did besides showing itself."""

    page: Any
    said: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Browser:
    running: Any

    @contextmanager
    def open(self, file: Path, **context: Any) -> Iterator[Opened]:
        """Open a file in a context of its own: viewport, colour scheme, touch."""
        held = self.running.new_context(**context)
        opened = Opened(held.new_page())
        page = opened.page
        page.on("console", lambda message: opened.said.append(message.text))
        page.on("pageerror", lambda error: opened.said.append(str(error)))
        page.on("dialog", lambda dialog: (opened.said.append(f"dialog: {dialog.message}"), dialog.dismiss()))
        page.on("request", lambda request: opened.asked.append(request.url))
        page.goto(file.as_uri())
        yield opened
        held.close()


@contextmanager
def start_browser() -> Iterator[Browser]:
    path = chromium()
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        sandbox = [] if os.geteuid() else ["--no-sandbox"]  # root has none
        running = driver.chromium.launch(executable_path=path, args=sandbox)
        yield Browser(running)
        running.close()
