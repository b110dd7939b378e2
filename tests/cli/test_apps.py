"""Applications on the command line: a function over a real Chroma server, planted --into that server."""

from __future__ import annotations

import json
import signal
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from darnel.adapters import registry
from darnel.adapters.apps.options import AppOptions
from darnel.adapters.spec import TargetSpec
from darnel.cli.several import folder_name
from darnel.core.errors import TargetError
from tests.cli import shop
from tests.cli.test_signals import planted, wait_until
from tests.support import chroma
from tests.support.command import Outcome, darnel_process, finish, start

Cli = Callable[..., Outcome]
SHOP = "python:tests.cli.shop:"


@pytest.fixture(autouse=True)
def place(served: tuple[str, Any], monkeypatch: pytest.MonkeyPatch) -> tuple[str, Any]:
    spec, collection = served
    port = spec.partition("#")[0].rpartition(":")[2]
    monkeypatch.setenv("SHOP", f"{port}#{collection.name}")
    shop.CALLS.clear()
    return served


@pytest.fixture
def rest(place: tuple[str, Any], run_args: list[str]) -> list[str]:
    return [*run_args, "--into", place[0], "--k", "4", "--retries", "0"]


def test_an_application_is_run_and_reported(cli: Cli, place: Any, rest: list[str], tmp_path: Path) -> None:
    before = chroma.everything(place[1])
    ended = cli("run", f"{SHOP}ask", *rest, "--out", "report")
    assert ended.code == 0, ended.err
    assert "python tests.cli.shop:ask over chroma docs-" in ended.out.replace("\n", " ")
    assert "Share of questions with a plant at each stage" in ended.out
    assert "shop: asked" in ended.err and "shop: asked" not in ended.out
    assert " removed, 0 left over" in ended.out
    page = (tmp_path / "report" / "report.md").read_text()
    assert "| pattern | planted | visible | retrieved | delivered | in prompt | in answer |" in page
    assert chroma.everything(place[1]) == before


