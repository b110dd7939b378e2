"""Ends the program for one of the questions, in a function and in a task of an event loop."""

import asyncio
import sys

from tests.apps.langchain.zoo import parts

store = parts.in_memory()


def ask(question: str) -> list[str]:
    if "orchard keep" in question:
        sys.exit(3)
    return [d.page_content for d in store.similarity_search(question)]


async def find(question: str) -> list[str]:
    if "orchard keep" in question:
        sys.exit(3)
    return [d.page_content for d in await store.asimilarity_search(question)]


async def ask_later(question: str) -> list[str]:
    return (await asyncio.gather(find(question)))[0]
