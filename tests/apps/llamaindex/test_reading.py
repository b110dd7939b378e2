"""What LlamaIndex's objects hold, read without tripping over those that hold nothing."""

from __future__ import annotations

from llama_index.core.base.llms.types import ToolCallBlock
from llama_index.core.llms import ChatMessage
from llama_index.core.prompts import PromptTemplate

from darnel.adapters.apps.output import as_text
from darnel.adapters.llamaindex.apps.reading import prompt_of
from darnel.adapters.llamaindex.apps.trace import Trace
from darnel.core.corpus import Source


class Self:
    def __init__(self) -> None:
        self.text = self


def test_an_object_without_a_text_has_none() -> None:
    assert as_text(None) is None
    assert as_text(object()) is None
    assert as_text(Self()) is None
    assert as_text([{"text": "one"}, None, {"content": [{"text": "two"}]}]) == "one\ntwo"


def test_prompts_are_read_however_they_are_handed_over() -> None:
    call = ChatMessage(
        role="assistant", blocks=[ToolCallBlock(tool_call_id="1", tool_name="search", tool_kwargs={"q": "x"})]
    )
    said = ChatMessage(role="user", content="What is it?")
    assert prompt_of(("plain",), {}) == "plain"
    assert prompt_of((), {"prompt": "plain"}) == "plain"
    assert prompt_of((), {"messages": [said, call]}).startswith("What is it?\n\n")
    assert prompt_of((object, PromptTemplate("On {topic}.")), {"topic": "bread", "llm_kwargs": {}}) == "On bread."
    assert prompt_of((object,), {"prompt": PromptTemplate("On {topic}."), "topic": "bread"}) == "On bread."


def test_each_search_has_its_turn_and_each_record_its_place() -> None:
    trace = Trace("q", stop=True, allow_model=False)
    trace.store_searched(None, (Source("a"), Source("b"), Source("c")))
    trace.store_searched(None, (Source("b"), Source("d")))
    assert [s.id for s in trace.sources()] == ["a", "b", "d", "c"]
