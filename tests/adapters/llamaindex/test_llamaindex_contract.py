"""The promises of ``CorpusInjector``, each over each store, read by the store's own client."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from darnel.adapters.llamaindex.nodes import source_id
from darnel.core.errors import CollisionError, EmbedderError, EmptyCorpusError, PlantError
from darnel.core.plant import KIT_KEY, STAMP_KEY, content_digest
from darnel.core.planting.campaign import Campaign
from darnel.core.planting.waiting import shows


def add_foreign(app: Any, node_id: str, **fields: Any) -> None:
    """A node of the owner's, written by LlamaIndex itself."""
    from llama_index.core.schema import TextNode

    app.index.insert_nodes([TextNode(id_=node_id, text="the owner's own words", **fields)])


def test_what_is_injected_is_read_back_whole(app: Any, kit: Any) -> None:
    target = app.target()
    plants = kit.make_plants(target, title=None)
    target.injector.inject(plants)
    found = target.injector.read([p.id for p in plants])
    assert all(shows(found, p) for p in plants)
    for plant in plants:
        assert found[plant.id].metadata == plant.metadata
        assert content_digest(found[plant.id].text, found[plant.id].metadata) == plant.digest
    assert target.injector.read(["5f0c6a8e-0000-5c1e-8d43-000000000000"]) == {}


def test_injecting_twice_is_once(app: Any, kit: Any) -> None:
    target = app.target()
    plants = kit.make_plants(target)
    target.injector.inject(plants)
    once = app.witness()
    target.injector.inject(plants)
    assert app.witness() == once


def test_injecting_again_leaves_exactly_the_new_text_and_metadata(app: Any, kit: Any) -> None:
    target = app.target()
    target.injector.inject(kit.make_plants(target, text="old {n}", extra="stale", other=3))
    new = kit.make_plants(target, text="new {n}", extra="fresh")
    target.injector.inject(new)
    found = target.injector.read([p.id for p in new])
    assert [found[p.id].text for p in new] == [p.text for p in new]
    assert [found[p.id].metadata for p in new] == [p.metadata for p in new]
    fresh = kit.make_app(app.kind)
    other = fresh.target()
    other.injector.inject(kit.make_plants(other, text="new {n}", extra="fresh"))
    assert len(app.witness()) == len(fresh.witness())  # nothing of the old is kept anywhere: ids aside, the same state


def test_removal_restores_everything(app: Any, kit: Any) -> None:
    before = app.witness()
    target = app.target()
    plants = kit.make_plants(target, 5)
    target.injector.inject(plants)
    assert app.witness() != before
    target.injector.inject(kit.make_plants(target, 3, text="changed {n}"))
    target.injector.remove([plants[0].id])
    target.injector.remove([p.id for p in plants])
    assert app.witness() == before
    target.injector.remove([p.id for p in plants])
    target.injector.remove(["5f0c6a8e-0000-5c1e-8d43-000000000000"])
    target.injector.remove([])
    assert app.witness() == before


def test_no_record_of_the_owner_is_deleted(app: Any, kit: Any) -> None:
    add_foreign(app, "11111111-1111-4111-8111-111111111111")  # a node without a source document
    before = app.witness()
    target = app.target()
    target.injector.remove(target.reader.ids())
    assert app.witness() == before
    plants = kit.make_plants(target)
    target.injector.inject(plants)
    target.injector.remove([*target.reader.ids()])
    assert app.witness() == before


def test_an_owners_record_under_a_planned_id_stops_the_inject(app: Any, kit: Any) -> None:
    target = app.target()
    plants = kit.make_plants(target)
    add_foreign(app, plants[1].id)
    before = app.witness()
    with pytest.raises(CollisionError, match="the owner's"):
        target.injector.inject(plants)
    assert app.witness() == before


def test_another_campaigns_plant_stops_the_inject(app: Any, kit: Any) -> None:
    target = app.target()
    plants = kit.make_plants(target)
    target.injector.inject(plants)
    before = app.witness()
    stranger = replace(kit.make_plants(target, campaign="c2")[0], id=plants[0].id)
    with pytest.raises(CollisionError, match="campaign c1"):
        target.injector.inject([stranger])
    assert app.witness() == before


def test_an_entry_of_the_owners_in_the_docstore_alone_stops_the_inject(simple: Any, kit: Any) -> None:
    from llama_index.core.schema import TextNode

    target = simple.target()
    plants = kit.make_plants(target)
    simple.index.docstore.add_documents([TextNode(id_=plants[0].id, text="filed here")])
    before = simple.witness()
    with pytest.raises(CollisionError):
        target.injector.inject(plants)
    assert simple.witness() == before


