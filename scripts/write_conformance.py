"""Run the conformance suite against every broken injector, and write the tables of docs/conformance.md; takes minutes."""

from __future__ import annotations

import os
import sys
from multiprocessing import get_context
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from tests.conformance.broken import BROKEN, run_suite
from tests.conformance.table import abilities, broken, promises, replace_block

WORKERS = max(1, (os.cpu_count() or 1) // 2)
INJECTORS_EACH = 3
"""By one process: Chroma never gives back the memory of what was deleted, so a fresh one takes over."""


def failing(name: str) -> list[str]:
    """Every test that fails against one injector."""
    return run_suite(name).failed


def main() -> int:
    """Write the table; the exit code says whether every broken injector was caught by the test that names it."""
    caught = {}
    with get_context("spawn").Pool(WORKERS, maxtasksperchild=INJECTORS_EACH) as pool:
        for name, failed in zip(BROKEN, pool.imap(failing, BROKEN), strict=True):
            caught[name] = failed
            sys.stderr.write(f"{name}: caught by {len(failed)} tests\n")
    for block, content in (("promises", promises()), ("abilities", abilities()), ("broken", broken(caught))):
        replace_block(block, content)
    missed = [name for name, tests in caught.items() if BROKEN[name].caught_by not in tests]
    sys.stderr.write("".join(f"{name} is not caught by {BROKEN[name].caught_by}\n" for name in missed))
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
