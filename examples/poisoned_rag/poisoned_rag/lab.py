"""The application under attack: it ingests documents, finds some for a question, builds a context and asks a model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from darnel.adapters.apps.pace import Pace
from darnel.adapters.memory.corpus import MemoryCorpus
from darnel.core.corpus import Record, Reply
from darnel.models.base import ChatModel, Tool
from poisoned_rag.context import Hardening, build

K = 4
"""Documents that the model is given."""
PATIENCE = 30.0
"""Seconds that a model may take for one answer."""


@dataclass
class Rag:
    """A question-answering application over a corpus. ``tools``: those that its model may ask for; none is ever carried out."""

    corpus: MemoryCorpus
    model: ChatModel
    mode: Hardening
    tools: Sequence[Tool] = ()
    patience: float = PATIENCE

    def ingest(self, id_: str, text: str, source: str) -> None:
        """Add a document, as anybody may who can write to the place that documents are taken from."""
        self.corpus.records[id_] = Record(id_, text, {"source": source})

    def ask(self, question: str) -> Reply:
        """What was found, what the model was given, and what it said and asked for; a model that raises or hangs is an error."""
        (found,) = self.corpus.retrieve([question], K)
        messages = build(question, found.sources, self.tools, self.mode)
        prompt = "\n\n".join(message.text for message in messages)

        def call(_question: str) -> Reply:
            said = self.model.reply(messages, self.tools)
            return Reply(answer=said.text, calls=said.calls)

        (reply,) = Pace(jobs=1, timeout=self.patience, retries=0).ask(call, [question])
        return Reply(
            sources=found.sources,
            delivered=found.sources,
            prompt=prompt,
            answer=reply.answer,
            error=reply.error,
            searched=True,
            calls=reply.calls,
        )
