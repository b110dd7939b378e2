"""The pytest plugin, as a user's own test suite meets it."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from importlib.metadata import entry_points
from pathlib import Path

import pytest

pytest_plugins = ["pytester"]

ROOT = Path(__file__).parents[2]
MODULE = "darnel.testing.plugin"

CORPUS = """
import pytest
from darnel.adapters.memory import MemoryCorpus
from darnel.core.corpus import Record, Reply, Target

FACTS = {"a": "The key hangs by the door.", "b": "The company pays for lunch.", "c": "Ferries leave at noon."}
corpus = MemoryCorpus([Record(i, text, {"source": i}) for i, text in FACTS.items()])

class Lying(MemoryCorpus):
    def remove(self, ids): pass

class Blind:
    "An application that returns nothing once something is planted."
    def retrieve(self, queries, k): return corpus.retrieve(queries, k) if len(corpus.records) == 3 else [Reply() for _ in queries]

class Wary:
    "An application that drops whatever carries the kit's key."
    def retrieve(self, queries, k):
        replies = corpus.retrieve(queries, k + 20)
        own = [[s for s in r.sources if "darnel" not in s.metadata] for r in replies]
        return [Reply(tuple(sources[:k])) for sources in own]
"""


@pytest.fixture
def run(pytester: pytest.Pytester) -> object:
    """Run a module of tests that starts with the corpus above."""
    registered = any(point.value == MODULE for point in entry_points(group="pytest11"))
    plugin = [] if registered else ["-p", MODULE]

    def run_tests(source: str, *args: str) -> pytest.RunResult:
        pytester.makepyfile(CORPUS + source)
        return pytester.runpytest_subprocess(*plugin, "-p", "no:cacheprovider", "-p", "no:xdist", *args)

    return run_tests


def test_plants_are_there_during_the_test_and_gone_after_it(run) -> None:
    result = run("""
def test_planted(corpus_campaign):
    planted = corpus_campaign(corpus)
    plants = planted.plant("where is the key")
    assert len(plants) == 1 and len(corpus.records) == 4
    assert planted.found_in(corpus.retrieve(["where is the key"], 3)[0].sources) == plants
    more = planted.plant(["who pays", "when do ferries leave"], ["echo:2", "keywords"], ["authority"])
    assert len({p.id for p in plants + more}) == 5
    planted.remove(plants)
    assert len(corpus.records) == 7

def test_gone():
    assert list(corpus.records) == ["a", "b", "c"]
""")
    result.assert_outcomes(passed=2)


def test_plants_are_gone_after_a_test_that_fails(run) -> None:
    result = run("""
def test_fails(corpus_campaign):
    corpus_campaign(corpus).plant("where is the key")
    raise KeyError("the user's own fault")

def test_gone():
    assert list(corpus.records) == ["a", "b", "c"]
""")
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["*the user's own fault*"])


def test_a_leftover_fails_the_test(run) -> None:
    result = run("""
def test_leaves(corpus_campaign):
    lying = Lying(corpus.records.values())
    corpus_campaign(lying, within=0.1).plant("where is the key")
""")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*left over in memory memory: *still readable after its removal*"])


def test_a_leftover_is_named_beside_the_tests_own_failure(run) -> None:
    result = run("""
def test_leaves(corpus_campaign):
    lying = Lying(corpus.records.values())
    corpus_campaign(lying, within=0.1).plant("where is the key")
    assert 1 == 2
""")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*assert 1 == 2*", "*left over in memory*"])


def test_what_does_not_become_visible_fails_the_test(run) -> None:
    result = run("""
class Deaf(MemoryCorpus):
    def inject(self, plants): pass

def test_deaf(corpus_campaign):
    corpus_campaign(Deaf(corpus.records.values()), within=0.1).plant("where is the key")
""")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*1 of 1 plants did not become visible: not read back*"])


def test_documents_of_other_kinds_are_recognised(run) -> None:
    result = run("""
class Document:
    def __init__(self, id, page_content, metadata): self.id, self.page_content, self.metadata = id, page_content, metadata

class NodeWithScore:
    def __init__(self, node): self.node = node

