"""False alarms and recall of the audit's detectors, on clean sets and on planted ones.

    python benchmarks/audit.py clean [--sets cranfield packages-1] [--alarms]
    python benchmarks/audit.py planted [--sets cranfield cisi npl] [--patterns echo:1 keywords:5] [--plants 60]
    python benchmarks/audit.py kits                   # PoisonedRAG's released texts, raginject's documents
    python benchmarks/audit.py speed [--records 20000]
    python benchmarks/audit.py memory [--sizes 10000 100000 1000000]

``TUNED`` names the patterns that were looked at while thresholds were set; docs/audit.md says what else was, and what is held
out. Plants carry no marker, and their carrier is 35 words of a record of the same
corpus, a different one each, so that neither gives them away.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.stores import data_folder
from darnel.adapters.memory.corpus import MemoryCorpus, load_corpus
from darnel.audit.detector import Context
from darnel.audit.engine import AuditOptions, run_audit
from darnel.audit.readers.listed import ListReader
from darnel.audit.results import AuditResults
from darnel.audit.selftest.measure import find_plants
from darnel.audit.selftest.plants import made_plants
from darnel.core.corpus import Record
from darnel.core.queries import Query
from darnel.core.stats import Rate, rate
from darnel.core.text import sentences

CLEAN = ("cranfield", "cisi", "npl", "fastapi-docs", "notinject", "packages-0", "packages-1")
RETRIEVAL = ("cranfield", "cisi", "npl")
TUNED = ("echo:1", "keywords:5", "comment:1", "zero-width:1", "flood:5", "title:1", "swap:1")
HELD_OUT = (
    *("echo:3", "keywords:3", "keywords:20", "answer:1", "echo-end:1", "css:1", "homoglyph:1", "tags:1", "tags:5"),
    *("host:1", "host-echo:1", "partial:50", "term-dump:10", "dilute:200", "straddle:60", "trigger:5", "hub:10"),
)


def installed(seed: int) -> list[Record]:
    """What is written in the packages installed here: long descriptions and 5,000 docstrings, half of them for each seed."""
    import ast
    import warnings
    from importlib.metadata import distributions

    found: dict[str, str] = {}
    docstrings: dict[str, str] = {}
    for dist in distributions():
        if dist.name.lower() == "darnel":
            continue
        found[f"description/{dist.name}"] = dist.metadata.get_payload() or ""
        for file in sorted(dist.files or (), key=str):
            if file.suffix == ".py" and "/tests/" not in str(file):
                try:
                    with warnings.catch_warnings():
                        warnings.simplefilter("ignore")
                        tree = ast.parse(Path(str(file.locate())).read_text(encoding="utf-8"))
                except (OSError, ValueError, SyntaxError, RecursionError):
                    continue
                for node in ast.walk(tree):
                    if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Module):
                        text = ast.get_docstring(node) or ""
                        if len(text) > 300:
                            docstrings[f"{file}:{getattr(node, 'lineno', 0)}"] = text
    names = sorted(docstrings)
    random.Random(0).shuffle(names)
    drawn = names[seed::2][:5_000]
    found = {name: text for i, (name, text) in enumerate(sorted(found.items())) if i % 2 == seed}
    return [Record(name, text) for name, text in {**found, **{n: docstrings[n] for n in drawn}}.items() if text.strip()]


def records_of(name: str) -> list[Record]:
    if name.startswith("packages"):
        return installed(int(name[-1]))
    folder = data_folder()
    if folder is None:
        raise SystemExit("the data is not here: put it in ../shared/data, or name its folder in $DARNEL_DATA")
    if name == "fastapi-docs":
        return [
            Record(f"{path.stem}/{r.id}", r.text, r.metadata)
            for path in sorted((folder / name).glob("*.jsonl"))
            for r in load_corpus(path)
        ]
    if name == "notinject":
        return [
            Record(f"{path.stem}/{i}", row["prompt"])
            for path in sorted((folder / name).glob("*.json"))
            for i, row in enumerate(json.loads(path.read_text(encoding="utf-8")))
        ]
    return load_corpus(folder / name / "corpus.jsonl")


def queries_of(name: str) -> list[Query]:
    from darnel.api import read_queries

    folder = data_folder()
    assert folder is not None
    if name == "fastapi-docs":  # it has no questions of its own: one on each English page's title
        titled = [r for r in records_of(name) if r.id.startswith("en/") and (r.metadata or {}).get("title")]
        return [Query(r.id, f"What do the docs say about {(r.metadata or {})['title']}?") for r in titled]
    return read_queries(folder / name / "queries.jsonl") if name in RETRIEVAL else []


def audit(
    records: Sequence[Record], queries: Sequence[Query] = (), *, embed: Any = None, detectors: Sequence[str] = ()
) -> AuditResults:
    return run_audit([ListReader(records)], AuditOptions(Context(queries, embed), detectors))


def clean(sets: Sequence[str], *, alarms: bool) -> None:
    total, flagged = 0, 0
    for name in sets:
        records, queries = records_of(name), queries_of(name) if name in RETRIEVAL else []
        results = audit(records, queries, embed=_embedder() if queries else None)
        total, flagged = total + results.read, flagged + results.flagged
        by = Counter(f.detector for f in results.findings)
        speed = results.read / max(1e-9, results.run.cpu_seconds)
        share = f"{results.flagged}/{results.read} = {results.flagged / results.read:.2%}"
        print(f"{name:14} {share:22} {dict(by)} {speed:,.0f} records/CPU-s {results.errors or ''}")
        if alarms:
            for f in results.findings:
                print("   ", f.detector, f.severity, f.record, f.score, f.why, [s.what[:140] for s in f.spans[:2]])
    print(f"{'all':14} {flagged}/{total} = {flagged / max(1, total):.2%}")


def planted(sets: Sequence[str], patterns: Sequence[str], plants: int) -> None:
    from darnel.patterns.registry import parse_doses

    print(
        f"{'set':10} {'pattern':14} {'n':>4} {'all with queries':>22} {'without queries':>22}  by detector (with queries)"
    )
    for name in sets:
        records, queries = records_of(name), queries_of(name)
        corpus = MemoryCorpus(records)

        def search(questions: Sequence[str], count: int, corpus: MemoryCorpus = corpus) -> list[list[str]]:
            return [[s.text or "" for s in reply.sources] for reply in corpus.retrieve(questions, count)]

        for dose in parse_doses(patterns, controls=False):
            made = made_plants(dose, records, queries, plants, search)
            embed = _embedder() if made and made[0].vector_of else None
            found = find_plants(records[:1_000] if embed else records, made, AuditOptions(Context(queries, embed)))
            if found.errors:
                print(found.errors)
            row = found.recall(dose.label)
            by = {k: f"{v / row.plants:.2f}" for k, v in row.detectors.items()}
            known, bare = _shown(row.recall), _shown(row.without_questions)
            print(f"{name:10} {dose.label:14} {row.plants:4} {known:>22} {bare:>22}  {by}", flush=True)


def _rate(found: set[str], of: set[str]) -> str:
    return _shown(rate(len(found), len(of)))


def _shown(r: Rate) -> str:
    return f"{r.value:.2f} ({r.low:.2f}–{r.high:.2f})"


def _embedder() -> Any:
    from darnel.embedders.resolve import resolve_embedder

    return resolve_embedder("wordllama").documents


def kits() -> None:
    """Texts that were not made here."""
    folder = data_folder()
    assert folder is not None
    clean_records = records_of("cranfield")
    for name in ("nq", "hotpotqa", "msmarco"):
        rows = [json.loads(line) for line in (folder / "poisonedrag" / f"{name}.jsonl").open(encoding="utf-8")]
        queries = [Query(f"{name}{i}", row["question"]) for i, row in enumerate(rows)]
        for label, prefix in (("with its question", True), ("without it", False)):
            plants = [
                Record(f"p{i}-{j}", f"{row['question']} {text}" if prefix else text)
                for i, row in enumerate(rows)
                for j, text in enumerate(row["texts"])
            ]
            _print_kit(f"PoisonedRAG {name}, {label}", plants, audit([*clean_records, *plants], queries))
    try:
        from raginject.attacks.loader import load_default_patterns, load_pattern_set
    except ImportError:
        return
    for label, patterns in (
        ("raginject, default set", load_default_patterns()),
        ("raginject, retriever set", load_pattern_set("retriever")),
    ):
        plants = [Record(p.id, p.injected_content) for p in patterns]
        questions = [Query(p.id, p.question) for p in patterns]
        _print_kit(label, plants, audit([*clean_records, *plants]))
        _print_kit(f"{label}, with its questions", plants, audit([*clean_records, *plants], questions))


def _print_kit(label: str, plants: Sequence[Record], results: AuditResults) -> None:
    ids = {r.id for r in plants}
    by: dict[str, set[str]] = defaultdict(set)
    for f in results.findings:
        if f.record in ids:
            by[f.detector].add(f.record)
    every = set().union(*by.values()) if by else set()
    print(f"{label:40} {len(ids):5} {_rate(every, ids)}  { {k: f'{len(v) / len(ids):.2f}' for k, v in by.items()} }")


def made_texts(count: int) -> Iterator[str]:
    """Texts of about 1 KB, none a copy of another: sentences of real records, drawn at random."""
    drawn = random.Random(0)
    pool = [s for name in RETRIEVAL for r in records_of(name) for s in sentences(r.text or "") if 20 < len(s) < 300]
    for number in range(count):
        text = f"Record {number}."
        while len(text) < 950:
            text += f" {drawn.choice(pool)}"
        yield text[:1_050]


def write_parquet(path: Path, count: int) -> None:
    """A file of ``made_texts``, with metadata that differ from record to record as they do."""
    import pyarrow as pa
    from pyarrow import parquet

    texts, done = made_texts(count), 0
    columns = pa.schema([("id", pa.string()), ("text", pa.string()), ("source", pa.string()), ("page", pa.int64())])
    with parquet.ParquetWriter(path, columns) as file:
        while part := list(islice(texts, 10_000)):
            numbers = range(done, done + len(part))
            sources = [f"file-{n % 37}.md" for n in numbers]
            file.write_table(pa.table([[str(n) for n in numbers], part, sources, list(numbers)], schema=columns))
            done += len(part)


def speed(count: int) -> None:
    """Records per CPU-second of all detectors that run by default, and of each alone, with Cranfield's questions."""
    from darnel.audit.registry import BUILT_IN

    with tempfile.TemporaryDirectory(prefix="darnel-audit-") as folder:
        path = Path(folder) / "corpus.parquet"
        write_parquet(path, count)
        for names in ((), *((n,) for n in BUILT_IN)):
            results = stream(path, names)
            rate = results.read / results.run.cpu_seconds
            print(f"{' '.join(names) or 'all':24} {rate:10,.0f} records/CPU-s, {len(results.findings)} findings")


