"""The walls of the house: who may import whom, no circles, sizes, and what an import costs."""

from __future__ import annotations

import ast
import statistics
import subprocess
import sys
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import darnel

ROOT = Path(darnel.__file__).parent
MODULES = {
    ".".join(("darnel", *path.relative_to(ROOT).with_suffix("").parts)).removesuffix(".__init__"): path
    for path in sorted(ROOT.rglob("*.py"))
}
BELOW_CLI = {
    "adapters",
    "api",
    "audit",
    "core",
    "demo",
    "embedders",
    "models",
    "patterns",
    "retrievers",
    "tenants",
}
MAY_IMPORT = {
    "core": set[str](),
    "embedders": {"core"},
    "models": {"core"},
    "patterns": {"core"},
    "audit": {"core"},
    "adapters": {"core", "embedders"},
    "retrievers": {"adapters", "core", "embedders"},
    "reports": {"core", "audit", "tenants"},
    "api": {"adapters", "audit", "core", "embedders", "patterns", "retrievers"},
    "demo": {"adapters", "api", "core", "embedders"},
    "tenants": {"adapters", "api", "core"},
    "testing": BELOW_CLI,
    "cli": BELOW_CLI | {"reports", "testing"},
}
CORE_ROOMS = {
    "": set[str](),  # the words, the contract and the result document
    "planting": {""},
    "asking": {"", "planting"},
    "scoring": {"", "planting", "asking"},
    "running": {"", "planting", "asking", "scoring"},
    "handing": {"", "planting", "asking", "scoring"},
}
"""The rooms within the core, from the ground up."""
HEAVY = (
    "bm25s",
    "chromadb",
    "jinja2",
    "junitparser",
    "langchain_core",
    "llama_index",
    "msgspec",
    "numpy",
    "psutil",
    "pyarrow",
    "qdrant_client",
    "regex",
    "rich",
    "scipy",
    "wordllama",
)


def imports_of(source: str, module: str) -> set[str]:
    """Every module of ours that a source imports, wherever in it the import stands, one for types included."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            found.update(name if (name := f"{base}.{alias.name}") in MODULES else base for alias in node.names)
    return {name for name in found if name in MODULES and name != module}


def room(module: str) -> str:
    parts = module.split(".")
    return parts[1] if len(parts) > 1 else ""


def core_room(module: str) -> str:
    parts = module.split(".")
    return parts[2] if len(parts) > 3 or (len(parts) == 3 and parts[2] in CORE_ROOMS) else ""


GRAPH = {name: imports_of(path.read_text(encoding="utf-8"), name) for name, path in MODULES.items()}


@pytest.mark.parametrize("module", [m for m in MODULES if room(m) not in ("", "__main__")])
def test_arrows(module: str) -> None:
    allowed = MAY_IMPORT[room(module)] | {room(module)}
    forbidden = sorted(name for name in GRAPH[module] if room(name) not in allowed)
    assert not forbidden, f"{module} may import {sorted(allowed)} only"


@pytest.mark.parametrize("module", [m for m in MODULES if room(m) == "core"])
def test_arrows_within_the_core(module: str) -> None:
    allowed = CORE_ROOMS[core_room(module)] | {core_room(module)}
    forbidden = sorted(name for name in GRAPH[module] if core_room(name) not in allowed)
    assert not forbidden, f"{module} may import {sorted(allowed)} of the core only"


def test_no_circles() -> None:
    try:
        TopologicalSorter(GRAPH).prepare()
    except CycleError as error:
        pytest.fail(f"circle: {' -> '.join(error.args[1])}")


def test_a_circle_would_be_seen() -> None:
    with pytest.raises(CycleError):
        TopologicalSorter({"a": {"b"}, "b": {"a"}}).prepare()
    assert imports_of("def f():\n    from darnel.core import plant\n", "x") == {"darnel.core.plant"}


def test_sizes() -> None:
    lines = {name: len(path.read_text(encoding="utf-8").splitlines()) for name, path in MODULES.items()}
    assert not {name: n for name, n in lines.items() if n > 300}
    assert statistics.median(lines.values()) <= 130
    long = [
        f"{name}.{node.name}"
        for name, path in MODULES.items()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (node.end_lineno or 0) - node.lineno - _docstring_lines(node) > 60
    ]
    assert not long


def _docstring_lines(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    first = node.body[0]
    if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str):
        return (first.end_lineno or 0) - first.lineno + 1
    return 0


@pytest.mark.parametrize(
    "code",
    [
        "import darnel",
        "import darnel; darnel.__version__",
        "from darnel.cli.main import _run; _run(['--help'])",
        "from darnel.cli.main import _run; _run(['--version'])",
        "from darnel.cli.main import _run; _run(['completion', 'bash'])",
    ],
)
def test_nothing_heavy_is_loaded(code: str) -> None:
    report = f"import sys; print([m for m in {HEAVY!r} if m in sys.modules], file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", f"{code}; {report}"], capture_output=True, text=True, check=True)
    assert done.stderr.strip().splitlines()[-1] == "[]"


def test_public_names_are_sorted_and_there() -> None:
    assert darnel.__all__ == sorted(darnel.__all__)
    for name in darnel.__all__:
        assert getattr(darnel, name).__doc__, name
