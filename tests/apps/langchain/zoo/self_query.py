"""A model writes the query and its filter."""

import json
from typing import Any

from langchain_classic.chains.query_constructor.schema import AttributeInfo
from langchain_classic.retrievers.self_query.base import SelfQueryRetriever
from langchain_community.query_constructors.chroma import ChromaTranslator
from langchain_core.runnables import RunnablePassthrough

from tests.apps.langchain.zoo import parts

FILTERED = json.dumps({"query": "harbour gates bell", "filter": 'eq("tenant", "blue")'})


def make() -> Any:
    retriever = SelfQueryRetriever.from_llm(
        parts.says(f"```json\n{FILTERED}\n```"),
        parts.in_chroma(),
        "notes of a travel guide",
        [AttributeInfo(name="tenant", description="whose note it is", type="string")],
        use_original_query=True,
        structured_query_translator=ChromaTranslator(),
        search_kwargs={"k": 4},
    )
    return {"context": retriever | parts.joined, "question": RunnablePassthrough()} | parts.PROMPT | parts.quotes()
