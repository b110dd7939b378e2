"""What a chat model is to darnel: messages and tools in, a text and calls of tools out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, runtime_checkable

from darnel.core.corpus import ToolCall
from darnel.core.payload import FAKE_TOOL

Role = Literal["system", "user"]


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a conversation."""

    role: Role
    text: str


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool on offer, with one argument, a text. No tool of darnel's is ever carried out; a call is noted."""

    name: str
    summary: str
    argument: str = "text"


NOTE_TOOL = Tool(FAKE_TOOL, "Files a short note.")
"""The harmless fake tool that payloads ask for."""


@dataclass(frozen=True, slots=True)
class ChatReply:
    """What a model gave back; ``text`` None or empty where it said nothing."""

    text: str | None
    calls: tuple[ToolCall, ...] = ()


@runtime_checkable
class ChatModel(Protocol):
    """A chat model. It may raise anything, and take as long as it likes: whoever asks guards against both."""

    @property
    def name(self) -> str:
        """What it is called in reports."""
        ...

    def reply(self, messages: Sequence[Message], tools: Sequence[Tool] = ()) -> ChatReply:
        """The model's turn."""
        ...
