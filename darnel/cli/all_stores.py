"""``run --all-stores``: the whole run once for each store of an application."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from darnel.core.results import Results

ORDER = (0, 2, 1, 3)
"""Exit codes from best to worst: documents left behind outrank a failed gate, which outranks what could not be told."""


def run_each(
    stores: Sequence[str],
    run_one: Callable[[str], Results],
    *,
    as_json: bool,
    out: str | None,
    outputs: Sequence[str] = (),
) -> int:
    """Run for each store path and show each result; what cannot be tested is said, and the others are run.

    ``outputs``: files for each result, with ``{name}`` in their names.

    Returns:
        The worst exit code of all.
    """
    from darnel.cli.files import NAME, check_outputs, write_outputs
    from darnel.cli.output import show_text, write_files
    from darnel.cli.progress import say
    from darnel.cli.tables import print_json
    from darnel.core.errors import DarnelError

    codes, documents = [0], list[Any]()
    for number, store in enumerate(stores, 1):
        say(f"store {number} of {len(stores)}: {store}")
        try:
            results = run_one(store)
        except DarnelError as error:
            say(f"darnel: {store}: {error}")
            codes.append(error.exit_code)
            documents.append({"store": store, "error": str(error)})
            continue
        codes.append(results.exit_code)
        documents.append({"store": store, "results": results.to_builtins()})
        if not as_json:
            show_text(results)
        if out is not None and not write_files(results, Path(out) / folder_name(number, store)):
            codes.append(2)
        named = check_outputs([output.replace(NAME, folder_name(number, store)) for output in outputs])
        if not write_outputs(results, named):
            codes.append(2)
        if results.run.interrupted:
            break
    if as_json:
        print_json(documents)
    return max(codes, key=ORDER.index)


def folder_name(number: int, store: str) -> str:
    """A folder's name for a store path, such as ``2-chain.steps-0-.retriever``."""
    return f"{number}-{re.sub(r'[^A-Za-z0-9_.]+', '-', store).strip('-.')[:80]}"
