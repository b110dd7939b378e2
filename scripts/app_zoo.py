"""Ask every application of the zoo, through the kit as it stands, and write docs/app-zoo.md, or check that it still holds.

python scripts/app_zoo.py [--check] [SHAPE...]
"""

from __future__ import annotations

import difflib
import importlib
import logging
import re
import sys
import tempfile
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "app-zoo.md"
FRAMEWORKS = {"langchain": "LangChain", "llamaindex": "LlamaIndex"}
BEHIND = ("retrieved", "delivered", "in prompt", "in answer")
sys.path.insert(0, str(ROOT))

import darnel  # noqa: E402
from darnel.adapters.apps.options import AppOptions  # noqa: E402
from darnel.api import open_target  # noqa: E402
from darnel.core.errors import DarnelError, UsageError  # noqa: E402
from darnel.core.results import Results  # noqa: E402

QUESTIONS = (
    "When does the harbour open its gates?",
    "Who lends maps and atlases?",
    "How long do apples of the orchard keep?",
)
TEXT = """# Applications that are tested unmodified

Made by `scripts/app_zoo.py`, which asks each of these applications three questions through the kit, with nothing planted,
and then with 9 plants (one of each control and one `echo:1` for each question). None of them imports darnel. **found**:
where the application's vector store was found. **captured**: rows with a verdict, of all rows; the others are
inconclusive. **stages**: plants that came as far as this, and who dropped the others, with the run stopped before the model;
and in the answer, with `--answers`. **model before**: a model is called before anything is retrieved, so `--allow-model` is
needed. **cleaned**: every plant is gone and the corpus as before.

That an application is as it was (no handler, no attribute, no method left behind) is held by `tests/apps`.
"""


def shapes(framework: str) -> Iterator[tuple[str, Any]]:
    """Name and module of each application."""
    for path in sorted((ROOT / "tests" / "apps" / framework / "zoo").glob("[!_]*.py")):
        module = importlib.import_module(f"tests.apps.{framework}.zoo.{path.stem}")
        if hasattr(module, "make"):
            yield path.stem, module


def look(app: Any) -> tuple[AppOptions, str]:
    """How to ask it, by default and of several stores the first; and where its store was found."""
    options = AppOptions()
    try:
        target = open_target(app)
    except UsageError as error:
        several = re.search(r": (\S+), .*--store", str(error))
        if several is None:
            raise
        options = AppOptions(store=several[1])
        target = open_target(app, app=options)
    details = " ".join(check.detail for check in target.checks())
    target.close()
    path = re.search(r"found at (\S+)", details)
    return options, f"`{path[1]}`" if path else "yes"


def ask(app: Any, options: AppOptions) -> Results:
    """One whole run, in a ledger of its own."""
    with tempfile.TemporaryDirectory() as folder:
        return darnel.run(app, QUESTIONS, ["echo:1"], ledger=Path(folder) / "ledger.db", app=options)


def row(name: str, module: Any) -> str:
    """The table's line for one application."""
    app = module.make()
    title = (module.__doc__ or "").strip().splitlines()[0]
    try:
        early, (options, path) = "no", look(app)
        results = ask(app, options)
        if any("--allow-model" in (o.detail or "") for o in results.observations):
            options, early = replace(options, allow_model=True), "yes"
            results = ask(app, options)
        answered = ask(module.make(), replace(options, allow_model=True, answers=True))
    except DarnelError as error:
        return f"| `{name}` | {title} | {_cell(str(error))} | | | | |"
    rows = results.observations
    told = sum(o.outcome != "inconclusive" for o in rows)
    clean = not results.leftovers and results.corpus_digest is not None and bool(results.corpus_digest.same)
    return (
        f"| `{name}` | {title} | {path} | {told} of {len(rows)}{_why(results)} "
        f"| {_stages(results)}; {_furthest(answered)} | {early} | {'yes' if clean else 'no'} |"
    )


def _stages(results: Results) -> str:
    """Plants by the stage they came to, and by who dropped them."""
    retrieved = [o for o in results.observations if o.outcome == "retrieved"]
    reached = {s: sum(BEHIND.index(o.stage) >= n for o in retrieved) for n, s in enumerate(BEHIND[:3])}
    dropped = Counter(o.dropped_by for o in retrieved if o.dropped_by)
    shown = {"retrieved", *results.scores[-1].funnel}
    parts = [f"{count} {stage}" for stage, count in reached.items() if stage in shown]
    return ", ".join(parts + [f"{count} dropped by {_cell(who)}" for who, count in sorted(dropped.items())])


def _furthest(results: Results) -> str:
    return f"{sum(o.stage == 'in answer' for o in results.observations)} in the answer"


def _why(results: Results) -> str:
    reasons = {o.detail for o in results.observations if o.outcome == "inconclusive" and o.detail}
    return f" ({_cell('; '.join(sorted(reasons)))})" if reasons else ""


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def page(chosen: Iterable[str]) -> str:
    """The whole page."""
    wanted, parts = set(chosen), [TEXT]
    for framework, title in FRAMEWORKS.items():
        if not (ROOT / "tests" / "apps" / framework / "zoo").is_dir():
            continue
        lines = [row(name, module) for name, module in shapes(framework) if not wanted or name in wanted]
        head = (
            "| shape | what it is | found | captured | stages | model before | cleaned |\n|---|---|---|---|---|---|---|"
        )
        parts.append(f"\n## {title}\n\n{head}\n" + "\n".join(lines) + "\n")
    return "".join(parts)


def main(arguments: list[str]) -> int:
    """Write or check; 1 where it no longer holds."""
    warnings.simplefilter("ignore")
    logging.disable(logging.WARNING)
    chosen = [a for a in arguments if not a.startswith("--")]
    text = page(chosen)
    if "--check" in arguments:
        kept = PAGE.read_text(encoding="utf-8")
        sys.stdout.writelines(difflib.unified_diff(kept.splitlines(True), text.splitlines(True), str(PAGE), "now"))
        return int(kept != text)
    if chosen:
        sys.stdout.write(text)
    else:
        PAGE.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
