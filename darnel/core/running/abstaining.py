"""Ask an application the questions that its corpus cannot answer, with nothing planted."""

from __future__ import annotations

from darnel.core.results import AbstentionInfo
from darnel.core.running.run import Run
from darnel.core.scoring.abstention import judge_abstention


def ask_unanswerable(run: Run) -> AbstentionInfo | None:
    """What became of them; None where there are none."""
    if not run.unanswerable:
        return None
    assert run.target.retriever is not None
    replies = run.target.retriever.retrieve([q.text for q in run.unanswerable], run.options.k)
    return judge_abstention(run.unanswerable, replies)
