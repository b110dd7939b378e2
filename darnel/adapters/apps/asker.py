"""An unmodified application as a retriever, with the proof that what it retrieves is seen."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from contextlib import redirect_stdout

from darnel.adapters.apps.options import AppOptions
from darnel.adapters.apps.pace import Call, Pace
from darnel.core.asking.evidence import canonical_id
from darnel.core.asking.funnel import all_sources
from darnel.core.corpus import CorpusInjector, Record, Reply, Source

WORDS_ASKED = 40
"""Words of a known document that are asked for: enough to find it, short enough for any application."""
LEAST_TEXT = 30
"""Characters from which a text contained in another is no accident."""


def _fresh() -> str | None:
    return None


class AppAsker:
    """Asks an application; ``Retriever``, ``CaptureProof``, ``TellsReplies`` and ``Remarking``.

    Args:
        call: one question in, one reply out, with whatever could be seen; runs in several threads at once.
        options: how to ask.
        injector: the corpus that the application is believed to read.
        closed: says why the application cannot see a new document, if that can be told beforehand.
        advice: the next step where nothing can be seen.
        answers_suffice: an application that shows only answers is asked all the same, and only those are judged.
    """

    def __init__(
        self,
        call: Call,
        options: AppOptions,
        injector: CorpusInjector,
        *,
        closed: Callable[[], str | None] = _fresh,
        advice: str = "",
        answers_suffice: bool = False,
    ) -> None:
        self._call, self._injector, self._closed, self._advice = call, injector, closed, advice
        self._answers_suffice = answers_suffice
        self.pace = Pace(options.jobs, options.timeout, options.retries)
        self.remarks: list[str] = []

    def remark(self, text: str) -> None:
        """Note for people what came to light while asking; each once."""
        if text not in self.remarks:
            self.remarks.append(text)

    def retrieve(self, queries: Sequence[str], _k: int) -> list[Reply]:
        """See ``Retriever.retrieve``; the application decides itself how many sources it reads, and never raises here."""
        with redirect_stdout(sys.stderr):  # what the application prints is no data of ours
            return self.pace.ask(self._call, queries)

    def on_reply(self, tell: Callable[[], None]) -> None:
        """See ``TellsReplies.on_reply``."""
        self.pace.replied = tell

    def prove_capture(self, known: Sequence[Record]) -> str | None:
        """See ``CaptureProof.prove_capture``; one known document that comes back is proof enough."""
        if reason := self._closed():
            return reason
        seen: list[Source] = []
        errors: list[str] = []
        answered = False
        asked = [r for r in known if r.text and r.text.strip()]
        for record in asked:
            reply = self.retrieve([" ".join((record.text or "").split()[:WORDS_ASKED])], 1)[0]
            if reply.error:
                errors.append(reply.error)
            sources = all_sources(reply)
            if any(shows(source, record) for source in sources):
                return None
            seen.extend(sources)
            answered = answered or bool(reply.answer and not reply.searched)
        if answered and self._answers_suffice and not seen:
            return None
        return self._why(len(asked), seen, errors)

    def _why(self, asked: int, seen: Sequence[Source], errors: Sequence[str]) -> str | None:
        if not asked:
            return "no record of the corpus has a text to ask for"
        if errors and not seen:
            return f"the application failed when asked for a known document: {errors[0]}"
        if ids := [s.id for s in seen if s.id]:
            if self._injector.read(ids):
                return None  # weak at finding, but what it finds is this corpus's and is seen
            return "what the application retrieves is not in this corpus; it reads another store than the one named"
        return f"of {asked} known documents none was seen to come back" + (f"; {self._advice}" if self._advice else "")


def shows(source: Source, record: Record) -> bool:
    """Whether a source is a record, or a piece of it, or holds it: by id, else by text."""
    if source.id is not None and canonical_id(source.id) == canonical_id(record.id):
        return True
    one, other = " ".join((source.text or "").split()), " ".join((record.text or "").split())
    if one == other and one:
        return True
    return min(len(one), len(other)) >= LEAST_TEXT and (one in other or other in one)
