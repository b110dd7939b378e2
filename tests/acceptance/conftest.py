"""What the tests on public collections share."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.stores import data_folder


@pytest.fixture(scope="session")
def data() -> Path:
    found = data_folder()
    if found is None:
        pytest.skip(
            "no public collections here: put them in ../shared/data beside the checkout, or name them in $DARNEL_DATA"
        )
    return found
