"""Store x promise: read the JUnit files of test runs and write docs/conformance-matrix.md, or check that it still holds.

make test
python scripts/conformance_matrix.py .junit.xml [MORE.xml...] [--check]
"""

from __future__ import annotations

import difflib
import inspect
import re
import sys
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "conformance-matrix.md"
OUTSIDE = ("tests.conformance.test_broken",)
EXAMPLES = {"examples.pgvector_adapter.tests.test_conformance": "pgvector (the example adapter)"}
ABSENT = re.compile(r"pip install|is not installed|could not import")
"""In the reason of a skip: what the store needs is not on this machine, which says nothing about the store."""
sys.path.insert(0, str(ROOT))

from darnel.testing.suite import PROMISES  # noqa: E402

TEXT = """# Which store keeps which promise

Made by `scripts/conformance_matrix.py` from a run of all tests; CI fails where it no longer holds. A row is a promise, a
class of `darnel.testing` (its docstring says what it demands); a column is a store. A cell counts the tests that passed;
**n/a** counts tests that a declared capability leaves out (named below), **waived** those that fail as a strict `xfail`
says, with its reason.

"""


@dataclass(frozen=True)
class Column:
    """One store: promise → what its cell says, and why tests were left out or waived."""

    cells: Mapping[str, str]
    reasons: frozenset[str]


def promise_of(test: str) -> str | None:
    """The promise that a test stands for."""
    for promise in PROMISES:
        if test in vars(promise):
            return promise.__name__
    return None


def read(junits: Iterable[Path]) -> tuple[dict[str, Column], dict[str, str]]:
    """The stores that were tested, and those (or modules of them) that could not be, with the reason."""
    tests: dict[str, dict[str, dict[str, tuple[str, str]]]] = defaultdict(lambda: defaultdict(dict))
    absent: dict[str, str] = {}
    for case in (c for junit in junits for c in ElementTree.parse(junit).iter("testcase")):  # noqa: S314  # ours
        where, name = case.get("classname") or "", case.get("name") or ""
        module, _, group = where.rpartition(".") if where else (name, "", "")  # a module that was skipped as a whole
        if module in OUTSIDE or not (module.startswith("tests.conformance.") or module in EXAMPLES):
            continue
        kind, reason = outcome(case)
        if kind == "absent":
            absent.setdefault(label(module, group), reason)
        elif (promise := promise_of(name.partition("[")[0])) is not None:
            found = tests[label(module, group)][promise]
            if found.get(name, ("", ""))[0] != "failed":  # in one file; another, where it passed, does not mend that
                found[name] = kind, reason
    return {store: column(found) for store, found in tests.items() if store not in absent}, absent


def label(module: str, group: str) -> str:
    """``test_chroma_http`` and ``TestChromaHttp`` → ``chroma http``; the class is named where a module has several."""
    if module in EXAMPLES:
        return EXAMPLES[module]
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
    reason = skipped.get("message") or ""
    if skipped.get("type") == "pytest.xfail":
        return "waived", reason
    if found := ABSENT.search(f"{reason} {skipped.text or ''}"):
        return "absent", found.string.partition("Skipped: ")[2].rstrip("')") or reason
    return "n/a", reason


def column(found: Mapping[str, Mapping[str, tuple[str, str]]]) -> Column:
    """From promise → test → outcome and reason."""
    cells = {
        promise.__name__: cell([kind for kind, _ in found.get(promise.__name__, {}).values()]) for promise in PROMISES
    }
    return Column(cells, frozenset(why for tests in found.values() for _, why in tests.values() if why))


def cell(kinds: list[str]) -> str:
    """Counts by outcome; the first is the number that passed."""
    counts = {kind: kinds.count(kind) for kind in ("failed", "waived", "n/a")}
    named = [f"**{n} {kind}**" if kind == "failed" else f"{n} {kind}" for kind, n in counts.items() if n]
    return ", ".join([str(kinds.count("passed")), *named])


def documented(page: str) -> dict[str, Column]:
    """The columns of the page as it is."""
    stores = re.findall(r"^\d+\. (.+)$", page, re.MULTILINE)
    rows = {m[1]: m[2].split(" | ") for m in re.finditer(r"^\| ([A-Z]\w+) \| (.+) \|$", page, re.MULTILINE)}
    reasons: dict[str, set[str]] = {store: set() for store in stores}
    for note in page.partition("## Left out or waived")[2].splitlines():
        of = [store for store in stores if note.startswith(f"- {store}: ")]
        if of:
            store = max(of, key=len)
            reasons[store].add(note.removeprefix(f"- {store}: "))
    return {s: Column({p: r[n] for p, r in rows.items()}, frozenset(reasons[s])) for n, s in enumerate(stores)}


def render(columns: Mapping[str, Column]) -> str:
    """The page."""
    stores = sorted(columns)
    names = [promise.__name__ for promise in PROMISES]
    rows = [[name, *(columns[store].cells.get(name, "0") for store in stores)] for name in names]
    table = [["promise", *(str(n) for n in range(1, len(stores) + 1))], ["---"] * (len(stores) + 1), *rows]
    passed = sum(int(text.partition(",")[0]) for row in rows for text in row[1:])
    demands = [f"- **{p.__name__}**: {(inspect.getdoc(p) or '').splitlines()[0]}" for p in PROMISES]
    notes = sorted(f"- {store}: {why}" for store in stores for why in columns[store].reasons)
    parts = [TEXT.rstrip(), "## Stores", "\n".join(f"{n}. {store}" for n, store in enumerate(stores, 1))]
    parts += [f"## {passed} tests passed", "\n".join(f"| {' | '.join(row)} |" for row in table)]
    parts += ["## What each promise demands", "\n".join(demands)]
    parts += ["## Left out or waived", "\n".join(notes) or "Nothing."]
    return "\n\n".join(parts) + "\n"


def main(*arguments: str) -> int:
    """Write the page, or with ``--check`` compare it; the exit code says whether it holds and nothing failed.

    A store whose package or server this machine lacks keeps the column that the page has, and is named on stderr.
    """
    columns, absent = read(Path(a) for a in arguments if a != "--check")
    before = PAGE.read_text(encoding="utf-8")
    for store, kept in documented(before).items():
        reason = absent.get(store) or absent.get(store.partition(":")[0])
        if reason and store not in columns:
            columns[store] = kept
            sys.stderr.write(f"{store}: not tested here, its column stays as it is ({reason})\n")
    page = render(columns)
    if "--check" not in arguments:
        PAGE.write_text(page, encoding="utf-8")
    elif page != before:
        lines = difflib.unified_diff(before.splitlines(), page.splitlines(), PAGE.name, "this run", "", "", 0, "")
        sys.stderr.write("\n".join([*lines, f"{PAGE.name} has drifted; run this script without --check", ""]))
        return 1
    failed = [store for store in columns if any("failed" in text for text in columns[store].cells.values())]
    sys.stderr.write("".join(f"{store}: tests failed\n" for store in sorted(failed)))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
