"""Searches in threads of its own, which know nothing of who started them."""

import threading
from concurrent.futures import ThreadPoolExecutor

from tests.apps.langchain.zoo import parts

store = parts.in_memory()
pool = ThreadPoolExecutor(2)


def ask(question: str) -> str:
    found = pool.submit(store.similarity_search, question, k=4).result()
    return parts.quotes().invoke(parts.PROMPT.format_messages(context=parts.joined(found), question=question)).text


MODEL = parts.quotes()


def ask_and_answer(question: str) -> str:
    """The model, too."""

    def work() -> str:
        found = store.similarity_search(question, k=4)
        return str(MODEL.invoke(parts.PROMPT.format_messages(context=parts.joined(found), question=question)).content)

    return pool.submit(work).result()


def forget(question: str) -> str:
    """And never waits for it."""
    threading.Thread(target=lambda: None).start()
    return "I do not know."
