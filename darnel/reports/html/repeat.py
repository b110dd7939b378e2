"""The command that would make a run again, as far as its results know it."""

from __future__ import annotations

import re
import shlex

from darnel.core.options import STANDARD_KS
from darnel.core.results import Results
from darnel.core.scoring.abstention import CONDITION
from darnel.core.suppressions import RISE

RETRIEVER = re.compile(r"(own|bm25|counts|dense|hybrid)(?=[@+]|$)")
"""How what was asked begins where it is a ``--retriever``, and no application."""


def command_line(results: Results) -> list[str]:
    """A shell command on several lines; what results do not hold (metadata, allowed hosts, judgments) is not in it."""
    target, run = results.target, results.run
    options = [("--queries", next((q.where.rpartition(":")[0] for q in results.queries if q.where), "QUESTIONS"))]
    if target.embedder:
        options.append(("--embedder", target.embedder))
    measured = {int(k) for score in results.scores for k in score.exposure}
    ks = [target.k, *sorted(measured - {target.k, *STANDARD_KS})]
    options += [("--k", ",".join(map(str, ks))), ("--reach", f"{run.reach:g}"), ("--seed", str(run.seed))]
    if RETRIEVER.match(target.app):
        options.append(("--retriever", target.app))
    if target.isolation != "pattern":
        options.append(("--isolation", target.isolation))
    doses = [pattern.label.partition("+")[0] for pattern in results.patterns if not pattern.control]
    options += [("--pattern", dose) for dose in dict.fromkeys(doses)]
    options += [("--payload", name) for name in dict.fromkeys(p.payload for p in results.patterns) if name]
    rises = [gate.condition for gate in results.gates if RISE in gate.condition]
    given = [gate.condition for gate in results.gates if gate.condition not in (*rises, CONDITION)]
    options += [("--fail-on", condition) for condition in given]
    if rises:
        options += [("--baseline", "BASELINE"), ("--allowed-rise", rises[0].rpartition(" ")[2])]
    lines = [f"darnel run {_word(target.spec or 'TARGET')}", *(f"    {name} {_word(value)}" for name, value in options)]
    if any(query.paraphrases for query in results.queries):
        lines.append("    --transfer")
    return [f"{line} \\" for line in lines[:-1]] + lines[-1:]


def _word(value: str) -> str:
    return value if value in ("TARGET", "QUESTIONS", "BASELINE") else shlex.quote(value)
