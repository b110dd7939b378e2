"""``darnel audit`` beside other scanners of documents, on the same records: false alarms, recall, records per CPU-second.

    python -m venv scanners && scanners/bin/pip install rag-inject-guard protectrag redoubt rag-sanitizer pyhroff-ragsentry
    python benchmarks/scanners.py --python scanners/bin/python [--plants 60] [--patterns echo:3 keywords:5]

Clean records: Cranfield and CISI. Planted: patterns of the library on CISI without markers, PoisonedRAG's texts for Natural
Questions with their question, raginject's documents. darnel audits each planted set among the clean records, as one corpus,
with the questions known and without; the others look at each record by itself, which is all they do.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.audit import audit, queries_of, records_of
from benchmarks.scanner_child import SCANNERS
from benchmarks.stores import data_folder
from darnel.adapters.memory.corpus import MemoryCorpus
from darnel.audit.selftest.plants import made_plants
from darnel.core.corpus import Record
from darnel.core.queries import Query
from darnel.core.stats import rate
from darnel.patterns.registry import parse_doses

PATTERNS = (
    *("echo:1", "echo:3", "keywords:5", "answer:1", "flood:5", "term-dump:10", "trigger:5"),
    *("comment:1", "css:1", "zero-width:1", "homoglyph:1", "dilute:200"),
)
CHILD = Path(__file__).with_name("scanner_child.py")
Planted = dict[str, tuple[list[Record], list[Query]]]


def clean_records() -> list[Record]:
    return [r for name in ("cranfield", "cisi") for r in records_of(name) if r.text]


def planted_sets(patterns: Sequence[str], plants: int) -> Planted:
    """Name → plants and the questions that they are for."""
    records, queries = records_of("cisi"), queries_of("cisi")
    corpus = MemoryCorpus(records)

    def search(questions: Sequence[str], count: int) -> list[list[str]]:
        return [[s.text or "" for s in reply.sources] for reply in corpus.retrieve(questions, count)]

    sets: Planted = {}
    for dose in parse_doses(patterns, controls=False):
        sets[dose.label] = ([p.record for p in made_plants(dose, records, queries, plants, search)], queries)
    folder = data_folder()
    assert folder is not None
    lines = (folder / "poisonedrag" / "nq.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    texts = [f"{row['question']} {text}" for row in rows for text in row["texts"]]
    sets["PoisonedRAG"] = (
        [Record(f"p{i}", text) for i, text in enumerate(texts)],
        [Query(str(i), row["question"]) for i, row in enumerate(rows)],
    )
    for name, label in (("", "raginject"), ("retriever", "raginject retriever")):
        from raginject.attacks.loader import load_default_patterns, load_pattern_set

        made = load_pattern_set(name) if name else load_default_patterns()
        sets[label] = ([Record(p.id, p.injected_content) for p in made], [Query(p.id, p.question) for p in made])
    return sets


def run_child(python: str, name: str, records: Sequence[Record]) -> dict[str, object] | None:
    with tempfile.TemporaryDirectory(prefix="darnel-scanners-") as folder:
        path = Path(folder) / "records.jsonl"
        path.write_text("".join(json.dumps({"id": r.id, "text": r.text}) + "\n" for r in records), encoding="utf-8")
        done = subprocess.run([python, str(CHILD), name, str(path)], capture_output=True, text=True, check=False)
    if done.returncode:
        print(f"{name}: {done.stderr.strip().splitlines()[-1]}")
        return None
    found: dict[str, object] = json.loads(done.stdout.splitlines()[-1])
    return found


def show(name: str, speed: float, flagged: int, of: int, caught: dict[str, tuple[int, int]]) -> None:
    alarms = rate(flagged, of)
    print(f"\n{name}: {speed:,.0f} records/CPU-s; false alarms {alarms.value:.2%} ({alarms.low:.2%}–{alarms.high:.2%})")
    for label, (hits, n) in caught.items():
        share = rate(hits, n)
        print(f"    {label:20} {hits:4}/{n:<4} {share.value:.2f} ({share.low:.2f}–{share.high:.2f})", flush=True)


def other(python: str, name: str, clean: Sequence[Record], sets: Planted) -> None:
    everything = [*clean, *(Record(f"{label}/{r.id}", r.text) for label, (made, _) in sets.items() for r in made)]
    on_clean, on_all = run_child(python, name, clean), run_child(python, name, everything)
    if on_clean is None or on_all is None:
        return
    ids = set(on_all["flagged"])  # type: ignore[call-overload]  # a document of the child process
    caught = {label: (sum(f"{label}/{r.id}" in ids for r in made), len(made)) for label, (made, _) in sets.items()}
    show(name, len(clean) / on_clean["cpu"], len(on_clean["flagged"]), len(clean), caught)  # type: ignore[operator,arg-type]  # a document of the child process


def darnel(clean: Sequence[Record], sets: Planted, *, known: bool) -> None:
    questions = [q for name in ("cranfield", "cisi") for q in queries_of(name)] if known else []
    audit(clean[:50], questions)  # loaded and warm, as the others are
    began = time.process_time()
    alone = audit(clean, questions)
    cpu = time.process_time() - began
    caught = {}
    for label, (made, asked) in sets.items():
        held = [Record(f"plant/{r.id}", r.text, r.metadata) for r in made]
        results = audit([*clean, *held], asked if known else [])
        ids = {f.record for f in results.findings}
        caught[label] = (sum(r.id in ids for r in held), len(held))
    show(f"darnel, questions {'known' if known else 'unknown'}", len(clean) / cpu, alone.flagged, len(clean), caught)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--python", required=True, help="the interpreter of an environment with the other scanners")
    parser.add_argument("--plants", type=int, default=60)
    parser.add_argument("--patterns", nargs="+", default=PATTERNS)
    given = parser.parse_args()
    clean, sets = clean_records(), planted_sets(given.patterns, given.plants)
    for known in (True, False):
        darnel(clean, sets, known=known)
    for name in SCANNERS:
        other(given.python, name, clean, sets)


if __name__ == "__main__":
    main()
