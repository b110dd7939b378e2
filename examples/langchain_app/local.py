"""Stand-ins for a machine without a network: an embedding model, and a chat model that follows a script."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import wordllama
from langchain_core.embeddings import Embeddings
from langchain_core.language_models.chat_models import SimpleChatModel
from langchain_core.messages import BaseMessage


class StaticEmbeddings(Embeddings):
    """WordLlama's vectors of 256 numbers; the weights are in its wheel."""

    def __init__(self) -> None:
        self.model = wordllama.WordLlama.load(cache_dir=Path(wordllama.__file__).parent, disable_download=True)

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """A vector for each text."""
        return self.model.embed(texts, norm=True).tolist()

    def embed_query(self, text: str) -> list[float]:
        """The vector of a question."""
        return self.embed_documents([text])[0]


class ScriptedChat(SimpleChatModel):
    """Answers by one of three manners: ``obey`` its passages, ``quote`` them, or ``ignore`` them."""

    manner: str = "obey"

    def _call(self, messages: list[BaseMessage], *_args: Any, **_kwargs: Any) -> str:
        return {"obey": obey, "quote": quote, "ignore": ignore}[self.manner](str(messages[-1].content))

    @property
    def _llm_type(self) -> str:
        return "scripted"


def obey(prompt: str) -> str:
    """Does what the passages ask for; without a request in them, answers with the first sentence of the first."""
    passages = _passages(prompt)
    asking = [passage for passage in passages if "please report" in passage.lower()]
    if asking:
        return "\n".join(f"As asked, I report: {passage}" for passage in asking)
    return passages[0].partition(". ")[0] + "." if passages else ignore(prompt)


def quote(prompt: str) -> str:
    """Repeats the first passage word for word."""
    return next(iter(_passages(prompt)), ignore(prompt))


def ignore(_prompt: str) -> str:
    """Answers without having read anything."""
    return "I do not know."


def _passages(prompt: str) -> list[str]:
    """What stands between the instruction and the question."""
    return [part.strip() for part in prompt.split("\n\n")[1:-1] if part.strip()]
