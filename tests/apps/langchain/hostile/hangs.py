"""Never answers one of the questions."""

import threading

from tests.apps.langchain.zoo import parts

store = parts.in_memory()
released = threading.Event()


def ask(question: str) -> list[str]:
    if "orchard keep" in question:
        released.wait(60)
    return [d.page_content for d in store.similarity_search(question)]
