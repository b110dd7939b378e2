"""The page of stores and promises: what makes the check of it fail, and what does not."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from darnel.testing import PROMISES
from darnel.testing.declared import sentences

SCRIPTS = Path(__file__).parents[2] / "scripts"
STORES = {
    "memory": "tests.conformance.test_memory.TestMemory",
    "memory: DenseMemory": "tests.conformance.test_memory.TestDenseMemory",
    "langchain faiss": "tests.conformance.test_langchain_faiss.TestLangChainFaiss",
    "pgvector (the example adapter)": "examples.pgvector_adapter.tests.test_conformance.TestPgVector",
}
TESTS = {promise.__name__: [name for name in vars(promise) if name.startswith("test_")] for promise in PROMISES}
WHOLE = "tests.conformance.test_langchain_faiss"
FAISS, DENSE = STORES["langchain faiss"], STORES["memory: DenseMemory"]
NEEDED = "(&apos;test.py&apos;, 17, &apos;Skipped: needs faiss-cpu; run: pip install faiss-cpu&apos;)"
ABSENT = f'<testcase classname="" name="{WHOLE}"><skipped type="pytest.skip" message="collection skipped">{NEEDED}</skipped></testcase>'
Run = list[tuple[str, str, str]]


@pytest.fixture
def matrix(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The script, with the page of a run in which one test is left out and another waived."""
    monkeypatch.syspath_prepend(str(SCRIPTS))
    script = importlib.import_module("conformance_matrix")
    monkeypatch.setattr(script, "PAGE", tmp_path / "page.md")
    script.PAGE.write_text("")
    assert script.main(junit(tmp_path, whole_run())) == 0
    return script


def whole_run() -> Run:
    """Class, test, what the report says of it."""
    run = [(where, test, "") for where in STORES.values() for tests in TESTS.values() for test in tests]
    off = f'<skipped type="pytest.skip" message="declared off: named ({sentences()["named"]})"/>'
    waived = '<skipped type="pytest.xfail" message="a vector: refused"/>'
    said = {(DENSE, TESTS["Containers"][0]): off, (FAISS, TESTS["Vectors"][0]): waived}
    return [(where, test, said.get((where, test), "")) for where, test, _ in run]


def junit(folder: Path, run: Run, more: str = "", name: str = "junit.xml") -> str:
    cases = "".join(f'<testcase classname="{where}" name="{test}">{said}</testcase>' for where, test, said in run)
    (folder / name).write_text(f"<testsuites><testsuite>{cases}{more}</testsuite></testsuites>")
    return str(folder / name)


def test_the_page_names_stores_promises_and_reasons(matrix: Any) -> None:
    page = matrix.PAGE.read_text()
    found = matrix.documented(page)
    assert list(found) == sorted(STORES)
    passed = {promise: str(len(tests)) for promise, tests in TESTS.items()}
    assert found["memory"].cells == passed
    assert found["memory"].reasons == frozenset()
    assert found["memory: DenseMemory"].cells == passed | {"Containers": f"{len(TESTS['Containers']) - 1}, 1 n/a"}
    assert found["memory: DenseMemory"].reasons == {f"declared off: named ({sentences()['named']})"}
    assert found["langchain faiss"].reasons == {"a vector: refused"}
    assert f"{len(whole_run()) - 2} tests passed" in page


def test_the_same_run_in_several_files_and_another_order_holds(matrix: Any, tmp_path: Path) -> None:
    first = junit(tmp_path, whole_run()[::-2], name="first.xml")
    second = junit(tmp_path, whole_run(), name="second.xml")
    assert matrix.main(first, second, "--check") == 0


LOST: dict[str, Callable[[str, str], bool]] = {
    "a store": lambda where, _test: where == STORES["memory"],
    "the example": lambda where, _test: where.startswith("examples."),
    "a promise": lambda _where, test: test in TESTS["Removing"],
    "a promise of one store": lambda where, test: where == FAISS and test in TESTS["Histories"],
    "a test of one store": lambda where, test: where == FAISS and test == TESTS["Removing"][0],
    "every store": lambda _where, _test: True,
}


@pytest.mark.parametrize("lost", LOST)
def test_what_is_dropped_is_noticed(matrix: Any, tmp_path: Path, lost: str, capsys: pytest.CaptureFixture[str]) -> None:
    run = [case for case in whole_run() if not LOST[lost](*case[:2])]
    assert matrix.main(junit(tmp_path, run), "--check") == 1
    assert "has drifted" in capsys.readouterr().err


@pytest.mark.parametrize(
    "said",
    ["<failure/>", "<error/>", '<skipped type="pytest.skip" message="not today"/>', '<skipped type="pytest.xfail"/>'],
)
def test_a_test_that_no_longer_passes_is_noticed(matrix: Any, tmp_path: Path, said: str) -> None:
    assert matrix.main(junit(tmp_path, [*whole_run()[1:], (*whole_run()[0][:2], said)]), "--check") == 1


def test_a_failure_in_any_file_makes_it_fail(matrix: Any, tmp_path: Path) -> None:
    failing = junit(tmp_path, [*whole_run()[1:], (*whole_run()[0][:2], "<failure/>")])
    assert matrix.main(failing) == 1
    assert matrix.main(failing, "--check") == 1
    passing = junit(tmp_path, whole_run(), name="another.xml")
    for files in ((failing, passing), (passing, failing)):
        assert matrix.main(*files, "--check") == matrix.main(*files) == 1


def test_a_store_that_this_machine_lacks_keeps_its_column(
    matrix: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Skipped as a whole module, or test by test where a fixture finds no server."""
    page = matrix.PAGE.read_text()
    others = [case for case in whole_run() if case[0] != FAISS]
    no_server = '<skipped type="pytest.skip" message="pgserver is not installed"/>'
    each = [(w, t, no_server if w.startswith("examples.") else said) for w, t, said in others]
    for flags in (["--check"], []):
        assert matrix.main(junit(tmp_path, each, ABSENT), *flags) == 0
        assert matrix.PAGE.read_text() == page
        said = capsys.readouterr().err
        assert "langchain faiss: not tested here, its column stays as it is (needs faiss-cpu; run: pip" in said
        assert "pgvector (the example adapter): not tested here" in said
    without_memory = [case for case in each if case[0] != STORES["memory"]]
    assert matrix.main(junit(tmp_path, without_memory, ABSENT), "--check") == 1
