"""``run`` with ``--all-stores``, several ``--retriever`` and the like: the whole run once for each of them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from darnel.cli.series import Series
from darnel.core.results import Results

ORDER = (0, 2, 1, 3)
"""Exit codes from best to worst: documents left behind outrank a failed gate, which outranks what could not be told."""


def run_each(series: Series, *, as_json: bool, out: str | None, outputs: Sequence[str] = ()) -> int:
    """Make each run of a series and show each result; what cannot be tested is said, and the others are run.

    ``outputs``: files for each result, with ``{name}`` in their names.

    Returns:
        The worst exit code of all.
    """
    from darnel.cli.files import NAME, check_outputs, each_named, write_outputs
    from darnel.cli.output import show_text, write_files
    from darnel.cli.progress import say
    from darnel.cli.tables import print_json
    from darnel.core.errors import DarnelError

    each_named(outputs, series.plural)
    what, names = series.what, series.names
    codes, documents, found = [0], list[Any](), dict[str, Results]()
    for number, name in enumerate(names, 1):
        say(f"{what} {number} of {len(names)}: {name}")
        try:
            results = found[name] = series.run_one(name)
        except DarnelError as error:
            say(f"darnel: {name}: {error}")
            codes.append(error.exit_code)
            documents.append({what: name, "error": str(error)})
            continue
        codes.append(results.exit_code)
        documents.append({what: name, "results": results.to_builtins()})
        if not as_json:
            show_text(results)
        if out is not None and not write_files(results, Path(out) / folder_name(number, name)):
            codes.append(2)
        named = check_outputs([output.replace(NAME, folder_name(number, name)) for output in outputs])
        if not write_outputs(results, named):
            codes.append(2)
        if results.run.interrupted:
            break
    if as_json:
        print_json(documents)
    else:
        series.finish(found)
    return max(codes, key=ORDER.index)


def folder_name(number: int, name: str) -> str:
    """A folder's name for a store path or a retriever, such as ``2-chain.steps-0-.retriever``."""
    return f"{number}-{re.sub(r'[^A-Za-z0-9_.]+', '-', name).strip('-.')[:80]}"
