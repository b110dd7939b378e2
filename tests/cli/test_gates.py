"""``--baseline`` and ``[[suppress]]`` from the command line and from settings files."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from darnel.cli.settings import load_settings, load_suppressions
from darnel.core.errors import UnknownNameError, UsageError
from tests.cli.test_sweeps import corpus  # noqa: F401
from tests.support.command import Outcome

Cli = Callable[..., Outcome]
ACCEPTED = """
[[suppress]]
condition = "exposure@5 > 0.2"
pattern = "echo"
reason = "the reranker comes with the next release"
until = 2999-01-31
"""


def earlier(cli: Cli, command: list[str]) -> None:
    """``before.json``: the same run, in which no plant of echo:3 was retrieved."""
    assert cli(*command, "-p", "echo:3", "--out", "now").code == 0
    weak = json.loads(Path("now/results.json").read_text())
    for row in weak["observations"]:
        if row["pattern"] == "echo:3":
            row.update(outcome="not retrieved", stage="visible", rank=None, position=None, proof=None)
    Path("before.json").write_text(json.dumps(weak))


def test_a_rise_over_the_baseline_fails_the_run(cli: Cli, corpus: list[str]) -> None:  # noqa: F811
    earlier(cli, corpus)
    run = [*corpus, "-p", "echo:3"]
    ended = cli(*run, "--baseline", "before.json", "-o", "r.md", "-o", "r.xml", "-o", "r.sarif", "-o", "r.html")
    assert ended.code == 1
    assert "Failed on echo:3 rise@5 > 0.05" in ended.out
    assert "failed: echo:3 rise@5 > 0.05 (echo:3 exposure@5 0.000 → 1.000 of the same 16 questions; q = " in " ".join(
        ended.out.split()
    )
    for name in ("r.md", "r.xml", "r.sarif", "r.html"):
        assert "rise" in Path(name).read_text(), name
    assert cli(*run, "--baseline", "before.json", "--allowed-rise", "1").code == 0
    assert cli(*run, "--baseline", "now/results.json").code == 0


def test_the_baseline_may_stand_in_the_settings(cli: Cli, corpus: list[str]) -> None:  # noqa: F811
    earlier(cli, corpus)
    run = [*corpus, "-p", "echo:3"]
    Path("darnel.toml").write_text("baseline = 'before.json'\nallowed-rise = 0.2\n")
    ended = cli(*run, "--json")
    assert ended.code == 1
    assert [gate["condition"] for gate in json.loads(ended.out)["gates"]] == ["echo:3 rise@5 > 0.2"]
    accepted = '[[suppress]]\ncondition = "rise@5 > 0.2"\nreason = "new carrier"\nuntil = 2999-01-01\n'
    Path("darnel.toml").write_text(f"baseline = 'before.json'\nallowed-rise = 0.2\n{accepted}")
    assert cli(*run).code == 0


def test_a_baseline_that_cannot_be_used_is_one_line(cli: Cli, corpus: list[str]) -> None:  # noqa: F811
    earlier(cli, corpus)
    for more, says in (
        (["--baseline", "none.json"], "cannot read none.json"),
        (["--baseline", "before.json", "-p", "flood"], "none of these patterns"),
        (["--baseline", "before.json", "--retriever", "own", "--retriever", "bm25"], "--baseline is of one run"),
        (["--baseline", "before.json", "--allowed-rise", "2"], "allowed-rise"),
    ):
        ended = cli(*corpus, *more)
        assert (ended.code, says in ended.err) == (2, True), ended.err


@pytest.mark.parametrize("where", ["darnel.toml", "pyproject.toml"])
def test_what_is_suppressed_fails_nothing_until_its_date(cli: Cli, corpus: list[str], where: str) -> None:  # noqa: F811
    run = [*corpus, "-p", "echo:3", "--fail-on", "exposure@5 > 0.2"]
    assert cli(*run).code == 1
    given = ACCEPTED if where == "darnel.toml" else ACCEPTED.replace("[[", "[[tool.darnel.")
    Path(where).write_text(given)
    ended = cli(*run, "--json")
    assert ended.code == 0
    (gate,) = json.loads(ended.out)["gates"]
    assert gate["verdict"] == "suppressed"
    shown = " ".join(cli(*run).out.split())
    assert "suppressed until 2999-01-31: the reranker comes with the next release" in shown
    assert "suppressed: exposure@5 > 0.2" in shown
    Path(where).write_text(given.replace("2999", "2020"))
    ended = cli(*run)
    assert ended.code == 1
    assert "ended on 2020-01-31" in " ".join(ended.out.split())
    Path(where).write_text(given.replace("> 0.2", "> 0.25"))
    ended = cli(*run)
    assert ended.code == 2
    assert "unknown condition in [[suppress]] 'exposure@5 > 0.25'; did you mean 'exposure@5 > 0.2'?" in ended.err


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ('reason = "the reranker comes with the next release"', "", "number 1: give a reason"),
        ('reason = "the reranker comes with the next release"', "reason = ' '", "number 1: give a reason"),
        ("until = 2999-01-31", "", "number 1: give the last day it holds, such as until = 2027-01-31"),
        ("until = 2999-01-31", "until = '2999-01-31'", "without quotes"),
        ("until = 2999-01-31", "until = 2999-01-31T10:00:00", "give the last day"),
        ('condition = "exposure@5 > 0.2"', "", "give a condition"),
        ('pattern = "echo"', "pattern = ['echo']", "give one pattern"),
        ("[[suppress]]", "[suppress]", r"write \[\[suppress\]\]"),
        ("[[suppress]]", "suppress = 'echo'\n[other]", r"write \[\[suppress\]\]"),
    ],
)
def test_a_suppression_that_lacks_something_is_refused(tmp_path: Path, old: str, new: str, says: str) -> None:
    (tmp_path / "darnel.toml").write_text(ACCEPTED.replace(old, new))
    with pytest.raises(UsageError, match=says):
        load_suppressions(tmp_path)


def test_a_key_that_is_not_known_offers_the_nearest(tmp_path: Path) -> None:
    (tmp_path / "darnel.toml").write_text(ACCEPTED.replace("until", "untill"))
    with pytest.raises(UnknownNameError, match="did you mean 'until'"):
        load_suppressions(tmp_path)
    (tmp_path / "darnel.toml").write_text(ACCEPTED.replace("suppress", "supress"))
    with pytest.raises(UnknownNameError, match="did you mean 'suppress'"):
        load_settings(tmp_path)
    assert load_suppressions(tmp_path / "elsewhere") == []
