from __future__ import annotations

from darnel.core.corpus import Record
from darnel.core.plant import KIT_KEY, KIT_VALUE, STAMP_KEY
from darnel.core.planting.shape import learn_shape, plant_metadata
from tests.support.corpora import make_records


def test_plants_look_like_the_applications_own_records() -> None:
    shape = learn_shape(make_records())
    assert shape.sampled == 40
    assert shape.constant == {"tenant": "acme"}
    assert shape.unique == {"source"}
    made = plant_metadata(shape, "darnel-aaaaaaaaaa")
    assert list(made) == ["page", "source", "tenant", "topic"]
    assert made["tenant"] == "acme"
    assert made["source"] == "darnel-aaaaaaaaaa"
    assert isinstance(made["page"], int)
    assert made["topic"] in ("bread", "boats", "bees", "maps", "locks")


def test_what_the_user_gives_goes_over_what_was_learned() -> None:
    shape = learn_shape(make_records())
    assert plant_metadata(shape, "m", {"tenant": "other", "new": 1})["tenant"] == "other"
    assert plant_metadata(shape, "m", {"new": 1})["new"] == 1


def test_rare_keys_types_and_other_runs_plants() -> None:
    records = [Record(f"r{i}", "t", {"often": i < 3, "kind": "a" if i else "b", "n": float(i)}) for i in range(4)]
    records[0] = Record("r0", "t", {"rare": 1, "often": True, "kind": "b", "n": 0.0})
    records += [
        Record("p", "t", {KIT_KEY: KIT_VALUE, STAMP_KEY: "1:c:darnel-aaaaaaaaaa:0123456789abcdef", "odd": 1})
    ] * 9
    shape = learn_shape(records)
    assert shape.sampled == 4
    assert dict(shape.template) == {"often": True, "kind": "a", "n": 0.0}
    assert shape.unique == frozenset()  # numbers that all differ are no identifiers


def test_records_without_metadata_teach_nothing() -> None:
    assert learn_shape(make_records(metadata=False)).template == {}
    assert learn_shape([]).sampled == 0
