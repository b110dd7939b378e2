"""Which source is which plant: exact, and by id before metadata before marker."""

from __future__ import annotations

import string
import uuid

from hypothesis import given
from hypothesis import strategies as st

from darnel.core.asking.evidence import PlantIndex, canonical_id
from darnel.core.corpus import Source
from darnel.core.plant import KIT_KEY, KIT_VALUE, STAMP_KEY, Plant, make_marker, make_plant


def plant(number: int = 0, campaign: str = "20260101-000000-ab") -> Plant:
    marker = make_marker(0, "echo", 1, "q", number)
    return make_plant(
        identity="c",
        campaign=campaign,
        pattern="echo",
        strength=1,
        query_id="q",
        copy=number,
        marker=marker,
        text=f"x {marker}",
    )


PLANT, SIBLING = plant(), plant(1)
INDEX = PlantIndex([PLANT, SIBLING])


def test_id_goes_before_metadata_and_metadata_before_marker() -> None:
    by_id = INDEX.match(Source(PLANT.id, SIBLING.text, SIBLING.metadata))
    by_metadata = INDEX.match(Source("other", SIBLING.text, PLANT.metadata))
    by_marker = INDEX.match(Source("other", SIBLING.text, {"a": 1}))
    assert by_id is not None and (by_id.plants, by_id.proof) == ((PLANT,), "id")
    assert by_metadata is not None and (by_metadata.plants, by_metadata.proof) == ((PLANT,), "metadata")
    assert by_marker is not None and (by_marker.plants, by_marker.proof) == ((SIBLING,), "marker")


def test_an_id_carried_in_the_metadata_counts() -> None:
    found = INDEX.match(Source(None, None, {"_id": PLANT.id.upper()}))
    assert found is not None and (found.plants, found.proof) == ((PLANT,), "metadata")


def test_a_text_that_joins_two_plants_is_both() -> None:
    found = INDEX.match(Source("merged", f"{PLANT.text}\n{SIBLING.text}"))
    assert found is not None and {p.id for p in found.plants} == {PLANT.id, SIBLING.id}


def test_another_campaigns_plant_is_told_from_the_owners_records() -> None:
    stranger = plant(2, campaign="20260101-000000-zz")
    found = INDEX.match(Source(stranger.id, stranger.text, stranger.metadata))
    assert found is not None and found.plants == ()
    twin = plant(
        0, campaign="20260101-000000-zz"
    )  # the same marker, since marker and campaign have nothing to do with each other
    found = INDEX.match(Source(twin.id, twin.text, twin.metadata))
    assert found is not None and found.plants == ()
    assert INDEX.match(Source("r1", "an honest text", {"tenant": "acme"})) is None
    assert INDEX.match(Source()) is None


text_around = st.text(alphabet=string.ascii_letters + string.digits + "-_", min_size=1, max_size=8)


@given(st.sampled_from([PLANT, SIBLING]), text_around, st.booleans())
def test_a_longer_id_or_a_part_of_one_is_no_match(one: Plant, extra: str, front: bool) -> None:
    longer = f"{extra}{one.id}" if front else f"{one.id}{extra}"
    assert INDEX.match(Source(longer)) is None
    assert INDEX.match(Source(one.id[: len(one.id) - len(extra)])) is None
    assert INDEX.match(Source(None, None, {"ref": longer})) is None


@given(st.sampled_from([PLANT, SIBLING]), text_around, st.booleans())
def test_a_longer_marker_is_no_match(one: Plant, extra: str, front: bool) -> None:
    longer = f"{extra}{one.marker}" if front else f"{one.marker}{extra}"
    assert INDEX.match(Source("r", f"see {longer} there")) is None
    stamp = str(one.metadata[STAMP_KEY]).replace(one.marker, longer)
    assert INDEX.match(Source("r", None, {KIT_KEY: KIT_VALUE, STAMP_KEY: stamp})) is None


@given(st.uuids())
def test_every_spelling_of_a_uuid_is_one(value: uuid.UUID) -> None:
    spellings = [str(value), str(value).upper(), value.hex, value.hex.upper(), value.urn, f"{{{value}}}"]
    assert {canonical_id(s) for s in spellings} == {str(value)}


HEX = "0123456789abcdefABCDEF-+_ {}urn:id"


@given(st.text(alphabet=HEX, min_size=28, max_size=48), st.uuids())
def test_what_is_no_uuid_stays_as_it_is(text: str, value: uuid.UUID) -> None:
    for given_ in (
        text,
        f" {value.hex[1:]}",
        f"+{value.hex[1:]}",
        f"{value.hex[:15]}_{value.hex[16:]}",
        f"{value}-",
        f"{{{value}",
    ):
        digits = given_.replace("-", "").removeprefix("urn:uuid:").strip("{}")
        if len(digits) == 32 and all(c in string.hexdigits for c in digits):
            continue
        assert canonical_id(given_) == given_
    assert canonical_id(value.hex[:7] + "-" + value.hex[7:]) != str(value)
