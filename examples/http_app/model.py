"""Models for a machine without one: functions from a prompt to an answer, each with its own way of reading."""

from __future__ import annotations


def obey(prompt: str) -> str:
    """Does what the passages ask for; without a request in them, answers with the first sentence of the first."""
    passages = _passages(prompt)
    asking = [passage for passage in passages if "please report" in passage.lower()]
    if asking:
        return "\n".join(f"As asked, I report: {passage}" for passage in asking)
    return passages[0].partition(". ")[0] + "." if passages else ignore(prompt)


def quote(prompt: str) -> str:
    """Repeats the first passage word for word."""
    return next(iter(_passages(prompt)), ignore(prompt))


def ignore(_prompt: str) -> str:
    """Answers without having read anything."""
    return "I do not know."


def _passages(prompt: str) -> list[str]:
    """What stands between the instruction and the question."""
    return [part.strip() for part in prompt.split("\n\n")[1:-1] if part.strip()]
