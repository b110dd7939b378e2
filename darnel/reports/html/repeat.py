"""The command that would make a run again, as far as its results know it."""

from __future__ import annotations

import shlex

from darnel.core.results import Results


def command_line(results: Results) -> str:
    """One shell command; what results do not hold (metadata, allowed hosts, judgments) is not in it."""
    target, run = results.target, results.run
    words = ["darnel", "run", target.spec] if target.spec else ["darnel", "run", "TARGET"]
    words += ["--queries", next((q.where.rpartition(":")[0] for q in results.queries if q.where), "QUESTIONS")]
    if target.embedder:
        words += ["--embedder", target.embedder]
    words += ["--k", str(target.k), "--seed", str(run.seed)]
    if target.isolation != "pattern":
        words += ["--isolation", target.isolation]
    for pattern in results.patterns:
        if not pattern.control:
            words += ["--pattern", pattern.label]
    for gate in results.gates:
        words += ["--fail-on", gate.condition]
    return " ".join(word if word.isupper() else shlex.quote(word) for word in words)
