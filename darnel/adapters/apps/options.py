"""How an application is asked."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from darnel.core.errors import UsageError


@dataclass(frozen=True, slots=True)
class AppOptions:
    """How an application is asked. Times are in seconds.

    ``jobs``: questions under way at once. ``timeout``: how long one call may take; each try has as long. ``retries``: how
    often a question that failed is asked once more. ``answers``: let the application answer; else it is stopped before
    the model that would see what was retrieved. ``allow_model``: let models be called that are needed before that
    (routing, rewriting). ``input``: JSON that the application takes, with ``{query}`` in the place of the question.
    ``store``: which of the stores found in the application, by its path. ``into``: where to plant, for an application
    whose store cannot be found: a target spec, or anything else that ``open_target`` takes; an opener is given the opened
    ``Target``. ``answer_path`` and ``sources_path``: JMESPath to them in what the application returns. ``headers``:
    ``NAME=$VARIABLE`` each, sent with every HTTP request; only the names of environment variables are kept here.
    """

    jobs: int = 4
    timeout: float = 60.0
    retries: int = 2
    answers: bool = False
    allow_model: bool = False
    input: str | None = None
    store: str | None = None
    into: Any = None
    answer_path: str | None = None
    sources_path: str | None = None
    headers: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.jobs < 1:
            raise UsageError(f"jobs must be 1 or more, not {self.jobs}")
        if self.timeout <= 0 or self.retries < 0:
            raise UsageError("the timeout must be more than 0 seconds, and retries 0 or more")
        if self.input is not None:
            fill(self.input, "")


DEFAULT_APP = AppOptions()


PASSAGES = "{passages}"
_SLOT = re.compile(r"\{query\}|\{passages\}")


def fill(template: str, query: str, passages: Sequence[str] | None = None) -> object:
    """The template's JSON with the question in each string's ``{query}``. Where there are passages, a string that is
    ``{passages}`` becomes the list of them, and elsewhere in a string they stand with blank lines between.

    Raises:
        UsageError: it is no JSON, or has no ``{query}``.
    """
    try:
        parsed = json.loads(template)
    except json.JSONDecodeError as error:
        raise UsageError(
            f'cannot read the input {template!r}: {error}; write for instance \'{{"question": "{{query}}"}}\''
        ) from None
    if "{query}" not in template:
        raise UsageError(f"the input {template!r} has no {{query}} in it, so every question would be the same")
    slots = {"{query}": query} if passages is None else {"{query}": query, PASSAGES: "\n\n".join(passages)}
    return _filled(parsed, slots, passages)


def _filled(value: object, slots: Mapping[str, str], passages: Sequence[str] | None) -> object:
    if isinstance(value, str):
        if value == PASSAGES and passages is not None:
            return list(passages)
        # at one go: what is put in is not looked at again
        return _SLOT.sub(lambda found: slots.get(found[0], found[0]), value)
    if isinstance(value, dict):
        return {key: _filled(item, slots, passages) for key, item in value.items()}
    return [_filled(item, slots, passages) for item in value] if isinstance(value, list) else value