def stream(path: Path, names: Sequence[str] = ()) -> AuditResults:
    from darnel.audit.readers.parquet import ParquetReader

    return run_audit([ParquetReader(path)], AuditOptions(Context(queries_of("cranfield")), names))


def memory(counts: Sequence[int]) -> None:
    """One process a size, streaming from Parquet: records per CPU-second, wall seconds, the most memory resident."""
    with tempfile.TemporaryDirectory(prefix="darnel-audit-") as folder:
        path = Path(folder) / "corpus.parquet"
        for count in counts:
            write_parquet(path, count)
            subprocess.run([sys.executable, __file__, "stream", "--file", str(path)], check=True)


def streamed(path: Path) -> None:
    import resource

    results = stream(path)
    used, peak = results.run.cpu_seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"{results.read:9,} records: {results.read / used:7,.0f} records/CPU-s, {used:.0f} CPU-s, "
        f"{results.run.seconds:.0f} s, {peak:.0f} MB, {len(results.findings)} findings {results.errors or ''}",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["clean", "planted", "kits", "speed", "memory", "stream"])
    parser.add_argument("--sets", nargs="+", choices=CLEAN)
    parser.add_argument("--patterns", nargs="+", default=[*TUNED, *HELD_OUT])
    parser.add_argument("--plants", type=int, default=60)
    parser.add_argument("--records", type=int, default=20_000)
    parser.add_argument("--sizes", type=int, nargs="+", default=[10_000, 100_000, 1_000_000])
    parser.add_argument(
        "--file", type=Path, help="for stream: the Parquet file; what memory runs in a process of its own"
    )
    parser.add_argument("--alarms", action="store_true", help="print every alarm on the clean sets")
    given = parser.parse_args()
    if given.what == "clean":
        clean(given.sets or CLEAN, alarms=given.alarms)
    elif given.what == "planted":
        planted(given.sets or RETRIEVAL, given.patterns, given.plants)
    elif given.what == "kits":
        kits()
    elif given.what == "memory":
        memory(given.sizes)
    elif given.what == "stream":
        streamed(given.file)
    else:
        speed(given.records)


if __name__ == "__main__":
    main()
