"""Plants look like the application's own nodes, to the embedder, to the model and to its filters."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("llama_index.core", reason="LlamaIndex is not installed")

from llama_index.core.schema import MetadataMode, TextNode
from llama_index.core.vector_stores.utils import node_to_metadata_dict

from darnel.adapters.llamaindex.nodes import NodeStyle, StoredNode, common_style, plant_node, read_flat, read_node
from darnel.core.plant import KIT_KEY, STAMP_KEY, make_marker, make_plant

MARKER = make_marker(1, "nodes")
words = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=20)
scalars = st.one_of(
    words, st.integers(-(2**53), 2**53), st.floats(allow_nan=False, allow_infinity=False), st.booleans()
)
metadata = st.dictionaries(words.filter(bool), st.one_of(scalars, st.none(), st.lists(words, max_size=3)), max_size=5)


def a_plant(text: str, given_metadata: dict[str, Any]) -> Any:
    return make_plant(
        identity="here",
        campaign="c1",
        pattern="echo",
        strength=1,
        query_id="q",
        copy=0,
        marker=MARKER,
        text=f"{text} {MARKER}",
        metadata=given_metadata,
    )


@settings(max_examples=60, deadline=None)
@given(words, metadata)
def test_any_plant_survives_the_way_through_a_payload(text: str, given_metadata: dict[str, Any]) -> None:
    plant = a_plant(text, given_metadata)
    flat = json.loads(json.dumps(node_to_metadata_dict(plant_node(plant, NodeStyle()))))
    back = read_flat(plant.id, flat)
    assert (back.text, dict(back.metadata)) == (plant.text, dict(plant.metadata))
    apart = read_flat(plant.id, flat | {"_node_content": flat["_node_content"].replace(MARKER, "")}, text=plant.text)
    assert apart.text == plant.text


@settings(max_examples=60, deadline=None)
@given(words, metadata)
def test_the_kits_keys_reach_neither_embedder_nor_model(text: str, given_metadata: dict[str, Any]) -> None:
    plant = a_plant(text, given_metadata)
    ours = {k: v for k, v in plant.metadata.items() if k not in (KIT_KEY, STAMP_KEY)}
    node, plain = plant_node(plant, NodeStyle()), TextNode(text=plant.text, metadata=ours)
    for mode in (MetadataMode.EMBED, MetadataMode.LLM):
        assert node.get_content(mode) == plain.get_content(mode)
    stored = read_node(node)
    assert stored.embedded_text() == node.get_content(MetadataMode.EMBED)


def test_a_style_is_read_the_same_from_a_node_and_from_a_payload() -> None:
    node = TextNode(
        text="t",
        metadata={"a": 1},
        excluded_embed_metadata_keys=["a"],
        excluded_llm_metadata_keys=["b"],
        metadata_template="{key}>{value}",
        metadata_separator="|",
        text_template="{metadata_str}#{content}",
    )
    style = read_node(node).style
    assert style == read_flat("x", node_to_metadata_dict(node)).style
    assert style == NodeStyle(("a",), ("b",), "{key}>{value}", "|", "{metadata_str}#{content}", ("a",))
    older = json.loads(node_to_metadata_dict(node)["_node_content"])
    older["metadata_seperator"] = older.pop("metadata_separator")
    assert read_flat("x", {"_node_content": json.dumps(older)}).style == style


def test_the_commonest_style_is_taken() -> None:
    styles = [
        NodeStyle(("a",), order=("x", "y")),
        NodeStyle(("b",), order=("x", "y")),
        NodeStyle(("b",), order=("x",)),
        NodeStyle(("b",), order=("y",)),
        None,
    ]
    nodes = [StoredNode(str(i), "t", {}, style=style) for i, style in enumerate(styles)]
    assert common_style(nodes) == NodeStyle(("b",), order=("x", "y"))
    assert common_style([]) == NodeStyle()


def test_a_value_edited_beside_the_node_shows() -> None:
    flat = node_to_metadata_dict(TextNode(text="t", metadata={"a": 1, "b": None, "doc_id": "mine"}))
    assert read_flat("x", {**flat, "b": ""}).metadata == {"a": 1, "b": None, "doc_id": "mine"}  # Chroma has no None
    assert read_flat("x", {**flat, "a": 2}).metadata["a"] == 2
    assert read_flat("x", {**flat, "new": 3}).metadata["new"] == 3
    assert "a" not in read_flat("x", {k: v for k, v in flat.items() if k != "a"}).metadata


@pytest.mark.parametrize("content", [None, "", "[]", "no json", 3])
def test_what_llamaindex_did_not_write_is_told_apart(content: Any) -> None:
    node = read_flat("x", {"_node_content": content, "k": 1} if content is not None else {"k": 1}, text="body")
    assert (node.style, node.text, node.metadata["k"]) == (None, "body", 1)


def test_the_planted_text_is_embedded_as_an_applications_node_would_be(app: Any, kit: Any) -> None:
    target = app.target()
    plants = kit.make_plants(target)
    target.retriever.embedder.dimension  # noqa: B018  # found by embedding one word
    app.model.texts.clear()
    target.injector.inject(plants)
    for plant in plants:
        m = plant.metadata
        # "path" is excluded by the application's own nodes, the kit's two keys by the kit
        lines = f"title = {m['title']}\ntenant = {m['tenant']}\nyear = {m['year']}"
        assert f"{lines}\n\n{plant.text}" in app.model.texts
    assert len(app.model.texts) == len(plants)
    found = {n.node.node_id: n.node for n in app.index.as_retriever(similarity_top_k=60).retrieve("keys")}
    for plant in plants:
        shown = found[plant.id].get_content(MetadataMode.LLM)
        assert shown == f"title = {plant.metadata['title']}\ntenant = {plant.metadata['tenant']}\n\n{plant.text}"


def test_the_shape_is_learned_from_the_applications_nodes(app: Any, kit: Any) -> None:
    target = app.target()
    target.injector.inject(kit.make_plants(target))
    shape = app.target().injector.describe().shape  # plants that are there do not count
    assert dict(shape.template, path="", title="") == {"path": "", "tenant": "acme", "title": "", "year": 2020}
    assert shape.unique == {"path", "title"}
    assert isinstance(shape.template["year"], int)


def test_plants_are_not_taken_for_the_applications_nodes(kit: Any) -> None:
    for kind in kit.KINDS:
        app = kit.make_app(kind, 4)
        target = app.target()
        before = target.injector.describe().shape
        many = kit.make_plants(target, 60, tenant="mars")
        target.injector.inject(many)
        later = app.target()
        assert later.injector.describe().shape == before, kind
        (plant,) = kit.make_plants(later, 1, campaign="c2")
        later.injector.inject([plant])
        found = {n.node.node_id: n.node for n in app.index.as_retriever(similarity_top_k=80).retrieve("keys")}
        assert found[plant.id].excluded_embed_metadata_keys == ["path", KIT_KEY, STAMP_KEY], kind


def test_the_applications_embedding_cache_is_not_filled(kit: Any, simple: Any) -> None:
    from llama_index.core.storage.kvstore import SimpleKVStore

    cache = SimpleKVStore()
    simple.index._embed_model = kit.embed_model(embeddings_cache=cache)
    target = simple.target()
    target.injector.inject(kit.make_plants(target))
    target.retriever.retrieve(["where are the keys"], 3)
    assert cache.to_dict() == {}
    simple.index._embed_model.get_text_embedding("the application's own")
    assert cache.to_dict()  # it is still the application's
