from __future__ import annotations

import uuid

import pytest
from hypothesis import given
from hypothesis import strategies as st

from darnel.core.errors import PlantError
from darnel.core.plant import (
    KIT_KEY,
    STAMP_KEY,
    Plant,
    content_digest,
    find_markers,
    make_marker,
    make_plant,
    plant_id,
    read_stamp,
)

MARKER = make_marker(0, "echo", 1, "q", 0)


def plant(text: str = f"carrier {MARKER}", **given_: object) -> Plant:
    fields = {
        "identity": "c",
        "campaign": "20260101-000000-ab",
        "pattern": "echo",
        "strength": 1,
        "query_id": "q",
        "copy": 0,
        "marker": MARKER,
        "text": text,
    }
    return make_plant(**{**fields, **given_})  # type: ignore[arg-type]


def test_ids_are_uuids_of_their_own_for_every_container_campaign_and_name() -> None:
    ids = {plant_id(i, c, n) for i in ("a", "ab") for c in ("c", "bc") for n in ("n", "cn")}
    assert len(ids) == 8
    assert all(str(uuid.UUID(i)) == i and uuid.UUID(i).version == 5 for i in ids)


def test_the_same_parts_make_the_same_id_and_marker() -> None:
    assert plant().id == plant().id
    assert plant().id != plant(campaign="20260101-000000-ac").id != plant(identity="d").id
    assert make_marker(0, "echo", 1, "q", 0) == MARKER != make_marker(1, "echo", 1, "q", 0)


@given(st.lists(st.text(), min_size=1, max_size=4), st.lists(st.text(), min_size=1, max_size=4))
def test_markers_of_other_parts_differ(a: list[str], b: list[str]) -> None:
    assert (make_marker(0, *a) == make_marker(0, *b)) == (a == b)


def test_a_plant_carries_key_stamp_and_marker() -> None:
    made = plant(metadata={"tenant": "acme"})
    stamp = read_stamp(made.metadata)
    assert made.metadata["tenant"] == "acme"
    assert made.metadata[KIT_KEY] == "plant"
    assert stamp is not None
    assert (stamp.campaign, stamp.marker, stamp.digest) == (made.campaign, MARKER, made.digest[:16])
    assert find_markers(made.text) == {MARKER}


def test_the_stamp_is_read_exactly_or_not_at_all() -> None:
    stamp = str(plant().metadata[STAMP_KEY])
    assert read_stamp({KIT_KEY: "plant", STAMP_KEY: stamp}) is not None
    for bad in (f"{stamp} ", f"{stamp}0", stamp[:-1], stamp.replace("1:", "2:", 1), "", 5, None):
        assert read_stamp({KIT_KEY: "plant", STAMP_KEY: bad}) is None
    for key in ("plant ", "Plant", None, True):
        assert read_stamp({KIT_KEY: key, STAMP_KEY: stamp}) is None
    assert read_stamp({STAMP_KEY: stamp}) is None
    assert read_stamp(None) is None


@given(st.text(alphabet="abz2-_ .:/é中\n", max_size=12), st.text(alphabet="abz2-_ .:/é中\n", max_size=12))
def test_a_marker_counts_only_whole(before: str, after: str) -> None:
    token = "0123456789abcdefghijklmnopqrstuvwxyz_-"
    whole = before[-1:] not in set(token) - {""} and after[:1] not in set(token) - {""}
    assert (MARKER in find_markers(f"{before}{MARKER}{after}")) == whole


def test_a_marker_is_found_in_any_case() -> None:
    assert find_markers(f"Ref: {MARKER.upper()}.") == {MARKER}


@pytest.mark.parametrize("text", ["", "   ", "no marker at all", f"{MARKER} \0", f"{MARKER} \ud800"])
def test_texts_no_store_keeps_are_refused(text: str) -> None:
    with pytest.raises(PlantError, match=r"plant echo:1/q/0|pattern 'echo'"):
        plant(text)


@pytest.mark.parametrize(
    "value", [float("nan"), float("inf"), 2**63, -(2**63) - 1, "\ud800", [1.0, float("nan")], {"a": 2**64}]
)
def test_metadata_no_store_keeps_is_refused(value: object) -> None:
    with pytest.raises(PlantError, match="metadata 'page'"):
        plant(metadata={"page": value})


def test_metadata_that_stores_drop_is_left_out_of_the_plant() -> None:
    made = plant(metadata={"gone": None, "zero": -0.0})
    assert "gone" not in made.metadata
    assert str(made.metadata["zero"]) == "0.0"
    assert made.digest == content_digest(made.text, {"zero": 0.0})


values = st.one_of(
    st.text(), st.integers(), st.booleans(), st.floats(allow_nan=False), st.lists(st.integers(), max_size=2)
)


@given(st.text(), st.dictionaries(st.text(), values, max_size=4), st.randoms())
def test_the_digest_ignores_order_and_the_kits_own_keys(text: str, metadata: dict[str, object], random: object) -> None:
    keys = list(metadata)
    random.shuffle(keys)  # type: ignore[attr-defined]
    shuffled = {k: metadata[k] for k in keys}
    assert content_digest(text, metadata) == content_digest(text, {**shuffled, KIT_KEY: "x", STAMP_KEY: "y"})


@given(st.text(), st.dictionaries(st.text(min_size=1), values, max_size=3), st.text(min_size=1), values)
def test_the_digest_notices_any_edit(text: str, metadata: dict[str, object], key: str, value: object) -> None:
    if key in (KIT_KEY, STAMP_KEY):
        return
    edited = {**metadata, key: value}
    same = key in metadata and repr(metadata[key]) == repr(value)
    assert (content_digest(text, edited) == content_digest(text, metadata)) == same
    assert content_digest(f"{text}.", metadata) != content_digest(text, metadata)


def test_the_size_counts_bytes_of_text_and_metadata() -> None:
    small, large = plant(metadata={"k": "é"}), plant(metadata={"k": "éé"})
    assert large.size - small.size == 2
