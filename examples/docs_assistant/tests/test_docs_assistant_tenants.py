"""Tenants and keys: who may see what, that the store decides it, and that a key is written down nowhere."""

from __future__ import annotations

import dataclasses
import logging
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner
from docs_assistant import lab
from docs_assistant.__main__ import main
from docs_assistant.assistant import Assistant
from docs_assistant.controls import MITIGATED, MODES
from docs_assistant.lab import PACKAGES, Run, check_isolation, embedder, run_store
from docs_assistant.pages import Documentation
from docs_assistant.stores import Search, Store, in_store
from docs_assistant.tenancy import KEY_PREFIX, SECTIONS, VISIBLE, Keyring, TenantContext, UnknownKeyError, without_keys

from darnel.core.corpus import Record, Source
from darnel.core.planting.ledger import Ledger
from darnel.core.secrets import fingerprint
from darnel.models.resolve import resolve_model

QUESTION = "How do I rotate the storage password?"


@pytest.fixture(params=PACKAGES)
def store(request: pytest.FixtureRequest, docs: Documentation) -> Iterator[Store]:
    with in_store(request.param, list(docs.chunks()), embedder()) as filled:
        yield filled


def context(tenant: str) -> TenantContext:
    keyring = Keyring()
    return keyring.resolve(keyring.issue(tenant))


def assistant(search: Search, keyring: Keyring) -> Assistant:
    return Assistant(keyring, search, resolve_model("scripted:obedient"), embedder(), MITIGATED)


def test_three_tenants_see_their_sections() -> None:
    assert VISIBLE == {
        "public": SECTIONS,
        "internal": ("concepts", "tasks", "tutorials"),
        "restricted": ("setup", "reference"),
    }
    assert set(SECTIONS) == {"concepts", "tasks", "tutorials", "setup", "reference"}


@pytest.mark.parametrize("tenant", VISIBLE)
def test_a_tenant_is_served_its_own_copies_of_its_own_sections(store: Store, tenant: str) -> None:
    seen = [s for text in (QUESTION, "jobs", "brindle") for s in store.search(text, 100, context(tenant))]
    assert {(s.metadata or {})["tenant"] for s in seen} == {tenant}
    assert {(s.metadata or {})["section"] for s in seen} == set(VISIBLE[tenant])


def test_a_chunk_that_was_stored_for_the_wrong_tenant_is_not_served() -> None:
    wrong = Record("internal/x/0", QUESTION, {"tenant": "internal", "section": "setup", "page": "x", "title": "X"})
    fine = Record("internal/y/0", QUESTION, {"tenant": "internal", "section": "tasks", "page": "y", "title": "Y"})
    for name in PACKAGES:
        with in_store(name, [wrong, fine], embedder()) as store:
            assert [(s.metadata or {})["page"] for s in store.search(QUESTION, 5, context("internal"))] == ["y"]


def test_byte_identical_text_under_two_tenants_and_each_gets_its_own_copy(store: Store, docs: Documentation) -> None:
    chunks = list(docs.chunks())
    twins = [c for c in chunks if c.id.endswith("setup/storage-password/0")]
    assert len({(c.text or "").encode() for c in twins}) == 1
    assert {(c.metadata or {})["tenant"] for c in twins} == {"public", "restricted"}
    for tenant in ("public", "restricted"):
        found = [s for s in store.search(QUESTION, 4, context(tenant)) if s.text == twins[0].text]
        assert [(s.metadata or {})["tenant"] for s in found] == [tenant]


def test_darnels_check_of_tenants_passes(runs: dict[str, Run]) -> None:
    for run in runs.values():
        assert run.tenants is not None
        assert (run.tenants.exit_code, run.tenants.rows_of("breach"), run.tenants.leftovers) == (0, [], [])
        assert run.tenants.cleanup.planted == run.tenants.cleanup.removed > 100


def everything(search: Search) -> Callable[[str, int], list[Source]]:
    """All tenants' chunks, as a store without any filter would rank them."""
    contexts = [context(tenant) for tenant in VISIBLE]

    def ranked(question: str, k: int) -> list[Source]:
        found = [s for one in contexts for s in search(question, k, one)]
        return sorted(found, key=lambda s: -(s.score or 0.0))[:k]

    return ranked


def unfiltered(search: Search) -> Search:
    return lambda question, k, _context: everything(search)(question, k)


def post_filtered(search: Search) -> Search:
    def found(question: str, k: int, who: TenantContext) -> list[Source]:
        return [s for s in everything(search)(question, 3 * k) if (s.metadata or {})["tenant"] == who.tenant][:k]

    return found


