"""Which layout a collection has, what is refused, and that nothing of a payload is lost on the way."""

from __future__ import annotations

import json
import uuid
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from qdrant_client import QdrantClient, models

import darnel
from darnel.adapters.qdrant import qdrant_target
from darnel.adapters.qdrant.detect import KNOWN, layout_of, read_payload
from darnel.adapters.qdrant.layouts import KeyedLayout
from darnel.adapters.qdrant.nodes import NodeLayout
from darnel.core.errors import DarnelError, TargetError, UnknownNameError, UsageError
from darnel.core.plant import content_digest, make_marker, make_plant, read_stamp
from tests.adapters.qdrant import support

values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)
keys = st.sampled_from(
    ["a", "tenant", "text", "doc_id", "id", "meta", "metadata", "page_content", "content", "_node_type"]
)
payloads = st.dictionaries(keys | st.text(max_size=5), values, max_size=6)
LAYOUTS = {
    **KNOWN,
    "flat": KeyedLayout("custom", "body"),
    "nested": KeyedLayout("custom", "body", "my info"),
}


def checks_of(client: Any, **options: Any) -> dict[str, Any]:
    return {c.name: c for c in qdrant_target(client, "docs", support.embedder(), **options).checks()}


@pytest.mark.parametrize("name", list(LAYOUTS))
@given(metadata=payloads, text=st.text(min_size=1, max_size=30).filter(str.strip))
def test_a_plant_reads_back_as_it_was_in_any_layout_and_with_any_options(name: str, metadata: Any, text: str) -> None:
    layout = LAYOUTS[name]
    marker = make_marker(0, "x")
    clean = {
        k: v for k, v in metadata.items() if not k.startswith("../") and k not in ("body", "darnel", "darnel_plant")
    }
    plant = make_plant(
        identity="i", campaign="c-1", pattern="p", strength=1, query_id="q", copy=0, marker=marker,
        text=f"{text.replace(chr(0), ' ')} {marker}", metadata=clean,
    )  # fmt: skip
    payload = json.loads(json.dumps(layout.compose(plant.id, plant.text, plant.metadata)))
    assert layout.fits(payload)
    for options in (layout, None):  # None: another process, which was told nothing
        found, read = read_payload(payload, options)
        assert found == plant.text
        stamp = read_stamp(read)
        assert stamp is not None
        assert content_digest(found, read).startswith(stamp.digest)
    assert layout.embedded(payload) is not None


@given(payload=payloads, node=st.booleans())
def test_two_payloads_that_differ_read_differently(payload: Any, node: bool) -> None:
    """Nothing is lost to a digest, whatever a payload looks like."""
    if node:
        payload = {**payload, "_node_content": json.dumps({"text": "t", "metadata": dict(list(payload.items())[:2])})}
    original = read_payload(payload)
    for key in payload:
        changed = {**payload, key: "changed"}
        if changed[key] != payload[key]:
            assert read_payload(changed) != original
        if payload[key] is not None:
            assert read_payload({k: v for k, v in payload.items() if k != key}) != original or payload[key] == {}


@pytest.mark.parametrize("shape", ["langchain", "llamaindex", "haystack"])
def test_known_shapes_are_detected(shape: str) -> None:
    client = support.memory(support.SHAPES[shape][0])
    check = checks_of(client)["payload shape"]
    assert check.ok is True
    assert check.detail == f"{shape}, in all 32 sampled points"


def test_an_unknown_shape_is_refused_with_what_was_seen_and_how_to_say_it() -> None:
    client = support.memory(support.flat)
    before = support.witness(client)
    with pytest.raises(TargetError) as caught:
        darnel.run((client, "docs"), support.QUESTIONS, ["echo:1"], embedder=support.hashed)
    assert "body (str)" in str(caught.value)
    assert "tags (list)" in str(caught.value)
    assert "?text=KEY" in str(caught.value)
    corpus = qdrant_target(client, "docs", support.embedder()).injector
    plants = support.make_plants(qdrant_target(client, "docs", support.embedder(), text="body").injector)
    with pytest.raises(TargetError, match="payload shape"):
        corpus.inject(plants)
    assert support.witness(client) == before


def test_mixed_shapes_are_refused_until_one_is_named() -> None:
    client = support.memory(support.langchain)
    more = [
        models.PointStruct(
            id=str(uuid.uuid5(uuid.NAMESPACE_DNS, str(i))), vector=support.embed(t), payload=support.haystack(i, k, t)
        )
        for i, (k, t) in enumerate(support.texts(20))
    ]
    client.upsert("docs", more)
    check = checks_of(client)["payload shape"]
    assert check.ok is False
    assert "mixed" in check.detail
    assert "langchain" in check.detail
    assert "haystack" in check.detail
    assert checks_of(client, shape="langchain")["payload shape"].ok is True


