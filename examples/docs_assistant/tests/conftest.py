"""The lab on each store, once a session; and FastAPI's pages, where they are at hand."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from docs_assistant.controls import MODES
from docs_assistant.lab import PACKAGES, Run, run_store
from docs_assistant.pages import Documentation, find_pages, read_documentation

from darnel.core.planting.ledger import Ledger
from darnel.models.base import ChatModel
from darnel.models.resolve import resolve_model

for package in ("wordllama", *PACKAGES.values()):
    pytest.importorskip(package, reason=f"{package} is not installed")


@pytest.fixture(scope="session")
def docs() -> Documentation:
    """The lab's own documentation."""
    return read_documentation(None)


@pytest.fixture(scope="session")
def fastapi() -> Documentation:
    """FastAPI's."""
    if (pages := find_pages()) is None:
        pytest.skip("FastAPI's pages are not here: put them in ../shared/data beside the checkout, or set $DARNEL_DATA")
    return read_documentation(pages)


@pytest.fixture(scope="session")
def ledger(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ledger]:
    with Ledger(tmp_path_factory.mktemp("docs-assistant") / "ledger.db") as opened:
        yield opened


@pytest.fixture(scope="session")
def runs(docs: Documentation, ledger: Ledger) -> dict[str, Run]:
    """Everything, on both stores."""
    model = resolve_model("scripted:obedient")
    return {name: run_store(name, docs, model, list(MODES), ledger, ablate=True) for name in PACKAGES}


@pytest.fixture
def run_with(docs: Documentation, ledger: Ledger) -> Callable[..., Run]:
    """The lab on Chroma with another model, or other modes."""

    def run(model: str | ChatModel, modes: list[str] | None = None, timeout: float = 20.0) -> Run:
        return run_store("chroma", docs, resolve_model(model), modes or list(MODES), ledger, timeout=timeout)

    return run
