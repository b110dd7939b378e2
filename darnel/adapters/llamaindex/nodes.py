"""Plants as LlamaIndex nodes, and what a store holds of a node as a plain record.

LlamaIndex puts ``key: value`` lines of a node's metadata before its text, both for the embedder and for the model,
except for keys that the node itself lists as excluded. A plant's node gets the lists and templates that the
application's nodes have, and the kit's own keys are excluded on top.
"""

from __future__ import annotations

import json
import uuid
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from darnel.core.corpus import Record
from darnel.core.plant import KIT_KEY, NAMESPACE, STAMP_KEY, Plant

OWN_KEYS = frozenset({"_node_content", "_node_type", "document_id", "doc_id", "ref_doc_id"})
"""Keys that LlamaIndex itself writes beside a node's metadata."""


@dataclass(frozen=True, slots=True)
class NodeStyle:
    """How nodes become the text that is embedded and the text that a model reads; the defaults are LlamaIndex's."""

    excluded_embed: tuple[str, ...] = ()
    excluded_llm: tuple[str, ...] = ()
    metadata_template: str = "{key}: {value}"
    metadata_separator: str = "\n"
    text_template: str = "{metadata_str}\n\n{content}"
    order: tuple[str, ...] = ()
    """Metadata keys in the order in which their lines stand."""

    def fields(self, exclude: tuple[str, ...] = ()) -> dict[str, Any]:
        """As fields of a ``TextNode``; ``exclude`` names further keys that neither text may show."""
        return {
            "excluded_embed_metadata_keys": [*self.excluded_embed, *exclude],
            "excluded_llm_metadata_keys": [*self.excluded_llm, *exclude],
            "metadata_template": self.metadata_template,
            "metadata_separator": self.metadata_separator,
            "text_template": self.text_template,
        }

    def ordered(self, metadata: Mapping[str, Any]) -> dict[str, Any]:
        """Metadata with its keys in that order, and any other keys behind."""
        return {k: metadata[k] for k in (*self.order, *metadata) if k in metadata}


DEFAULT_STYLE = NodeStyle()


@dataclass(frozen=True, slots=True)
class StoredNode:
    """One node as a store holds it. ``style`` None: the record was not written by LlamaIndex.

    ``vector``: the stored floats, or a mapping of name to floats where there are several.
    """

    id: str
    text: str | None
    metadata: Mapping[str, Any]
    vector: Any = None
    style: NodeStyle | None = None

    def record(self) -> Record:
        """As the contract's record."""
        return Record(self.id, self.text, self.metadata, self.vector)

    def embedded_text(self) -> str:
        """The text whose vector the application stored."""
        from llama_index.core.schema import MetadataMode, TextNode

        if self.style is None:
            return self.text or ""
        node = TextNode(text=self.text or "", metadata=dict(self.metadata), **self.style.fields())
        return str(node.get_content(MetadataMode.EMBED))


def source_id(plant_id: str) -> str:
    """The id of the document that a plant's node says it comes from: the kit's own, one for each plant.

    A node without one is stored under the literal id "None", together with all others that have none, and the
    application's deletion of one would take them all.
    """
    return str(uuid.uuid5(NAMESPACE, f"source of {plant_id}"))


def plant_node(plant: Plant, style: NodeStyle) -> Any:
    """A ``TextNode`` for a plant, without its embedding."""
    from llama_index.core.schema import NodeRelationship, ObjectType, RelatedNodeInfo, TextNode

    return TextNode(
        id_=plant.id,
        text=plant.text,
        metadata=style.ordered(plant.metadata),
        relationships={
            NodeRelationship.SOURCE: RelatedNodeInfo(node_id=source_id(plant.id), node_type=ObjectType.DOCUMENT)
        },
        start_char_idx=0,
        end_char_idx=len(plant.text),
        **style.fields(exclude=(KIT_KEY, STAMP_KEY)),
    )


def common_style(nodes: Iterable[StoredNode]) -> NodeStyle:
    """The style that most of the nodes have, and the order of metadata keys that most have."""
    found = [node.style for node in nodes if node.style is not None]
    if not found:
        return DEFAULT_STYLE
    style = Counter(replace(style, order=()) for style in found).most_common(1)[0][0]
    return replace(style, order=Counter(style.order for style in found).most_common(1)[0][0])


def read_node(node: Any, beside: Mapping[str, Any] | None = None, vector: Any = None) -> StoredNode:
    """A node object, from a docstore; ``beside``: the metadata that the vector store filters by."""
    style = NodeStyle(
        excluded_embed=tuple(node.excluded_embed_metadata_keys),
        excluded_llm=tuple(node.excluded_llm_metadata_keys),
        order=tuple(node.metadata),
        metadata_template=node.metadata_template,
        metadata_separator=node.metadata_separator,
        text_template=getattr(node, "text_template", DEFAULT_STYLE.text_template),
    )
    metadata = node.metadata if beside is None else _reconcile(node.metadata, beside)
    return StoredNode(node.node_id, str(node.get_content()), metadata, vector, style)


def read_flat(id_: str, flat: Mapping[str, Any], text: str | None = None, vector: Any = None) -> StoredNode:
    """A node from the flat metadata or payload of a text-keeping store; ``text`` where the store keeps it apart."""
    content = _content(flat)
    if content is None:
        return StoredNode(id_, flat.get("text") if text is None else text, flat, vector)
    style = NodeStyle(
        excluded_embed=tuple(content.get("excluded_embed_metadata_keys") or ()),
        excluded_llm=tuple(content.get("excluded_llm_metadata_keys") or ()),
        order=tuple(content.get("metadata") or ()),
        metadata_template=content.get("metadata_template") or DEFAULT_STYLE.metadata_template,
        metadata_separator=content.get("metadata_separator")
        or content.get("metadata_seperator")  # as older versions spelled it
        or DEFAULT_STYLE.metadata_separator,
        text_template=content.get("text_template") or DEFAULT_STYLE.text_template,
    )
    if text is None:
        text = content.get("text") or (content.get("text_resource") or {}).get("text") or ""
    return StoredNode(id_, text, _reconcile(content.get("metadata") or {}, flat), vector, style)


def _content(flat: Mapping[str, Any]) -> Mapping[str, Any] | None:
    try:
        content = json.loads(flat["_node_content"])
    except (KeyError, TypeError, ValueError):
        return None
    return content if isinstance(content, Mapping) else None


def _reconcile(own: Mapping[str, Any], beside: Mapping[str, Any]) -> dict[str, Any]:
    """A node's metadata, corrected by what stands beside it in the store, which keeps it a second time for filtering.

    The two agree unless somebody edited the record, or the store cannot hold a value as it is (Chroma turns None into
    an empty text); an edit must show, so what differs is taken from the store.
    """
    metadata = {k: v for k, v in own.items() if k in OWN_KEYS or k in beside}
    for key, value in beside.items():
        if key not in OWN_KEYS and not _same(metadata.get(key, _ABSENT), value):
            metadata[key] = value
    return metadata


_ABSENT = object()


def _same(own: Any, beside: Any) -> bool:
    return bool(own == beside) or (own is None and beside == "") or repr(own) == repr(beside)  # NaN