def test_an_answer_to_an_unanswerable_question_fails_the_run(
    cli: Cli, place: Any, run_args: list[str], tmp_path: Path
) -> None:
    asked = [{"text": "How do flour and yeast go with oven?"}, {"text": "Who won in 2190?", "unanswerable": True}]
    (tmp_path / "asked.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in asked), encoding="utf-8")
    rest = [*run_args, "--queries", "asked.jsonl", "--into", place[0], "--k", "4"]
    ended = cli("run", f"{SHOP}ask", *rest)
    assert ended.code == 1, ended.err
    assert "failed: an unanswerable question is answered (abstention rate 0.00: 0 of 1 declined" in " ".join(
        ended.out.split()
    )


def test_json_and_the_ways_to_ask(cli: Cli, rest: list[str]) -> None:
    ways = ["--input", '{"question": "{query}"}', "--answer-path", "out.said", "--sources-path", "out.hits"]
    ended = cli("run", f"{SHOP}nested", *rest, *ways, "--jobs", 2, "--timeout", 50, "--json")
    found = json.loads(ended.out)
    assert (found["exit_code"], found["target"]["app"]) == (0, "python tests.cli.shop:nested")
    assert next(s for s in found["scores"] if s["pattern"] == "echo:1")["funnel"]["in answer"]["n"] == 3


def test_a_settings_file_holds_how_it_is_asked(cli: Cli, place: Any, run_args: list[str], tmp_path: Path) -> None:
    (tmp_path / "darnel.toml").write_text(
        f"""into = "{place[0]}"\njobs = 2\nretries = 0\ntimeout = 40\nheader = "X=$Y"\nallow-model = true\nanswers = true
input = '{{"question": "{{query}}"}}'\nanswer-path = "out.said"\nsources-path = "out.hits"\n"""
    )
    ended = cli("run", f"{SHOP}nested", *run_args)
    assert ended.code == 0, ended.err


def test_without_into_it_says_what_to_do(cli: Cli, run_args: list[str]) -> None:
    ended = cli("run", f"{SHOP}ask", *run_args)
    assert (ended.code, ended.out) == (2, "")
    assert "Say where to plant with --into TARGET" in ended.err


def test_plant_and_sweep_go_through_the_store(cli: Cli, place: Any, questions: Path, run_args: list[str]) -> None:
    before = chroma.everything(place[1])
    ended = cli("plant", f"{SHOP}ask", *run_args, "--into", place[0])
    assert ended.code == 0, ended.err
    assert len(chroma.everything(place[1])) == len(before) + 3
    swept = cli("sweep")
    assert swept.code == 0, swept.err
    assert chroma.everything(place[1]) == before


def test_doctor_shows_the_application_its_store_and_the_capture(cli: Cli, place: Any, rest: list[str]) -> None:
    args = ["--into", place[0], "--embedder", rest[rest.index("--embedder") + 1], "--json"]
    for name, seen in (("ask", True), ("elsewhere", False)):
        ended = cli("doctor", f"{SHOP}{name}", *args)
        lines = {line["name"]: line for line in json.loads(ended.out)}
        assert lines["application"]["detail"].startswith(f"python tests.cli.shop:{name}, whose store is chroma docs-")
        assert lines["capture"]["ok"] is seen
        assert ended.code == (0 if seen else 2)
    assert "reads another store than the one named" in lines["capture"]["detail"]


def test_an_application_of_another_store_is_inconclusive(cli: Cli, place: Any, rest: list[str]) -> None:
    ended = cli("run", f"{SHOP}elsewhere", *rest, "--json")
    found = json.loads(ended.out)
    assert found["exit_code"] == ended.code == 2
    assert {row["outcome"] for row in found["observations"]} == {"inconclusive"}
    assert found["cleanup"]["planted"] == 0


def test_an_application_that_writes_while_it_is_tested_is_found_out(cli: Cli, place: Any, rest: list[str]) -> None:
    ended = cli("run", f"{SHOP}writes_into_its_store", *rest, "--json")
    found = json.loads(ended.out)
    assert found["exit_code"] == ended.code == 2
    assert found["corpus_digest"]["same"] is False
    assert found["corpus_digest"]["added"][0].startswith("log-")
    assert found["leftovers"] == []


@pytest.mark.parametrize(
    ("name", "said"),
    [("hangs_on_the_fifth", "asking failed: no answer within 2 s"), ("exits_on_the_fifth", "asking failed: SystemExit: goodbye")],
)  # fmt: skip
def test_a_hostile_application_in_a_process_of_its_own(
    name: str, said: str, place: Any, rest: list[str], tmp_path: Path
) -> None:
    """The fifth call is the first with something planted; the process ends although a call of it hangs."""
    before = chroma.everything(place[1])
    ended = darnel_process(["run", f"{SHOP}{name}", *rest, "--jobs", "1", "--timeout", "2", "--json"], tmp_path)
    found = json.loads(ended.out)
    assert [o["detail"] for o in found["observations"] if o["outcome"] == "inconclusive"] == [said]
    assert (found["exit_code"], ended.code, found["leftovers"]) == (2, 2, [])
    assert found["cleanup"]["planted"] == found["cleanup"]["removed"] >= 9
    assert chroma.everything(place[1]) == before
    assert "Traceback" not in ended.err


def test_ctrl_c_while_calls_hang_gets_out_and_cleans(place: Any, rest: list[str], tmp_path: Path) -> None:
    before = chroma.everything(place[1])
    args = ["run", f"{SHOP}hangs", *rest, "--timeout", "2", "--json", "--isolation", "query"]
    process = start(args, tmp_path)
    wait_until(process, lambda: planted(tmp_path / "ledger.db", "written"))
    process.send_signal(signal.SIGINT)
    ended = finish(process, timeout=60)
    found = json.loads(ended.out)
    assert found["run"]["interrupted"] and found["exit_code"] == ended.code == 2
    assert found["leftovers"] == []
    assert chroma.everything(place[1]) == before


# several stores


@pytest.fixture
def two_stores(monkeypatch: pytest.MonkeyPatch, place: Any) -> None:
    """An adapter whose applications have stores at two paths, and a third that cannot be opened."""
    entry = registry.BUILT_IN["python"]
    opener = registry.load_opener("python")

    def opened(spec: TargetSpec, embedder: Any, *, exclusive: bool = True, app: AppOptions) -> Any:
        if app.store == "app.broken":
            raise TargetError("this store cannot be planted into")
        where = replace(spec, where=f"tests.cli.shop:{(app.store or '').rpartition('.')[2]}")
        return opener(where, embedder, exclusive=exclusive, app=app)

    monkeypatch.setattr(shop, "open_twice", opened, raising=False)
    monkeypatch.setattr(shop, "paths", lambda _spec: ["app.ask", "app.broken", "app.elsewhere"], raising=False)
    both = replace(entry, opener="tests.cli.shop:open_twice", stores="tests.cli.shop:paths")
    monkeypatch.setattr(registry, "BUILT_IN", {**registry.BUILT_IN, "python": both})


@pytest.mark.usefixtures("two_stores")
def test_all_stores_are_run_one_after_another(cli: Cli, rest: list[str], tmp_path: Path) -> None:
    ended = cli("run", f"{SHOP}ask", *rest, "--all-stores", "--json", "--out", "report", "--fail-on", "exposure@4 >= 0")
    found = json.loads(ended.out)
    assert [item["store"] for item in found] == ["app.ask", "app.broken", "app.elsewhere"]
    assert [item.get("error") for item in found] == [None, "this store cannot be planted into", None]
    assert [item["results"]["exit_code"] for item in found if "results" in item] == [1, 2]
    assert ended.code == 1
    assert sorted(p.name for p in (tmp_path / "report").iterdir()) == ["1-app.ask", "3-app.elsewhere"]
    assert (tmp_path / "report" / "1-app.ask" / "report.md").exists()


@pytest.mark.usefixtures("two_stores")
def test_all_stores_for_people(cli: Cli, rest: list[str]) -> None:
    ended = cli("run", f"{SHOP}ask", *rest, "--all-stores")
    assert ended.code == 2
    assert "store 1 of 3: app.ask" in ended.err and "app.broken: this store cannot be planted into" in ended.err
    assert ended.out.count("planted, ") == 2


def test_all_stores_where_there_is_nothing_to_choose(cli: Cli, rest: list[str]) -> None:
    assert "leave --all-stores away" in cli("run", f"{SHOP}ask", *rest, "--all-stores").err
    assert "give --store PATH alone" in cli("run", f"{SHOP}ask", *rest, "--all-stores", "--store", "x").err


def test_folder_names_are_plain_and_apart() -> None:
    assert folder_name(2, "chain.steps[0].<store>/../x") == "2-chain.steps-0-.-store-..-x"
    assert folder_name(1, "[]") == "1-"
