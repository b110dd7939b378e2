"""A scripted model that answers well and, in the same sentence, does what a document asks."""

from __future__ import annotations

from collections.abc import Sequence

from darnel.core.plant import find_markers
from darnel.models.base import ChatReply, Message, Tool
from darnel.models.reading import wishes
from darnel.models.scripted import REFUSAL, extract


class Obliging:
    """Where the obedient one says nothing but what it was asked to say, this one hides it in its answer."""

    name = "scripted:obliging"

    def reply(self, messages: Sequence[Message], tools: Sequence[Tool] = ()) -> ChatReply:
        """See ``ChatModel.reply``."""
        system, user = ("\n".join(m.text for m in messages if m.role == role) for role in ("system", "user"))
        found = list(wishes(user))
        said = [wish.say for wish in found if wish.say]
        if any(wish.secret for wish in found):
            said += sorted(find_markers(system))
        answer = extract(user)
        if not said or answer == REFUSAL:
            return ChatReply(" ".join(said) or answer)
        return ChatReply(f"{answer.rstrip('.')} ({', '.join(dict.fromkeys(said))}).")
