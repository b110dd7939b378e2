"""Exposure of the built-in patterns beside the pilot's figures, on Cranfield, CISI and NPL.

    python benchmarks/pilot.py [--sets cranfield cisi npl] [--json]

The pilot ranked one document at a time by exact search against the clean corpus; darnel plants one pattern for all questions
at once. A cell agrees when the 95 % interval of the difference of the two rates holds zero.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.stores import COLLECTION, beir, build, data_folder

SETS = ("cranfield", "cisi", "npl")
PATTERNS = {
    "control:1": "control_marker_only",
    "echo:1": "query_echo",
    "echo:3": "query_echo_x3",
    "keywords:5": "kw_stuff_x5",
    "answer:1": "faq_shape",
}
RETRIEVERS = ("wordllama", "bm25", "tfcap3")
"""As the pilot names them: wordllama in embedded Chroma, BM25 and capped counts in the memory corpus."""
KS = ("1", "3", "10")


@dataclass(frozen=True)
class Cell:
    """One exposure@k beside the pilot's. ``n`` of the ``asked`` questions were conclusive.

    ``low`` and ``high``: interval of the difference (ours less the pilot's).
    """

    corpus: str
    retriever: str
    pattern: str
    k: str
    asked: int
    n: int
    ours: float
    pilot: float
    low: float
    high: float

    @property
    def agrees(self) -> bool:
        return self.low <= 0 <= self.high


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", nargs="+", choices=SETS, default=list(SETS))
    parser.add_argument("--json", action="store_true", help="print JSON")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="darnel-pilot-") as name:
        cells = [
            cell
            for corpus in options.sets
            for retriever in RETRIEVERS
            for cell in measure(corpus, retriever, Path(name) / f"{corpus}-{retriever}")
        ]
    if options.json:
        print(json.dumps([asdict(cell) | {"agrees": cell.agrees} for cell in cells], indent=2))
    else:
        print(table(cells))
    sys.exit(0 if all(cell.agrees for cell in cells) else 1)


def measure(corpus: str, retriever: str, work: Path) -> list[Cell]:
    """Run darnel over one set and one retriever, files in ``work``, and set each exposure beside the pilot's."""
    import darnel

    folder = data_folder()
    if folder is None:
        raise SystemExit("the data is not here: put it in ../shared/data, or name its folder in $DARNEL_DATA")
    work.mkdir(parents=True)
    queries = folder / corpus / "queries.jsonl"
    if retriever == "wordllama":
        build(beir(corpus), work / "store")
        target, embedder = f"chroma:{work / 'store'}#{COLLECTION}", "wordllama"
    else:
        target, embedder = f"memory:{folder / corpus}#{'bm25' if retriever == 'bm25' else 'counts'}", None
    results = darnel.run(target, queries, list(PATTERNS), embedder=embedder, ledger=work / "ledger.db")
    assert not results.leftovers
    assert not results.errors
    pilot = json.loads((folder / "pilot" / f"{corpus}.json").read_text())
    assert pilot["_"]["docs"] == results.target.size
    assert pilot["_"]["queries"] == len(results.queries)
    return list(beside(results, pilot, corpus, retriever))


def table(cells: Sequence[Cell]) -> str:
    """A line for each pattern and retriever: ours, the pilot's and the difference at each k; ``!`` where they disagree.

    ``n``: conclusive questions, where not all were.
    """
    lines = [f"{'set':<10}{'retriever':<11}{'pattern':<19}" + "".join(f"{f'@{k}: ours pilot diff':<28}" for k in KS)]
    rows: dict[tuple[str, str, str], list[Cell]] = {}
    for cell in cells:
        rows.setdefault((cell.corpus, cell.retriever, cell.pattern), []).append(cell)
    for (corpus, retriever, pattern), row in rows.items():
        figures = "".join(f"{_figures(cell):<28}" for cell in row)
        lines.append(f"{corpus:<10}{retriever:<11}{pattern:<19}{figures}".rstrip())
    apart = [cell for cell in cells if not cell.agrees]
    return "\n".join([*lines, f"{len(cells) - len(apart)} of {len(cells)} cells agree"])


def _figures(cell: Cell) -> str:
    left_out = f" n={cell.n}" if cell.n < cell.asked else ""
    return f"{cell.ours:.3f} {cell.pilot:.2f} {cell.ours - cell.pilot:+.3f}{left_out}{'' if cell.agrees else ' !'}"


def beside(
    results: object,
    pilot: dict[str, dict[str, list[float]]],
    corpus: str,
    retriever: str,
    patterns: Mapping[str, str] = PATTERNS,
) -> Iterator[Cell]:
    """Each exposure of a run beside the pilot's. ``patterns``: label → the pilot's key."""
    from darnel.core.stats import difference, rate

    scores = {score.pattern: score for score in results.scores}  # type: ignore[attr-defined]
    for pattern, key in patterns.items():
        for place, k in enumerate(KS):
            ours, theirs = scores[pattern].exposure[k], pilot[key][retriever][place]
            n = scores[pattern].queries
            apart = difference(ours, rate(round(theirs * n), n))
            yield Cell(corpus, retriever, pattern, k, n, ours.n, ours.value, theirs, apart.low, apart.high)


if __name__ == "__main__":
    main()
