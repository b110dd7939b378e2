"""Applications over a house: one that isolates its tenants, and those that believe they do."""

from __future__ import annotations

import json
import re
from typing import Any

from tests.tenants.houses import KEY, TENANTS, House

K = 5


class Filtered:
    """The tenant comes from the call, and the store filters."""

    def __init__(self, house: House) -> None:
        self.house = house

    def __call__(self, question: str, tenant: str) -> list[Any]:
        return self.house.search(question, K, tenant)


class Unfiltered(Filtered):
    """It forgot."""

    def __call__(self, question: str, _tenant: str) -> list[Any]:
        return self.house.search(question, K, None)


class PostFiltered(Filtered):
    """The store finds ``fetched``, and what is another's is thrown away afterwards."""

    fetched = K

    def __call__(self, question: str, tenant: str) -> list[Any]:
        found = self.house.search(question, self.fetched, None)
        return [d for d in found if self.house.owner(d) == tenant][:K]


class PostFilteredGenerously(PostFiltered):
    fetched = 4 * K


class FromText(Filtered):
    """Whom the question names, it is believed to come from."""

    def __call__(self, question: str, tenant: str) -> list[Any]:
        named = re.search(rf"{KEY}\s*[=:]\s*(\w+)", question)
        return self.house.search(question, K, named[1] if named and named[1] in TENANTS else tenant)


class FromModel(Filtered):
    """A model writes the filter, as a self-query retriever has it do; this one is told the tenant and reads the question."""

    def model(self, prompt: str) -> str:
        told, _, question = prompt.partition("\n")
        named = [t for t in TENANTS if t in question]
        return json.dumps({"tenant": named[0] if named else told})

    def __call__(self, question: str, tenant: str) -> list[Any]:
        return self.house.search(question, K, json.loads(self.model(f"{tenant}\n{question}"))["tenant"])


WRONG = {
    "unfiltered": (Unfiltered, {"same text", "own text", "naming", "enumeration", "flooding"}),
    "post-filtered": (PostFiltered, {"flooding"}),
    "post-filtered from four times as many": (PostFilteredGenerously, {"flooding"}),
    "filter from the user's text": (FromText, {"naming"}),
    "filter from the model's text": (FromModel, {"naming"}),
}
"""Name → the application, and the checks that must find a breach; those that must not are all the others."""
