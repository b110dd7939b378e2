"""LlamaIndex's payloads: the whole node as JSON under ``_node_content``, its metadata copied beside it.

A point without a valid node makes every LlamaIndex query that hits it raise, and one whose reference id is the literal
``"None"`` goes whenever an orphan is deleted; so plants carry a whole node with a reference of their own.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from darnel.adapters.qdrant.layouts import OUTER, Layout, Payload, inner_and_outer
from darnel.core.plant import KIT_KEY, STAMP_KEY

NODE_KEY = "_node_content"
REFERENCES = ("document_id", "doc_id", "ref_doc_id")
BOOKKEEPING = frozenset({NODE_KEY, "_node_type", *REFERENCES})
_SKIPPED = frozenset(OUTER + key for key in BOOKKEEPING)
KIT_KEYS = (KIT_KEY, STAMP_KEY)
SOURCE, DOCUMENT = "1", "4"
"""Values of LlamaIndex's NodeRelationship.SOURCE and ObjectType.DOCUMENT."""
_PLACE = re.compile(r"\{(key|value|metadata_str|content)\}")


@dataclass(frozen=True, slots=True)
class NodeStyle:
    """How the application's nodes turn metadata into text, and the order of their metadata keys."""

    metadata_template: str = "{key}: {value}"
    metadata_separator: str = "\n"
    text_template: str = "{metadata_str}\n\n{content}"
    excluded_embed_metadata_keys: tuple[str, ...] = ()
    excluded_llm_metadata_keys: tuple[str, ...] = ()
    order: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class NodeLayout:
    """LlamaIndex's layout."""

    name: str = "llamaindex"
    metadata_key: str = ""
    style: NodeStyle = field(default=NodeStyle())

    def fits(self, payload: Payload) -> bool:
        """See ``Layout.fits``."""
        return _node(payload) is not None

    def learn(self, payloads: Sequence[Payload]) -> Layout:
        """See ``Layout.learn``; the style of the first sampled node."""
        node = next((n for p in payloads if (n := _node(p)) is not None), None)
        return self if node is None else replace(self, style=_style(node))

    def split(self, payload: Payload) -> tuple[str | None, dict[str, Any]]:
        """See ``Layout.split``; whatever differs between the node and its copies is kept under ``../``."""
        node = _node(payload)
        if node is None:
            return None, dict(payload)
        inner: Mapping[str, Any] = node.get("metadata") or {}
        missing = {OUTER + k: None for k in inner if k not in payload}
        outer = {OUTER + k: v for k, v in payload.items() if k not in inner or _differ(inner[k], v)}
        return _text(node), {**inner, **missing, **outer}

    def without_bookkeeping(self, metadata: Payload) -> dict[str, Any]:
        """See ``Layout.without_bookkeeping``."""
        return {k: v for k, v in metadata.items() if k not in _SKIPPED}

    def compose(self, id_: str, text: str, metadata: Payload) -> dict[str, Any]:
        """See ``Layout.compose``."""
        inner, outer = inner_and_outer(metadata)
        inner = _ordered(inner, self.style.order)
        reference = f"darnel-{id_}"
        node: dict[str, Any] = {
            "id_": id_,
            "embedding": None,
            "metadata": inner,
            "excluded_embed_metadata_keys": _with_kit(self.style.excluded_embed_metadata_keys),
            "excluded_llm_metadata_keys": _with_kit(self.style.excluded_llm_metadata_keys),
            "relationships": {
                SOURCE: {
                    "node_id": reference,
                    "node_type": DOCUMENT,
                    "metadata": {},
                    "hash": None,
                    "class_name": "RelatedNodeInfo",
                }
            },
            "metadata_template": self.style.metadata_template,
            "metadata_separator": self.style.metadata_separator,
            "text": text,
            "mimetype": "text/plain",
            "start_char_idx": None,
            "end_char_idx": None,
            "text_template": self.style.text_template,
            "class_name": "TextNode",
        }
        own = {NODE_KEY: json.dumps(node, ensure_ascii=False), "_node_type": "TextNode"}
        return {**inner, **outer, **own, **dict.fromkeys(REFERENCES, reference)}

    def embedded(self, payload: Payload) -> str | None:
        """See ``Layout.embedded``: metadata lines before the text, as ``MetadataMode.EMBED`` makes them."""
        node = _node(payload)
        text = None if node is None else _text(node)
        if node is None or text is None:
            return None
        style = _style(node)
        lines = [
            _fill(style.metadata_template, key=key, value=str(value))
            for key, value in (node.get("metadata") or {}).items()
            if key not in style.excluded_embed_metadata_keys
        ]
        joined = style.metadata_separator.join(lines).strip()
        return _fill(style.text_template, metadata_str=joined, content=text).strip() if joined else text


def _node(payload: Payload) -> Mapping[str, Any] | None:
    content = payload.get(NODE_KEY)
    if not isinstance(content, str):
        return None
    try:
        node = json.loads(content)
    except ValueError:
        return None
    return node if isinstance(node, dict) and isinstance(node.get("metadata"), dict | None) else None


def _text(node: Mapping[str, Any]) -> str | None:
    """``text`` of a TextNode, or ``text_resource.text`` of the newer Node."""
    resource = node.get("text_resource")
    found = node.get("text", resource.get("text") if isinstance(resource, Mapping) else None)
    return found if isinstance(found, str) else None


def _style(node: Mapping[str, Any]) -> NodeStyle:
    given: dict[str, Any] = {
        name: found
        for name in ("metadata_template", "metadata_separator", "text_template")
        if isinstance(found := node.get(name, node.get(name.replace("separator", "seperator"))), str)
    }
    excluded: dict[str, Any] = {
        name: tuple(map(str, node.get(name) or ()))
        for name in ("excluded_embed_metadata_keys", "excluded_llm_metadata_keys")
    }
    return NodeStyle(**given, **excluded, order=tuple(node.get("metadata") or ()))


def _fill(template: str, **values: str) -> str:
    # not str.format: a template comes from the corpus, and a format field can be made to eat all memory
    return _PLACE.sub(lambda m: values.get(m[1], m[0]), template)


def _ordered(metadata: Payload, order: Iterable[str]) -> dict[str, Any]:
    known = [key for key in order if key in metadata]
    return {key: metadata[key] for key in [*known, *(k for k in metadata if k not in known)]}


def _with_kit(keys: Sequence[str]) -> list[str]:
    return [*keys, *(key for key in KIT_KEYS if key not in keys)]


def _differ(a: Any, b: Any) -> bool:
    return json.dumps(a, sort_keys=True, default=str) != json.dumps(b, sort_keys=True, default=str)