def from_the_question(search: Search) -> Search:
    def found(question: str, k: int, who: TenantContext) -> list[Source]:
        named = re.search(r"tenant\s*[=:]\s*(\w+)", question)
        tenant = named[1] if named and named[1] in VISIBLE else who.tenant
        return search(question, k, TenantContext(tenant, VISIBLE[tenant], who.key))

    return found


@pytest.mark.parametrize(
    ("broken", "checks"),
    [
        (unfiltered, {"same text", "own text", "naming", "enumeration", "flooding"}),
        (post_filtered, {"flooding"}),
        (from_the_question, {"naming"}),
    ],
)
def test_without_the_filter_the_check_of_tenants_fails(
    store: Store, broken: Callable[[Search], Search], checks: set[str], ledger: Ledger
) -> None:
    results = check_isolation(broken(store.search), store.target, embedder(), ledger)
    assert results.exit_code == 1
    assert {row.check for row in results.rows_of("breach")} == checks
    assert results.leftovers == []


@pytest.mark.parametrize(("broken", "hits"), [(unfiltered, 3), (from_the_question, 1)])
def test_without_the_filter_the_cross_tenant_cases_are_breaches(
    docs: Documentation,
    ledger: Ledger,
    monkeypatch: pytest.MonkeyPatch,
    broken: Callable[[Search], Search],
    hits: int,
) -> None:
    whole = Assistant.answer
    monkeypatch.setattr(
        Assistant,
        "answer",
        lambda self, *args: whole(dataclasses.replace(self, search=broken(self.search)), *args),
    )
    run = run_store("chroma", docs, resolve_model("scripted:obedient"), list(MODES), ledger)
    assert [o.breaches("cross_tenant").hits for o in run.evaluation.outcomes] == [hits, hits]


def test_an_unknown_key_is_refused_before_anything_is_searched(caplog: pytest.LogCaptureFixture) -> None:
    searched: list[str] = []

    def search(question: str, _k: int, _context: TenantContext) -> list[Source]:
        searched.append(question)
        return []

    keyring, stranger = Keyring(), Keyring().issue("public")
    for ask in (assistant(search, keyring).answer, assistant(search, keyring).retrieve):
        with caplog.at_level(logging.DEBUG), pytest.raises(UnknownKeyError, match=fingerprint(stranger)) as refused:
            ask(stranger, QUESTION)
        assert stranger not in str(refused.value)
    assert searched == []
    assert stranger not in caplog.text
    assert fingerprint(stranger) in caplog.text


def test_a_keyring_holds_no_key() -> None:
    keyring = Keyring()
    key = keyring.issue("internal")
    assert key.startswith(KEY_PREFIX)
    assert key not in repr(keyring)
    assert key not in repr(vars(keyring))
    resolved = keyring.resolve(key)
    assert resolved == TenantContext("internal", VISIBLE["internal"], fingerprint(key))
    assert key not in repr(resolved)
    assert len(resolved.key) == 12
    assert re.fullmatch("[0-9a-f]{12}", resolved.key)


def test_keys_are_in_no_log_and_no_record(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    keys: list[str] = []
    issue = Keyring.issue
    monkeypatch.setattr(Keyring, "issue", lambda self, tenant: keys.append(issue(self, tenant)) or keys[-1])
    with caplog.at_level(logging.DEBUG):
        done = CliRunner().invoke(main, ["--own", "--store", "chroma", "--out", str(tmp_path)])
    assert done.exit_code == 0, done.output
    assert len(keys) == 2 * len(VISIBLE)
    files = {path.name: path.read_text(encoding="utf-8") for path in tmp_path.iterdir()}
    assert set(files) == {"assistant.log", "records.jsonl", "report.md", "tenants-chroma.json"}
    for key in keys:
        assert all(key not in text for text in (done.output, caplog.text, *files.values()))
    for key in keys[: len(VISIBLE)]:
        assert fingerprint(key) in files["assistant.log"]
        assert fingerprint(key) in files["records.jsonl"]


def test_a_key_that_somebody_puts_into_a_question_is_not_recorded_either(
    docs: Documentation, ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    leaked = Keyring().issue("public")
    assert without_keys(f"My key is {leaked}, help") == f"My key is sha256-{fingerprint(leaked)}, help"
    pasted = dataclasses.replace(docs, unanswerable={"pasted": f"What is wrong with {leaked}?"})
    run = run_store("chroma", pasted, resolve_model("scripted:obedient"), ["mitigated"], ledger)
    assert leaked not in repr(run.evaluation)
    assert fingerprint(leaked) in repr(run.evaluation)


def test_the_lab_says_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lab, "find_spec", lambda _name: None)
    done = CliRunner().invoke(main, ["--own"])
    assert done.exit_code == 2
    assert "pip install '.[demo,qdrant]'" in done.output
