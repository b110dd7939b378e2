"""The installed version."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version


def darnel_version() -> str:
    """The version of the installed distribution; ``0+unknown`` when run from a bare source tree."""
    try:
        return version("darnel")
    except PackageNotFoundError:
        return "0+unknown"
