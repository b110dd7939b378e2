"""Any chat model of LangChain's, made by its configuration string or handed in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from darnel.core.corpus import ToolCall
from darnel.core.errors import UsageError, describe_error
from darnel.models.base import ChatReply, Message, Tool

INSTALL = (
    "pip install 'darnel[models]' langchain-PROVIDER (langchain-anthropic, langchain-openai, langchain-ollama, ...)"
)


class LangChainModel:
    """A chat model of LangChain's as one of darnel's."""

    def __init__(self, model: Any, name: str) -> None:
        self.name, self._model = name, model

    def reply(self, messages: Sequence[Message], tools: Sequence[Tool] = ()) -> ChatReply:
        """See ``ChatModel.reply``; raises what the provider's client raises."""
        asked = self._model.bind_tools([_schema(tool) for tool in tools]) if tools else self._model
        said = asked.invoke([(message.role, message.text) for message in messages])
        calls = tuple(ToolCall(call["name"], dict(call["args"])) for call in getattr(said, "tool_calls", ()))
        return ChatReply(str(said.text) or None, calls)


def open_langchain_model(spec: str) -> LangChainModel:
    """The model of ``provider:model``, as LangChain's ``init_chat_model`` reads it; keys come from the environment.

    Raises:
        UsageError: LangChain or the provider's package is missing, the provider is not known, or its settings are.
    """
    try:
        from langchain.chat_models import init_chat_model
    except ImportError:
        raise UsageError(f"the model {spec} is made by LangChain, which is not installed; run: {INSTALL}") from None
    try:
        return LangChainModel(init_chat_model(spec), spec)
    except ImportError as error:
        raise UsageError(f"the model {spec} needs a package that is not installed: {describe_error(error)}") from None
    except Exception as error:  # a provider's own: no key, an unknown name
        raise UsageError(f"the model {spec} cannot be made: {describe_error(error)}") from error


def _schema(tool: Tool) -> dict[str, Any]:
    """The tool as OpenAI's JSON schema, which every provider of LangChain's takes."""
    argument = {"type": "object", "properties": {tool.argument: {"type": "string"}}, "required": [tool.argument]}
    return {"type": "function", "function": {"name": tool.name, "description": tool.summary, "parameters": argument}}
