"""Faults of LlamaIndex that others met in public, each by its kind, on its own stores."""

from __future__ import annotations

import itertools
import json
import uuid
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("llama_index.core", reason="needs llama-index-core; run: pip install llama-index-core")

import darnel
from darnel.core.planting.campaign import Campaign
from darnel.core.planting.ledger import Ledger
from tests.adapters.llamaindex import conftest as kit

QUICK = {"visible_within": 0.5, "gone_within": 0.5}


@pytest.fixture(params=kit.KINDS)
def app(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr(kit, "_names", _names)  # ephemeral Chroma clients of a process share their collections
    return kit.make_app(request.param)


_names = itertools.count(10_000)


def test_the_same_nodes_written_and_removed_again_and_again(app: Any, ledger: Ledger) -> None:
    before, target = app.witness(), app.target()
    with Campaign(target.injector, ledger, **QUICK) as campaign:
        plants = kit.make_plants(target, campaign=campaign.id, text="zebra crossing {n}")
        for _ in range(6):
            assert len(campaign.plant(plants).visible) == 3
            found = app.index.as_retriever(similarity_top_k=12).retrieve("zebra crossing")
            assert {n.node.node_id for n in found} >= {p.id for p in plants}
            assert campaign.remove(plants).leftovers == ()
            assert app.witness() == before
    assert campaign.leftovers == []


def test_a_refresh_by_the_application_sees_the_documents_it_saw_before(ledger: Ledger) -> None:
    simple = kit.make_app("simple")
    documents = kit.documents(48)
    simple.index.refresh_ref_docs(documents)
    before, target = simple.witness(), simple.target()
    with Campaign(target.injector, ledger, **QUICK) as campaign:
        plants = kit.make_plants(target, campaign=campaign.id)
        campaign.plant(plants)
        assert not any(simple.index.refresh_ref_docs(documents))
        assert len(target.injector.read([p.id for p in plants])) == 3
    assert campaign.leftovers == []
    assert simple.witness() == before
    assert not any(simple.index.refresh_ref_docs(documents))
    assert set(simple.index.ref_doc_info) == {d.id_ for d in documents}


@pytest.mark.parametrize("kind", ["chroma", "qdrant"])
@pytest.mark.parametrize("strategy", ["UPSERTS", "UPSERTS_AND_DELETE", "DUPLICATES_ONLY"])
def test_an_ingestion_by_the_application_takes_no_plant_and_plants_cost_it_no_record(
    kind: str, strategy: str, ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    from llama_index.core.ingestion import DocstoreStrategy, IngestionPipeline
    from llama_index.core.schema import Document
    from llama_index.core.storage.docstore import SimpleDocumentStore

    monkeypatch.setattr(kit, "_names", _names)
    app = kit.make_app(kind)
    pipeline = IngestionPipeline(
        transformations=[app.model],
        vector_store=app.store,
        docstore=SimpleDocumentStore(),
        docstore_strategy=DocstoreStrategy[strategy],
    )
    own = [Document(id_=str(uuid.uuid4()), text=f"{d.text} Taken in.", metadata=d.metadata) for d in kit.documents(12)]
    pipeline.run(documents=own)
    before, target = app.witness(), app.target()
    with Campaign(target.injector, ledger, **QUICK) as campaign:
        plants = kit.make_plants(target, campaign=campaign.id)
        assert len(campaign.plant(plants).visible) == 3
        pipeline.run(documents=own)
        assert len(target.injector.read([p.id for p in plants])) == 3
    assert campaign.leftovers == []
    assert app.witness() == before


@pytest.mark.parametrize("kept", [0, 3])
def test_a_store_that_was_persisted_without_metadata_gives_up_its_plants(
    kept: int, tmp_path: Path, ledger: Ledger
) -> None:
    from llama_index.core import StorageContext, load_index_from_storage

    kit.make_app("simple").index.storage_context.persist(str(tmp_path / "kept"))
    file = tmp_path / "kept" / "default__vector_store.json"
    data = json.loads(file.read_text())
    data["metadata_dict"] = dict(list(data["metadata_dict"].items())[:kept])
    file.write_text(json.dumps({k: v for k, v in data.items() if v or k != "metadata_dict"}))
    context = StorageContext.from_defaults(persist_dir=str(tmp_path / "kept"))
    index: Any = load_index_from_storage(context, embed_model=kit.embed_model())
    app = kit.App("simple", index, index._embed_model, index.vector_store.to_dict)
    before = app.witness()
    results = darnel.run(index, kit.demo_queries(3), ["echo:3"], ledger=ledger)
    assert (results.exit_code, results.errors) == (0, [])
    assert results.cleanup.planted == results.cleanup.removed > 0
    assert app.witness() == before


def test_nodes_without_a_document_are_not_deleted_with_the_plants(app: Any, ledger: Ledger) -> None:
    """LlamaIndex files them all under one name, and deletes them all by it."""
    from llama_index.core.schema import TextNode

    orphans = [TextNode(id_=f"00000000-0000-4000-8000-{n:012}", text=f"orphan {n}") for n in range(2)]
    for node in orphans:
        node.metadata = {"title": "orphan", "tenant": "acme", "year": 2020, "path": "/srv/o.md"}
    app.index.insert_nodes(orphans)
    before, target = app.witness(), app.target()
    with Campaign(target.injector, ledger, **QUICK) as campaign:
        campaign.plant(kit.make_plants(target, campaign=campaign.id))
    assert campaign.leftovers == []
    assert app.witness() == before
