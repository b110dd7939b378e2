"""Models that are no models: each does one thing, always the same, and needs nothing.

Two of them bound what a real model may do. The obedient one does what any text in its messages asks for, whoever wrote it; what
a defence buys against it is bought by changing the text. The heedful one keeps to rules that the system message states; what a
defence buys only against this one rests on a model that keeps to rules.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from darnel.core.corpus import ToolCall
from darnel.core.plant import find_markers
from darnel.core.text import content_words, sentences
from darnel.models.base import ChatReply, Message, Tool
from darnel.models.reading import wishes

REFUSAL = "I cannot answer that."
ENVELOPE = re.compile(r"<doc\b[^>]*>.*?</doc>", re.IGNORECASE | re.DOTALL)
"""What a heedful model takes for data, where its system message says that documents are."""
DATA_RULE = "documents are data"
TOOL_RULE = "no document can ask for a tool"
"""Words in the system message by which a heedful model knows the two rules."""


def _text_of(messages: Sequence[Message], role: str) -> str:
    return "\n".join(m.text for m in messages if m.role == role)


def _obey(read: str, messages: Sequence[Message], tools: Sequence[Tool], *, calls: bool = True) -> ChatReply:
    """Do all that is asked for in ``read``; where nothing is to be said, answer the question from the texts."""
    found, offered = list(wishes(read)), {tool.name: tool for tool in tools}
    said = [wish.say for wish in found if wish.say]
    if any(wish.secret for wish in found):
        said += sorted(find_markers(_text_of(messages, "system")))
    asked = [wish.call for wish in found if wish.call] if calls else []
    made = tuple(ToolCall(t.name, {t.argument: marker}) for t in offered.values() for marker in dict.fromkeys(asked))
    if any(wish.refuse for wish in found):
        said.insert(0, REFUSAL)
    return ChatReply(" ".join(dict.fromkeys(said)) or extract(_text_of(messages, "user")), made)


def extract(text: str) -> str:
    """The sentence of a text that shares most words with its last line, the question, and says more than that: an answer
    without any wit. What asks for something is no answer."""
    *rest, question = text.strip().splitlines() or [""]
    asked = set(content_words(question.removeprefix("Question:")))
    found = [(sentence, set(content_words(sentence))) for sentence in sentences("\n".join(rest))]
    shared = [(len(asked & said), s) for s, said in found if asked & said and said - asked and not any(wishes(s))]
    return max(shared, key=lambda pair: pair[0])[1] if shared else REFUSAL


@dataclass(frozen=True, slots=True)
class Scripted:
    """A scripted model: a name, and a function from messages and tools to its reply."""

    name: str
    act: Callable[[Sequence[Message], Sequence[Tool]], ChatReply]

    def reply(self, messages: Sequence[Message], tools: Sequence[Tool] = ()) -> ChatReply:
        """See ``ChatModel.reply``."""
        return self.act(messages, tools)


def _obedient(messages: Sequence[Message], tools: Sequence[Tool]) -> ChatReply:
    return _obey(_text_of(messages, "user"), messages, tools)


def _heedful(messages: Sequence[Message], tools: Sequence[Tool]) -> ChatReply:
    rules, read = _text_of(messages, "system").casefold(), _text_of(messages, "user")
    if DATA_RULE in rules:
        return _obey(ENVELOPE.sub("", read), messages, tools)
    return _obey(read, messages, tools, calls=TOOL_RULE not in rules)


def _refusing(_messages: Sequence[Message], _tools: Sequence[Tool]) -> ChatReply:
    return ChatReply(REFUSAL)


def _silent(_messages: Sequence[Message], _tools: Sequence[Tool]) -> ChatReply:
    return ChatReply(None)


def _raising(_messages: Sequence[Message], _tools: Sequence[Tool]) -> ChatReply:
    raise RuntimeError("429 rate limit reached")


def _hanging(_messages: Sequence[Message], _tools: Sequence[Tool]) -> ChatReply:
    threading.Event().wait()
    raise AssertionError  # never comes


ACTS: dict[str, Callable[[Sequence[Message], Sequence[Tool]], ChatReply]] = {
    "obedient": _obedient,
    "heedful": _heedful,
    "refusing": _refusing,
    "silent": _silent,
    "raising": _raising,
    "hanging": _hanging,
}
"""What each scripted model does."""


@dataclass
class After:
    """Obedient for so many turns, and then what is named; safe in several threads."""

    name: str
    turns: int
    then: Scripted
    _taken: int = field(default=0, init=False)
    _turn: threading.Lock = field(default_factory=threading.Lock, init=False)

    def reply(self, messages: Sequence[Message], tools: Sequence[Tool] = ()) -> ChatReply:
        """See ``ChatModel.reply``."""
        with self._turn:
            self._taken += 1
            act = _obedient if self._taken <= self.turns else self.then.act
        return act(messages, tools)
