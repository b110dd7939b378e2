"""Channels that a document only claims to be: turns of a conversation, control tokens, the tags of its own envelope."""

from __future__ import annotations

import re

REMOVED = "[a made-up turn was removed]"
_TEMPLATE = re.compile(
    r"<\|(?:im_start|start_header_id|system|user|assistant)\|>.*?(?:<\|(?:im_end|eot_id|end)\|>|\Z)", re.DOTALL
)
_TOKEN = re.compile(r"<\|[^|<>]{1,40}\|>|\[/?INST\]|<</?SYS>>|</?s>")
_ROLE = re.compile(
    r"^[ \t>*#]*(?:system|assistant|user|human|developer|tool)\b[ \t*]*:.*$", re.IGNORECASE | re.MULTILINE
)
_TAG = re.compile(r"</?\s*(?:doc|documents?|context|system|instructions?)\b[^>]*>?", re.IGNORECASE)


def neutralise(text: str) -> str:
    """A turn that a document makes up is taken out with what it says; tags that could end its envelope go, too.

    A page that quotes a conversation loses those lines: that is the price.
    """
    for pattern, instead in ((_TEMPLATE, REMOVED), (_ROLE, REMOVED), (_TOKEN, ""), (_TAG, "")):
        text = pattern.sub(instead, text)
    return text
