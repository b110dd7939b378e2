"""Faults of other layers, each by its kind: what darnel never calls, never writes into a filter, never takes for granted."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import darnel
from darnel.core.plant import make_marker, make_plant, read_stamp
from darnel.core.planting.campaign import new_campaign_id

ADAPTERS = Path(darnel.__file__).parent / "adapters"
WHOLE = {
    *("reset", "drop", "drop_table", "drop_tables", "truncate", "flush", "delete_all", "wipe", "delete_where"),
    *("delete_collection", "recreate_collection", "create_collection", "get_or_create_collection", "update_collection"),
    *("delete_ref_doc", "delete_index", "create_index", "create_payload_index", "delete_payload_index", "modify"),
    *("create_tables_if_not_exists", "create_vector_extension", "init_vectorstore_table", "apply_vector_index"),
}


def calls(file: Path) -> set[str]:
    """Names of the methods and functions that a module calls."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    # a context variable is reset by its token; what empties a database is called without any
    nodes = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    called = [n.func for n in nodes if not (isinstance(n.func, ast.Attribute) and n.func.attr == "reset" and n.args)]
    return {f.attr if isinstance(f, ast.Attribute) else getattr(f, "id", "") for f in called}


@pytest.mark.parametrize("file", sorted(ADAPTERS.rglob("*.py")), ids=lambda p: str(p.relative_to(ADAPTERS)))
def test_nothing_that_empties_or_changes_a_whole_container_is_ever_called(file: Path) -> None:
    assert not calls(file) & WHOLE


@settings(max_examples=60)
@given(hostile=st.text(min_size=1, max_size=40).filter(lambda t: "\x00" not in t and t.isprintable()))
def test_ids_markers_and_campaigns_hold_nothing_that_a_filter_could_read(hostile: str) -> None:
    """Whatever a query or a container is called."""
    marker = make_marker(0, hostile)
    plant = make_plant(
        identity=hostile,
        campaign=new_campaign_id(),
        pattern="hand",
        strength=1,
        query_id=hostile,
        copy=0,
        marker=marker,
        text=f"the text {marker}",
        metadata={},
    )
    for name in (plant.id, plant.marker, plant.campaign):
        assert re.fullmatch(r"[A-Za-z0-9-]+", name)
    stamp = read_stamp(plant.metadata)
    assert stamp is not None and (stamp.campaign, stamp.marker) == (plant.campaign, plant.marker)
    assert all(re.fullmatch(r"[A-Za-z0-9:_.-]+", str(v)) for v in plant.metadata.values())
