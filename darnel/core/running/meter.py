"""How far a run has come, counted in questions."""

from __future__ import annotations

from darnel.core.corpus import Retriever, TellsReplies
from darnel.core.options import RunOptions


class Meter:
    """Tells ``options.progress`` what is being asked and how many questions of the whole run have been.

    Every question counts once for each pattern, and twice with nothing planted: before and after. A store answers a wave
    at a stroke; an application one question at a time, and each is told.
    """

    def __init__(self, options: RunOptions, queries: int, doses: int) -> None:
        self._progress = options.progress
        self._total = queries * (2 + (1 if options.isolation == "together" else doses))
        self._title, self._before, self._of, self._within = "", 0, 0, 0

    def watch(self, retriever: Retriever | None) -> None:
        """From here on, count the replies of an application as they come."""
        asked: object = retriever
        if isinstance(asked, TellsReplies):
            asked.on_reply(self._replied)

    def begin(self, title: str, questions: int) -> None:
        """The step before is over; this one asks so many questions."""
        self._before += self._of
        self._title, self._of, self._within = title, questions, 0
        self._tell()

    def _replied(self) -> None:
        self._within = min(self._within + 1, self._of)  # some are asked more than once
        self._tell()

    def _tell(self) -> None:
        self._progress(self._title, min(self._before + self._within, self._total), self._total)
