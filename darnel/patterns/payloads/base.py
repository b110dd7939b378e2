"""A function from request to text as a payload."""

from __future__ import annotations

from collections.abc import Callable

from darnel.core.payload import Goal, Payload, PayloadRequest


def payload(
    *,
    summary: str,
    name: str = "",
    family: str = "custom",
    goal: Goal = "marker",
    forms: tuple[str, ...] = (),
    parts: int = 1,
    references: tuple[str, ...] = (),
) -> Callable[[Callable[[PayloadRequest], str]], Payload]:
    """Make a payload of a function from request to text; its name is the function's, with hyphens.

    The function must put ``request.marker`` into the text, and ask for nothing but that.
    """

    def make(text: Callable[[PayloadRequest], str]) -> Payload:
        return Payload(
            name=name or text.__name__.strip("_").replace("_", "-").lower(),
            summary=summary if summary.endswith(".") else f"{summary}.",
            text=text,
            family=family,
            goal=goal,
            forms=forms,
            parts=parts,
            references=references,
        )

    return make
