"""Store x promise: read the JUnit file of a test run and write docs/conformance-matrix.md, or check that it still holds.

python -m pytest tests/conformance --junitxml=.junit.xml
python scripts/conformance_matrix.py .junit.xml [--check]
"""

from __future__ import annotations

import inspect
import sys
from collections import defaultdict
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "conformance-matrix.md"
OUTSIDE = ("test_broken",)
sys.path.insert(0, str(ROOT))

from darnel.testing.suite import PROMISES  # noqa: E402

TEXT = """# Which store keeps which promise

Made by `scripts/conformance_matrix.py` from a run of `tests/conformance`; CI fails where it no longer holds. A row is a promise, a
class of `darnel.testing` (its docstring says what it demands); a column is a store. A cell counts the tests that passed;
**n/a** counts tests that a declared capability leaves out (named below), **waived** those that fail as a strict `xfail`
says, with its reason.

"""


def promise_of(test: str) -> str | None:
    """The promise that a test stands for."""
    for promise in PROMISES:
        if test in vars(promise):
            return promise.__name__
    return None


def read(junit: Path) -> dict[str, dict[str, list[tuple[str, str]]]]:
    """Store → promise → (outcome, reason) of each of its tests."""
    table: dict[str, dict[str, list[tuple[str, str]]]] = defaultdict(lambda: defaultdict(list))
    for case in ElementTree.parse(junit).iter("testcase"):  # noqa: S314  # our own test run wrote it
        module, _, group = (case.get("classname") or "").rpartition(".")
        if not module.startswith("tests.conformance.") or module.rpartition(".")[2] in OUTSIDE:
            continue
        promise = promise_of((case.get("name") or "").partition("[")[0])
        if promise is not None:
            table[label(module, group)][promise].append(outcome(case))
    return table


def label(module: str, group: str) -> str:
    """``test_chroma_http`` and ``TestChromaHttp`` → ``chroma http``; the class is named where a module has several."""
    store = module.rpartition(".")[2].removeprefix("test_").replace("_", " ")
    name = group.removeprefix("Test")
    return store if name.lower() in store.replace(" ", "") else f"{store}: {name}"


def outcome(case: ElementTree.Element) -> tuple[str, str]:
    """What became of one test, and why."""
    skipped = case.find("skipped")
    if case.find("failure") is not None or case.find("error") is not None:
        return "failed", ""
    if skipped is None:
        return "passed", ""
    kind = "waived" if skipped.get("type") == "pytest.xfail" else "n/a"
    return kind, skipped.get("message") or ""


def render(table: dict[str, dict[str, list[tuple[str, str]]]]) -> str:
    """The page."""
    stores = sorted(table)
    numbered = [
        f"| promise | {' | '.join(str(n) for n in range(1, len(stores) + 1))} |",
        f"|---|{'---|' * len(stores)}",
    ]
    rows = [f"| {p.__name__} | {' | '.join(cell(table[s][p.__name__]) for s in stores)} |" for p in PROMISES]
    legend = [f"{n}. {store}" for n, store in enumerate(stores, 1)]
    demands = [f"- **{p.__name__}**: {(inspect.getdoc(p) or '').splitlines()[0]}" for p in PROMISES]
    notes = sorted({f"- {s}: {why}" for s in stores for tests in table[s].values() for _, why in tests if why})
    passed = sum(o == "passed" for s in table.values() for tests in s.values() for o, _ in tests)
    parts = [TEXT.rstrip(), "## Stores", "\n".join(legend), f"## {passed} tests passed", "\n".join([*numbered, *rows])]
    parts += [
        "## What each promise demands",
        "\n".join(demands),
        "## Left out or waived",
        "\n".join(notes) or "Nothing.",
    ]
    return "\n\n".join(parts) + "\n"


def cell(tests: list[tuple[str, str]]) -> str:
    """One cell: counts by outcome."""
    counts = {kind: sum(o == kind for o, _ in tests) for kind in ("passed", "failed", "waived", "n/a")}
    named = [
        f"**{n} {kind}**" if kind == "failed" else f"{n} {kind}" for kind, n in counts.items() if n and kind != "passed"
    ]
    return ", ".join([str(counts["passed"]), *named])


def main(junit: str, *flags: str) -> int:
    """Write the page, or with ``--check`` compare it; the exit code says whether it holds and nothing failed."""
    page = render(read(Path(junit)))
    if "--check" in flags:
        same = PAGE.read_text(encoding="utf-8") == page
        sys.stderr.write("" if same else f"{PAGE.name} has drifted; run this script without --check\n")
        return 0 if same and " failed**" not in page else 1
    PAGE.write_text(page, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
