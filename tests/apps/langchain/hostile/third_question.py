"""Fails for one question of three, whoever asks it."""

from tests.apps.langchain.zoo import parts

store = parts.in_memory()


def ask(question: str) -> list[str]:
    if "orchard keep" in question:
        raise ConnectionError("the database went away")
    return [d.page_content for d in store.similarity_search(question)]
