"""One scanner of another project over records, in an environment that has it: knows nothing of darnel.

    python scanner_child.py NAME RECORDS.jsonl    prints {"cpu": seconds, "records": n, "flagged": [ids]}

CPU seconds are of the scan alone, once the package is loaded and warm; defaults everywhere.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable


def rag_inject_guard() -> Callable[[str], bool]:
    """A finding of severity medium or worse, as its own gate has it."""
    from rag_inject_guard.detector import scan_text

    return lambda text: any(str(f.severity).split(".")[-1].lower() not in ("low", "info") for f in scan_text(text))


def protectrag() -> Callable[[str], bool]:
    """Anything but "allow"."""
    from protectrag.ingest import IngestDecision, ingest_document

    return lambda text: ingest_document(text).decision != IngestDecision.ALLOW


def redoubt() -> Callable[[str], bool]:
    """Any finding."""
    from redoubt import check_corpus

    return lambda text: bool(check_corpus([text]).findings)


def rag_sanitizer() -> Callable[[str], bool]:
    """Whatever it does not call clean."""
    from rag_sanitizer.sanitizer import RagSanitizer

    scanner = RagSanitizer()
    return lambda text: not scanner.scan(text).is_clean


def ragsentry() -> Callable[[str], bool]:
    """Any finding (the package pyhroff-ragsentry)."""
    from ragsentry.document import Document
    from ragsentry.scanner import scan_document

    return lambda text: bool(scan_document(Document("record", text.splitlines())))


SCANNERS = {f.__name__: f for f in (rag_inject_guard, protectrag, redoubt, rag_sanitizer, ragsentry)}


def main() -> None:
    flags = SCANNERS[sys.argv[1]]()
    with open(sys.argv[2], encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    for row in rows[:20]:
        flags(row["text"])
    flagged, cpu = [], 0.0
    for row in rows:
        began = time.process_time()
        found = flags(row["text"])
        cpu += time.process_time() - began
        if found:
            flagged.append(row["id"])
    print(json.dumps({"cpu": cpu, "records": len(rows), "flagged": flagged}))


if __name__ == "__main__":
    main()
