"""What an index keeps beside its vector store: docstore, index struct and index store.

LlamaIndex's own deletions leave entries there, or raise halfway where one is missing already. So the entries of our
own nodes are taken out here one by one, and nothing else is touched.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from darnel.adapters.llamaindex.nodes import StoredNode, read_node, source_id
from darnel.core.errors import CollisionError
from darnel.core.plant import KIT_KEY, KIT_VALUE, Plant


class Bookkeeping:
    """The docstore and index struct of an index that keeps its nodes there."""

    def __init__(self, index: Any) -> None:
        self._index, self._docstore = index, index.docstore
        self._tables = set(_tables(self._docstore))

    def nodes(self, ids: Iterable[str]) -> Mapping[str, Any]:
        """Node objects of the docstore, by id."""
        found = {id_: self._docstore.get_document(id_, raise_error=False) for id_ in ids}
        self._drop_new_tables()
        return {id_: node for id_, node in found.items() if node is not None}

    def traces(self, ids: Iterable[str]) -> dict[str, StoredNode]:
        """Entries under these ids, whether or not the vector store has the node."""
        return {id_: read_node(node) for id_, node in self.nodes(ids).items()}

    def plants(self) -> set[str]:
        """Ids of every node whose source document is a plant's."""
        infos = self._docstore.get_all_ref_doc_info() or {}
        self._drop_new_tables()
        return {id_ for info in infos.values() if info.metadata.get(KIT_KEY) == KIT_VALUE for id_ in info.node_ids}

    def refuse_foreign_sources(self, plants: Sequence[Plant]) -> None:
        """Refuse where the source id of a plant is a document of the owner's.

        Raises:
            CollisionError: before any write.
        """
        for plant in plants:
            info = self._docstore.get_ref_doc_info(source_id(plant.id))
            if info is not None and set(info.node_ids) != {plant.id}:
                raise CollisionError(
                    f"document {source_id(plant.id)} is the owner's and a plant was to be filed under it; nothing was "
                    "written. Run again: every run draws ids of its own"
                )
        self._drop_new_tables()

    def forget(self, ids: Sequence[str]) -> None:
        """Take out the entries of our own nodes; absent ones are fine.

        The docstore comes last: as long as it has the node, reading shows that something is left, and removal is tried
        again.
        """
        struct = self._index.index_struct
        for id_ in ids:
            struct.nodes_dict.pop(id_, None)
        self._index.storage_context.index_store.add_index_struct(struct)
        for id_ in ids:
            self._docstore.delete_document(id_, raise_error=False)
        self._drop_new_tables()

    def _drop_new_tables(self) -> None:
        # the in-memory store makes an empty table of each kind that is only asked for
        tables = _tables(self._docstore)
        for name in [name for name in tables if name not in self._tables and not tables[name]]:
            del tables[name]


def _tables(docstore: Any) -> dict[str, Any]:
    tables = getattr(getattr(docstore, "_kvstore", None), "_collections_mappings", None)
    return tables if isinstance(tables, dict) else {}
