"""Call an application with a question, by what it is."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable
from typing import Any

from darnel.adapters.apps.loop import run_async
from darnel.adapters.llamaindex.apps.own import takes_one
from darnel.adapters.llamaindex.apps.stop import StopAsking
from darnel.adapters.llamaindex.apps.trace import Trace
from darnel.core.errors import UsageError

Drive = Callable[[str, Trace], Any]
"""Asks a question; returns what the application returned, or raises what it raised."""


def driver(app: Any) -> Drive:
    """How an application is asked.

    Raises:
        UsageError: a workflow that is no agent, of which nobody knows how it takes a question.
    """
    from llama_index.core.agent.workflow import AgentWorkflow
    from llama_index.core.agent.workflow.base_agent import BaseWorkflowAgent
    from llama_index.core.base.base_query_engine import BaseQueryEngine
    from llama_index.core.base.base_retriever import BaseRetriever
    from llama_index.core.chat_engine.types import BaseChatEngine

    if isinstance(app, BaseQueryEngine):
        return lambda question, _trace: _consumed(app.query(question))
    if isinstance(app, BaseRetriever):
        return lambda question, _trace: app.retrieve(question)
    if isinstance(app, BaseChatEngine):
        return lambda question, _trace: _chat(app, question)
    if isinstance(app, BaseWorkflowAgent | AgentWorkflow):
        return lambda question, trace: run_async(_until_stopped(lambda: _run_agent(app, question), trace))
    if takes_one(app):
        return lambda question, trace: _call(app, question, trace)
    raise UsageError(
        f"cannot tell how a {type(app).__name__} takes a question; give a function of one argument that runs it, for "
        "instance 'async def ask(question): return await workflow.run(query=question)'"
    )


def one_at_a_time(app: Any) -> bool:
    """Whether an application keeps a conversation, in which questions would mix."""
    from llama_index.core.chat_engine.types import BaseChatEngine

    return isinstance(app, BaseChatEngine)


def expects_model(app: Any) -> bool:
    """Whether an application is known to hand what it retrieves to a model: a retriever does not, a function may not."""
    from llama_index.core.base.base_retriever import BaseRetriever

    return not isinstance(app, BaseRetriever) and not takes_one(app)


def _chat(engine: Any, question: str) -> Any:
    """Ask in a conversation of its own; the engine's own history is put back."""
    memory = getattr(engine, "_memory", None)
    if memory is None:
        return engine.chat(question, chat_history=[])
    before = list(memory.get_all())
    try:
        memory.set([])
        return _consumed(engine.chat(question, chat_history=[]))
    finally:
        memory.set(before)


async def _run_agent(agent: Any, question: str) -> Any:
    from llama_index.core.workflow import Context

    return await agent.run(user_msg=question, ctx=Context(agent))


def _call(function: Callable[[str], Any], question: str, trace: Trace) -> Any:
    output = function(question)
    if inspect.isawaitable(output):
        return run_async(_until_stopped(lambda: _consumed_later(output), trace))
    if inspect.isasyncgen(output):
        return run_async(_until_stopped(lambda: _joined_later(output), trace))
    return _consumed(output)


async def _until_stopped(work: Callable[[], Awaitable[Any]], trace: Trace) -> Any:
    """Run to the end, or until the question is ended: what ends it may never come out of a workflow's tasks."""
    loop, ended = asyncio.get_running_loop(), asyncio.Event()
    trace.on_stop.append(lambda: loop.call_soon_threadsafe(ended.set))
    task, waiting = asyncio.ensure_future(work()), asyncio.ensure_future(ended.wait())
    try:
        await asyncio.wait({task, waiting}, return_when=asyncio.FIRST_COMPLETED)
        if trace.stopped.is_set():
            raise StopAsking
        return await task
    finally:
        for left in (task, waiting):
            if not left.done():
                left.cancel()
        await asyncio.gather(task, waiting, return_exceptions=True)


async def _consumed_later(output: Awaitable[Any]) -> Any:
    from llama_index.core.base.response.schema import AsyncStreamingResponse
    from llama_index.core.chat_engine.types import StreamingAgentChatResponse

    found = await output
    if isinstance(found, AsyncStreamingResponse):
        return await found.get_response()
    if isinstance(found, StreamingAgentChatResponse):
        async for _token in found.async_response_gen():
            pass
        return found
    return await _joined_later(found) if inspect.isasyncgen(found) else _consumed(found)


async def _joined_later(parts: Any) -> str:
    return "".join([str(part) async for part in parts])


def _consumed(output: Any) -> Any:
    """The output with a stream read to its end."""
    from llama_index.core.base.response.schema import StreamingResponse
    from llama_index.core.chat_engine.types import StreamingAgentChatResponse

    if inspect.isgenerator(output):
        return "".join(str(part) for part in output)
    if isinstance(output, StreamingResponse):
        return output.get_response()
    if isinstance(output, StreamingAgentChatResponse):
        for _token in output.response_gen:
            pass
    return output