def test_a_document_of_the_owners_under_a_source_id_stops_the_inject(simple: Any, kit: Any) -> None:
    from llama_index.core.schema import NodeRelationship, RelatedNodeInfo

    target = simple.target()
    plants = kit.make_plants(target)
    source = {NodeRelationship.SOURCE: RelatedNodeInfo(node_id=source_id(plants[0].id))}
    add_foreign(simple, "a-node-of-the-owner", relationships=source)
    before = simple.witness()
    with pytest.raises(CollisionError, match="document"):
        target.injector.inject(plants)
    assert simple.witness() == before


def test_every_plant_comes_from_a_document_of_its_own(app: Any, kit: Any) -> None:
    target = app.target()
    plants = kit.make_plants(target)
    target.injector.inject(plants)
    nodes = {n.node.node_id: n.node for n in app.index.as_retriever(similarity_top_k=60).retrieve("keys")}
    sources = {nodes[p.id].ref_doc_id for p in plants}
    assert len(sources) == len(plants)
    assert not sources & {None, "None", *(nodes[i].ref_doc_id for i in nodes.keys() - {p.id for p in plants})}
    # so that the application's deletion of "the documents without a source" takes none of them, and ours none of its
    app.store.delete("None")
    assert target.injector.read([p.id for p in plants]).keys() == {p.id for p in plants}