@pytest.mark.parametrize(
    ("make", "options", "why"),
    [
        (support.langchain, {"shape": "llamaindex"}, "look like langchain"),
        (support.langchain, {"shape": "haystack"}, "look like langchain"),
        (support.llamaindex, {"shape": "langchain"}, "LlamaIndex's, which fails on any other"),
        (support.llamaindex, {"text": "topic"}, "LlamaIndex's, which fails on any other"),
        (support.langchain, {"text": "body"}, "look like langchain"),
        (support.flat, {"text": "page"}, "0 of 32"),
        (support.flat, {"text": "body", "metadata": "tags"}, "0 of 32"),
    ],
)
def test_planting_across_frameworks_is_refused_rather_than_broken(make: Any, options: dict[str, str], why: str) -> None:
    client = support.memory(make)
    before = support.witness(client)
    with pytest.raises(TargetError, match=why):
        darnel.run(qdrant_target(client, "docs", support.embedder(), **options), support.QUESTIONS, ["echo:1"])
    assert support.witness(client) == before


def test_options_that_contradict_themselves_are_refused() -> None:
    client = support.memory()
    with pytest.raises(UsageError, match="name the payload key of the text too"):
        qdrant_target(client, "docs", metadata="metadata")
    with pytest.raises(UsageError, match="two payload keys"):
        qdrant_target(client, "docs", text="a", metadata="a")
    with pytest.raises(UnknownNameError, match="did you mean 'llamaindex'"):
        qdrant_target(client, "docs", shape="lamaindex")
    with pytest.raises(UnknownNameError, match="did you mean 'sparse'"):
        qdrant_target(client, "docs", search="sparce")


def test_plants_alone_are_no_sample() -> None:
    client = support.memory()
    corpus = qdrant_target(client, "docs", support.embedder()).injector
    corpus.inject(support.make_plants(corpus))
    client.delete(
        "docs",
        [i for i in support.witness(client) if not read_payload(support.stored(client, [i])[i])[1].get("darnel")],
    )
    fresh = qdrant_target(client, "docs", support.embedder())
    assert fresh.injector.describe().shape.sampled == 0
    assert next(c for c in fresh.checks() if c.name == "payload shape").detail.startswith("nothing to sample")
    assert len(fresh.reader.plants()) == 3  # and what is there can still be found and removed
    fresh.injector.remove([r.id for r in fresh.reader.plants()])
    assert client.count("docs").count == 0


def test_other_plants_are_not_taken_for_the_applications_records() -> None:
    client = support.memory(count=8)
    corpus = qdrant_target(client, "docs", support.embedder()).injector
    shape = corpus.describe().shape
    corpus.inject(support.make_plants(corpus, 20))
    assert qdrant_target(client, "docs", support.embedder()).injector.describe().shape == shape


def test_samples_come_from_all_over_the_collection() -> None:
    """The second half of the collection is another tenant's; a sample of the first ids alone would call one constant."""
    for uuids in (True, False):
        client = QdrantClient(":memory:")
        client.create_collection("docs", vectors_config=models.VectorParams(size=2, distance=models.Distance.DOT))
        points = []
        for number in range(400):
            id_ = str(uuid.UUID(int=number * 2**128 // 400)) if uuids else number
            payload = {"page_content": "t", "metadata": {"tenant": "a" if number < 200 else "b"}}
            points.append(models.PointStruct(id=id_, vector=[1.0, 0.5], payload=payload))
        client.upsert("docs", points)
        corpus = qdrant_target(client, "docs").injector
        shape = corpus.describe().shape
        assert shape.sampled == 32
        assert "tenant" not in shape.constant
        assert corpus.describe().shape == shape


def test_numbers_far_apart_still_give_a_full_sample() -> None:
    client = QdrantClient(":memory:")
    client.create_collection("docs", vectors_config=models.VectorParams(size=2, distance=models.Distance.DOT))
    points = [
        models.PointStruct(id=2**40 + 977 * n, vector=[1.0, 0.5], payload=support.langchain(n, "bees", "t"))
        for n in range(99)
    ]
    client.upsert("docs", points)
    assert qdrant_target(client, "docs").injector.describe().shape.sampled == 32


def test_hostile_templates_in_a_node_are_text() -> None:
    payload = support.llamaindex(1, "bees", "text")
    node = json.loads(payload["_node_content"])
    node["metadata_template"] = "{key.__class__} {value:999999999} {key}={value}"
    payload["_node_content"] = json.dumps(node)
    embedded = NodeLayout().embedded(payload)
    assert embedded.startswith("{key.__class__} {value:999999999} topic=bees")


def test_broken_nodes_are_no_nodes() -> None:
    for content in ("", "{", "[]", '{"metadata": 1}', None, 3):
        assert layout_of({"_node_content": content}) is None
        assert read_payload({"_node_content": content}) == (None, {"_node_content": content})


def test_metadata_given_by_the_user_goes_where_it_belongs() -> None:
    client = support.memory()
    corpus = qdrant_target(client, "docs", support.embedder()).injector
    (plant,) = support.make_plants(corpus, 1, lang="en", **{"../tenant": "other"})
    corpus.inject([plant])
    payload = support.stored(client, [plant.id])[plant.id]
    assert payload["metadata"]["lang"] == "en"
    assert payload["tenant"] == "other"


def test_errors_are_of_one_line() -> None:
    client = support.memory(support.flat)
    for options in ({}, {"text": "nope"}, {"shape": "langchain"}):
        with pytest.raises(DarnelError) as caught:
            darnel.run(qdrant_target(client, "docs", support.embedder(), **options), support.QUESTIONS, ["echo:1"])
        assert "\n" not in str(caught.value)
