"""How a notebook shows a result. The core knows no report; the package around it does, and loads it when it is asked."""

from __future__ import annotations

import sys
from typing import Any

RENDERER = "_shown_in_notebook"
"""The function of the package, from results to HTML."""


def rendered(results: Any) -> str | None:
    """The HTML of a result, or None where the package has nothing to make it."""
    render = vars(sys.modules[__name__.partition(".")[0]]).get(RENDERER)
    return None if render is None else str(render(results))
