"""From a spec string, or an object of the application's, to a chat model."""

from __future__ import annotations

from darnel.core.errors import UnknownNameError, UsageError
from darnel.models.base import ChatModel
from darnel.models.langchain import LangChainModel, open_langchain_model
from darnel.models.scripted import ACTS, After, Scripted

SCRIPTED = "scripted"


def resolve_model(given: object) -> ChatModel:
    """A chat model from what a user gives.

    Recognised: a ``ChatModel``; ``"scripted:obedient"`` and the like, ``"scripted:raising:20"`` for one that obeys 20 times
    before; ``"anthropic:..."``, ``"openai:..."``, ``"ollama:..."`` and whatever else LangChain's ``init_chat_model``
    knows; a chat model object of LangChain's.

    Raises:
        UnknownNameError: no scripted model of that name.
        UsageError: it is none of these, or a package or a setting of the provider's is missing.
    """
    if isinstance(given, ChatModel):
        return given
    if not isinstance(given, str):
        if hasattr(given, "invoke") and hasattr(given, "bind_tools"):
            return LangChainModel(given, type(given).__name__)
        raise UsageError(
            f"{type(given).__name__} is no chat model; give a spec such as scripted:obedient, or LangChain's"
        )
    provider, colon, rest = given.partition(":")
    if not colon or not rest:
        raise UsageError(
            f"the model '{given}': write PROVIDER:MODEL, for instance scripted:obedient or ollama:llama3.2"
        )
    return _scripted(given, rest) if provider == SCRIPTED else open_langchain_model(given)


def _scripted(spec: str, rest: str) -> ChatModel:
    name, colon, turns = rest.partition(":")
    if name not in ACTS:
        raise UnknownNameError("scripted model", name, ACTS)
    model = Scripted(spec, ACTS[name])
    if not colon:
        return model
    if not turns.isdecimal():
        raise UsageError(
            f"the model '{spec}': after the name comes a number of turns, for instance {SCRIPTED}:{name}:20"
        )
    return After(spec, int(turns), model)
