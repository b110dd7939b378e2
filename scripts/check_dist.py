"""Check what the wheel and the source distribution hold: all data files, and nothing that should stay out."""

from __future__ import annotations

import sys
import tarfile
import zipfile
from pathlib import Path

NEEDED = (
    "darnel/py.typed",
    "darnel/demo/corpus.jsonl",
    "darnel/demo/queries.jsonl",
    "darnel/demo/qrels/test.tsv",
    "darnel/core/planting/campaign.py",
    "darnel/adapters/chroma/corpus.py",
    "darnel/reports/html/page.html.j2",
    "darnel/reports/html/vendor/plot.js",
    "darnel/testing/plugin.py",
    "darnel/testing/suite.py",
    "darnel/cli/skeleton/corpus.py.tmpl",
)
SDIST_NEEDED = ("README.md", "CHANGELOG.md", "LICENSE", "Makefile", "pyproject.toml", "tests/conftest.py")


def main(folder: Path) -> int:
    """Print what is missing or too much; return the exit code."""
    problems = []
    (wheel,), (sdist,) = list(folder.glob("*.whl")), list(folder.glob("*.tar.gz"))
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    problems += [f"{wheel.name}: {name} is missing" for name in NEEDED if name not in names]
    problems += [f"{wheel.name}: {name} should not be in it" for name in names if name.startswith("tests/")]
    with tarfile.open(sdist) as archive:
        inside = {name.partition("/")[2] for name in archive.getnames()}
    problems += [f"{sdist.name}: {name} is missing" for name in (*NEEDED, *SDIST_NEEDED) if name not in inside]
    sys.stdout.write(
        "\n".join([*problems, f"{len(names)} files in {wheel.name}, {len(inside)} in {sdist.name}"]) + "\n"
    )
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
