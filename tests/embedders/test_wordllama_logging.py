"""Loading the bundled embedder must not set up logging for the application."""

from __future__ import annotations

import subprocess
import sys

CODE = """
import logging
from darnel.embedders.wordllama import load_wordllama
root = logging.getLogger()
root.setLevel(logging.ERROR)
assert load_wordllama().documents(["a text"]).shape == (1, 256)
assert root.handlers == [], root.handlers
assert root.level == logging.ERROR, root.level
"""


def test_root_logger_is_left_as_it_was() -> None:
    done = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