def test_kinds(corpus_campaign):
    planted = corpus_campaign(corpus)
    (plant,) = planted.plant("where is the key")
    for returned in (
        plant.text,
        {"id": plant.id},
        {"text": "rewritten", "metadata": dict(plant.metadata)},
        Document(None, plant.text, {}),
        NodeWithScore(Document("x", "rewritten", dict(plant.metadata))),
    ):
        assert planted.found_in(["nothing", returned]) == [plant]
    assert planted.found_in(["nothing", {"id": "a"}, Document("a", "text", None)]) == []
""")
    result.assert_outcomes(passed=1)


def test_an_exposed_target_fails_with_the_questions(run) -> None:
    result = run("""
def test_exposed(assert_not_exposed):
    assert_not_exposed(corpus, ["where is the key", "who pays for lunch"], k=2, patterns=["echo"])
""")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        ["*echo:? was exposed for 2 of 2 questions, and 0% is allowed:*", "*rank ? for 'who pays*"]
    )
    assert "control:1 was exposed" not in result.stdout.str()


def test_a_target_that_is_not_exposed_passes_with_its_results(run) -> None:
    result = run("""
def test_wary(assert_not_exposed):
    target = Target(corpus, Wary(), corpus, store_search=False)
    results = assert_not_exposed(target, ["where is the key", "who pays for lunch"], k=2, patterns=["echo"])
    assert {s.pattern.partition(":")[0] for s in results.scores} == {"control", "honest", "echo"}
    assert list(corpus.records) == ["a", "b", "c"]

def test_allowed(assert_not_exposed):
    assert_not_exposed(corpus, ["where is the key"], k=2, patterns=["echo"], at_most=1.0)
""")
    result.assert_outcomes(passed=2)


def test_what_could_not_be_told_fails_with_the_reason(run) -> None:
    result = run("""
def test_blind(assert_not_exposed):
    target = Target(corpus, Blind(), corpus, store_search=False)
    assert_not_exposed(target, ["where is the key"], k=2, patterns=["echo"], at_most=1.0)
""")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        ["*echo:? was inconclusive for 1 of 1 questions:*", "*q1: nothing was returned at all*"]
    )


def test_the_plugin_is_light(tmp_path: Path) -> None:
    """Every pytest run of the environment imports it."""
    heavy = ["numpy", "hypothesis", "chromadb", "msgspec", "darnel.core", "darnel.testing.suite"]
    code = f"import sys, {MODULE}; print([m for m in {heavy} if m in sys.modules])"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=tmp_path)
    assert found.stdout.strip() == "[]"


def test_the_plugin_is_registered() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["entry-points"]["pytest11"] == {"darnel": MODULE}
    assert {r.split(">")[0] for r in project["optional-dependencies"]["testing"]} == {"pytest", "hypothesis"}


TENANTS = """
held = MemoryCorpus([Record(f"{i}-{t}", text, {"tenant": t}) for i, text in FACTS.items() for t in ("acme", "globex")])

def search(question, only=None):
    scoped = MemoryCorpus([r for r in held.records.values() if only in (None, r.metadata["tenant"])])
    return scoped.retrieve([question], 5)[0].sources
"""


def test_tenants_that_are_isolated_pass_and_others_fail(run) -> None:
    result = run(
        TENANTS
        + """
def test_good(assert_tenants_isolated):
    results = assert_tenants_isolated(held, ["acme", "globex"], lambda q, tenant: list(search(q, tenant)), key="tenant")
    assert results.passed and len(held.records) == 6

def test_bad(assert_tenants_isolated):
    assert_tenants_isolated(held, ["acme", "globex"], lambda q, tenant: list(search(q)), key="tenant")

def test_texts_alone(assert_tenants_isolated):
    assert_tenants_isolated(held, ["acme", "globex"], lambda q, tenant: [s.text for s in search(q, tenant)], key="tenant")
"""
    )
    result.assert_outcomes(passed=1, failed=2)
    result.stdout.fnmatch_lines(["*Not isolated: *", "*a document of globex is in source*", "*Could not tell: *"])
