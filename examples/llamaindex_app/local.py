"""Stand-ins for a machine without a network: an embedding model, and a language model that follows a script."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import wordllama
from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.bridge.pydantic import PrivateAttr
from llama_index.core.llms import CompletionResponse, CompletionResponseGen, CustomLLM, LLMMetadata
from llama_index.core.llms.callbacks import llm_completion_callback


class StaticEmbedding(BaseEmbedding):
    """WordLlama's vectors of 256 numbers; the weights are in its wheel."""

    _model: Any = PrivateAttr()

    def __init__(self) -> None:
        super().__init__(model_name="wordllama")
        self._model = wordllama.WordLlama.load(cache_dir=Path(wordllama.__file__).parent, disable_download=True)

    def _get_text_embedding(self, text: str) -> list[float]:
        return self._model.embed([text], norm=True)[0].tolist()

    def _get_query_embedding(self, query: str) -> list[float]:
        return self._get_text_embedding(query)

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return self._get_text_embedding(query)


class ScriptedLLM(CustomLLM):
    """Answers by one of three manners: ``obey`` its passages, ``quote`` them, or ``ignore`` them."""

    manner: str = "obey"

    @property
    def metadata(self) -> LLMMetadata:
        """What LlamaIndex wants to know of a model."""
        return LLMMetadata(model_name="scripted", context_window=100_000)

    @llm_completion_callback()
    def complete(self, prompt: str, formatted: bool = False, **_kwargs: Any) -> CompletionResponse:
        """The whole answer."""
        return CompletionResponse(text={"obey": obey, "quote": quote, "ignore": ignore}[self.manner](prompt))

    @llm_completion_callback()
    def stream_complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> CompletionResponseGen:
        """The whole answer, in one piece."""
        yield self.complete(prompt, formatted, **kwargs)


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
    """What stands between the two rules of LlamaIndex's prompt, without the metadata that it puts before each passage."""
    context = prompt.split("---------------------")[1].strip()
    return [part for part in context.split("\n\n") if not part.startswith("source: ")]
