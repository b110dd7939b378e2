"""Result documents read back, and their JSON schema, which is in ``docs/``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from darnel.core.errors import UsageError
from darnel.core.results import SCHEMA_VERSION, Results


def load_results(path: str | Path) -> Results:
    """Read a result document.

    Raises:
        UsageError: the file cannot be read, or is no result document of this version.
    """
    try:
        results = msgspec.json.decode(Path(path).read_bytes(), type=Results)
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} is no darnel result document: {error}") from None
    if results.schema_version != SCHEMA_VERSION:
        raise UsageError(
            f"{path} is a result document of version {results.schema_version} and this darnel reads {SCHEMA_VERSION}; "
            "use the darnel that wrote it, or run again"
        )
    return results


def results_schema() -> dict[str, Any]:
    """JSON schema of the document."""
    schema = msgspec.json.schema(Results)
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "darnel results", **schema}