def test_an_empty_list_reaches_no_store(app: Any, kit: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[Any] = []
    for kind in type(app.store).__mro__:
        for name in ("delete_nodes", "delete", "clear", "add"):
            if name in vars(kind):
                monkeypatch.setattr(kind, name, lambda *a, **k: calls.append((a, k)))
    if app.client is not None:
        monkeypatch.setattr(type(app.client), "delete", lambda *a, **k: calls.append((a, k)))
    target = app.target()
    target.injector.inject([])
    target.injector.remove([])
    target.injector.remove(target.reader.ids()[:3])
    assert calls == []


def test_absent_ids_are_sent_since_their_write_may_lie_queued(app: Any, kit: Any, monkeypatch: Any) -> None:
    target, sent = app.target(), []
    monkeypatch.setattr(target.injector.store, "delete", sent.extend)
    absent = "5f0c6a8e-0000-5c1e-8d43-000000000000"
    target.injector.remove([absent, target.reader.ids()[0], absent])
    assert sent == [absent]


def test_deletion_names_ids_only(app: Any, kit: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    target = app.target()
    plants = kit.make_plants(target)
    target.injector.inject(plants)
    for kind in type(app.store).__mro__:
        for name in ("delete", "clear", "persist"):
            if name in vars(kind):
                monkeypatch.setattr(kind, name, lambda *a, **k: pytest.fail("the store was told more than ids"))
    for name in ("delete_nodes", "delete_ref_doc", "refresh_ref_docs"):
        monkeypatch.setattr(type(app.index), name, lambda *a, **k: pytest.fail("the index was told to delete"))
    target.injector.remove([p.id for p in plants])
    assert target.reader.plants() == []


@pytest.mark.parametrize("fails_at", [1, 2, 3])
def test_a_write_that_fails_halfway_leaves_nothing_unrecognised(
    app: Any, kit: Any, ledger: Any, monkeypatch: pytest.MonkeyPatch, fails_at: int
) -> None:
    before = app.witness()
    target = app.target()
    docstore = type(app.index.docstore)
    add, calls = docstore.add_documents, []

    def failing(self: Any, *args: Any, **options: Any) -> None:
        calls.append(args)
        if len(calls) == fails_at:
            raise OSError("disk full")
        add(self, *args, **options)

    monkeypatch.setattr(docstore, "add_documents", failing)
    with Campaign(target.injector, ledger, visible_within=0.1) as campaign:
        planting = campaign.plant(kit.make_plants(target, campaign=campaign.id))
        if calls:
            assert "disk full" in str(planting.error)
    assert campaign.leftovers == []
    assert app.witness() == before


def test_a_docstore_entry_whose_vector_is_gone_still_counts_as_there(simple: Any, kit: Any, ledger: Any) -> None:
    before = simple.witness()
    target = simple.target()
    plants = kit.make_plants(target)
    target.injector.inject(plants)
    simple.store.delete_nodes([plants[0].id])  # as a half-done removal would leave it
    assert target.injector.read([plants[0].id])[plants[0].id].text == plants[0].text
    assert {r.id for r in target.reader.plants()} == {p.id for p in plants}
    target.injector.remove([p.id for p in plants])
    assert simple.witness() == before


def test_a_docstore_of_nodes_without_sources_is_left_as_it_was(kit: Any) -> None:
    from llama_index.core import VectorStoreIndex
    from llama_index.core.schema import TextNode

    model = kit.embed_model()
    index = VectorStoreIndex([TextNode(text="a"), TextNode(text="b")], embed_model=model)
    app = kit.App("simple", index, model, index.vector_store.to_dict)
    before = app.witness()
    assert "ref_doc_info" not in before  # LlamaIndex makes a table only where there is a source
    target = app.target()
    assert target.reader.plants() == []
    assert app.witness() == before
    plants = kit.make_plants(target)
    target.injector.inject(plants)
    target.injector.remove([p.id for p in plants])
    assert app.witness() == before


def test_an_edited_plant_is_left_alone_and_named(app: Any, kit: Any, ledger: Any) -> None:
    target = app.target()
    with Campaign(target.injector, ledger, visible_within=1, gone_within=0.2) as campaign:
        plants = kit.make_plants(target, campaign=campaign.id)
        campaign.plant(plants)
        edit_metadata(app, plants[1].id)
    assert [(left.id, left.state) for left in campaign.leftovers] == [(plants[1].id, "changed")]
    assert target.injector.read([p.id for p in plants]).keys() == {plants[1].id}


def edit_metadata(app: Any, node_id: str) -> None:
    """Change one metadata value through the store's own client, past LlamaIndex."""
    if app.kind.startswith("simple"):
        app.store.data.metadata_dict[node_id]["title"] = "edited"
    elif app.kind.startswith("chroma"):
        app.client.update(ids=[node_id], metadatas=[{"title": "edited"}])
    else:
        app.client.set_payload("docs", {"title": "edited"}, points=[node_id])


def test_scan_and_ids_show_every_node(app: Any, kit: Any) -> None:
    target = app.target()
    plants = kit.make_plants(target)
    target.injector.inject(plants)
    ids = list(target.reader.ids())
    scanned = {r.id: r for batch in target.reader.scan(7) for r in batch}
    assert len(ids) == 48 + 3 == target.injector.describe().size
    assert scanned.keys() == set(ids)
    read = target.injector.read_vectors(ids)
    for id_, record in scanned.items():
        assert (record.text, record.metadata) == (read[id_].text, read[id_].metadata)
        assert list(record.vector) == list(read[id_].vector)
    assert {r.id for r in target.reader.plants()} == {p.id for p in plants}


def test_ids_differ_between_containers(kit: Any) -> None:
    one, other = kit.make_app("qdrant"), kit.make_app("qdrant")
    assert one.target().injector.describe().identity != other.target().injector.describe().identity
    assert kit.make_plants(one.target())[0].id != kit.make_plants(other.target())[0].id


def test_a_wrong_vector_is_refused_before_any_write(app: Any, kit: Any) -> None:
    target = app.target()
    plants = kit.make_plants(target)
    before = app.witness()
    for vector in ([1.0, 2.0], [float("nan")] * kit.DIMENSION):
        with pytest.raises(EmbedderError, match=plants[2].name):
            target.injector.inject([*plants[:2], replace(plants[2], vector=vector)])
    with pytest.raises(EmbedderError, match="dimensions"):
        app.target(embedder=kit.embed_model(dimension=7)).injector.inject(plants)
    assert app.witness() == before


def test_a_given_vector_is_written_as_it_is(app: Any, kit: Any) -> None:
    target = app.target()
    vector = kit.word_vector("quite another text")
    plant = replace(kit.make_plants(target)[0], vector=vector)
    target.injector.inject([plant])
    assert list(target.injector.read_vectors([plant.id])[plant.id].vector) == pytest.approx(vector, abs=1e-6)


def test_metadata_that_llamaindex_does_not_write_to_chroma_is_refused_before_any_write(kit: Any) -> None:
    app = kit.make_app("chroma")
    target = app.target()
    target.injector.inject(kit.make_plants(target))
    before = app.witness()
    with pytest.raises(PlantError, match="'tags' is a list"):
        target.injector.inject(kit.make_plants(target, text="new {n}", tags=["a", "b"]))
    assert app.witness() == before


def test_lists_are_kept_where_the_store_can(kit: Any) -> None:
    for kind in ("simple", "qdrant"):
        target = kit.make_app(kind).target()
        plants = kit.make_plants(target, tags=["a", "b"])
        target.injector.inject(plants)
        assert target.injector.read([plants[0].id])[plants[0].id].metadata["tags"] == ["a", "b"]


def test_an_empty_index_is_not_planted_into(kit: Any) -> None:
    app = kit.make_app("chroma", filled=False)
    before = app.witness()
    target = app.target()
    with pytest.raises(EmptyCorpusError, match="no node of its own"):
        target.injector.inject(kit.make_plants(target))
    assert app.witness() == before


def test_the_kits_marks_are_where_the_stores_filter_looks(text_app: Any, kit: Any) -> None:
    target = text_app.target()
    plant = kit.make_plants(target)[0]
    target.injector.inject([plant])
    stored = json.loads(text_app.witness())[0][0]
    mine = next(row for row in stored if row[0] == plant.id)
    payload = mine[2] if text_app.kind.startswith("chroma") else mine[1]
    assert payload[KIT_KEY] == "plant"
    assert payload[STAMP_KEY] == plant.metadata[STAMP_KEY]
