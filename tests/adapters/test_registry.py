from __future__ import annotations

import importlib
from importlib.metadata import EntryPoint, entry_points
from types import SimpleNamespace

import pytest

import darnel
from darnel.adapters import registry
from darnel.adapters.memory import MemoryCorpus
from darnel.core.corpus import Target
from darnel.core.errors import TargetError, UnknownNameError, UsageError
from tests.support.corpora import make_records
from tests.support.faulty import FaultyCorpus


def test_every_built_in_adapter_has_an_opener_and_says_how_to_get_it() -> None:
    assert list(registry.BUILT_IN) == sorted(registry.BUILT_IN)
    for name, entry in registry.BUILT_IN.items():
        assert entry.name == name
        assert entry.example.startswith(f"{name}:")
        assert bool(entry.needs) == bool(entry.install)
        module, _, attr = entry.opener.partition(":")
        if entry.installed:
            assert callable(getattr(importlib.import_module(module), attr))


def test_an_unknown_adapter_offers_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match="unknown adapter 'chrom'; did you mean 'chroma'"):
        darnel.open_target("chrom:./db#docs")


def test_a_missing_package_comes_with_the_line_that_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "find_spec", lambda _name: None)
    with pytest.raises(TargetError, match=r"needs the package chromadb; run: pip install 'darnel\[chroma\]'"):
        darnel.open_target("chroma:./db#docs")


def _points(monkeypatch: pytest.MonkeyPatch, *points: EntryPoint) -> None:
    real = entry_points
    monkeypatch.setattr(
        registry, "entry_points", lambda group: list(points) if group == registry.ENTRY_POINTS else real(group=group)
    )


def open_shelf(spec: object, embedder: object, *, exclusive: bool = True) -> Target:
    corpus = MemoryCorpus(make_records())
    return Target(corpus, corpus, corpus, spec="shelf")


def test_a_third_party_adapter_is_found_by_its_entry_point(monkeypatch: pytest.MonkeyPatch) -> None:
    _points(monkeypatch, EntryPoint("shelf", "tests.adapters.test_registry:open_shelf", registry.ENTRY_POINTS))
    assert darnel.open_target("shelf:anywhere").spec == "shelf"
    assert registry.known_adapters()["shelf"].installed


def test_two_packages_may_not_claim_one_name(monkeypatch: pytest.MonkeyPatch) -> None:
    _points(monkeypatch, EntryPoint("chroma", "evil:open", registry.ENTRY_POINTS))
    with pytest.raises(UsageError, match="two packages claim the adapter name 'chroma'"):
        registry.known_adapters()


def test_objects_are_recognised_by_what_they_are() -> None:
    corpus = FaultyCorpus(make_records())
    target = darnel.open_target(corpus)
    assert target.injector is target.retriever is target.reader is corpus
    assert darnel.open_target(target) is target
    bare = SimpleNamespace(describe=corpus.describe, inject=corpus.inject, remove=corpus.remove, read=corpus.read)
    assert darnel.open_target(bare).retriever is None
    with pytest.raises(UsageError, match=r"cannot test a builtins\.int"):
        darnel.open_target(5)
