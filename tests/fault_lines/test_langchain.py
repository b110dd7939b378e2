"""Faults of LangChain's stores and retrievers that others met in public, each by its kind, on the real ones."""

from __future__ import annotations

import ast
import warnings
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("langchain_core", reason="needs langchain-core; run: pip install langchain-core")

from langchain_core.documents import Document
from langchain_core.indexing import InMemoryRecordManager, index
from langchain_core.vectorstores import InMemoryVectorStore

import darnel
from darnel.adapters.langchain import LangChainCorpus
from darnel.core.plant import read_stamp
from darnel.core.planting.campaign import Campaign
from darnel.core.planting.ledger import Ledger
from tests.adapters.langchain import houses
from tests.adapters.langchain.plants import plant
from tests.adapters.langchain.words import WordEmbeddings, make_documents


def plants(campaign: Campaign, count: int = 3, **more: Any) -> list[Any]:
    return [plant(n, campaign=campaign.id, **more) for n in range(count)]


@pytest.mark.parametrize("cleanup", ["incremental", "full", "scoped_full"])
def test_a_reindex_by_the_application_takes_no_plant_and_plants_cost_it_no_record(cleanup: Any, ledger: Ledger) -> None:
    store, records = InMemoryVectorStore(WordEmbeddings()), InMemoryRecordManager("docs")
    records.create_schema()
    how: dict[str, Any] = {"cleanup": cleanup, "source_id_key": "source", "key_encoder": "sha256", "batch_size": 7}
    documents = [Document(page_content=d.page_content, metadata=d.metadata) for d in make_documents()]
    index(documents, records, store, **how)
    before, keys = dict(store.store), sorted(records.list_keys())
    with Campaign(LangChainCorpus(store), ledger, visible_within=0.5, gone_within=0.5) as campaign:
        planted = plants(campaign)
        assert len(campaign.plant(planted).visible) == 3
        again = index(documents, records, store, **how)
        assert (again["num_deleted"], again["num_skipped"]) == (0, 40)
        assert len(store.store) == 43
    assert campaign.leftovers == []
    assert store.store == before
    assert sorted(records.list_keys()) == keys
    assert index(documents, records, store, **how)["num_skipped"] == 40


def test_an_index_of_the_plants_alone_would_delete_the_corpus_and_none_is_made() -> None:
    store, records = InMemoryVectorStore(WordEmbeddings()), InMemoryRecordManager("docs")
    records.create_schema()
    how: dict[str, Any] = {"cleanup": "full", "source_id_key": "source", "key_encoder": "sha256"}
    index(make_documents(), records, store, **how)
    planted = Document(page_content="a plant", metadata={"source": "plant"})
    assert index([planted], records, store, **how)["num_deleted"] == 40
    package = Path(darnel.__file__).parent
    for file in package.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            named = node.module or "" if isinstance(node, ast.ImportFrom) else ""
            if named == "llama_index.core.ingestion" and [a.name for a in node.names] == ["IngestionCache"]:
                continue  # only looked for, to be warned of
            assert not named.startswith(("langchain_core.indexing", "llama_index.core.ingestion")), file


def test_records_without_metadata_break_reading_and_plants_always_carry_some(tmp_path: Path, ledger: Ledger) -> None:
    house = houses.chroma(WordEmbeddings(), tmp_path)
    collection = house.store._collection
    vector = WordEmbeddings().embed_query("bare")
    collection.add(ids=["bare"], documents=["bare"], embeddings=[vector])
    with pytest.raises(Exception, match="NoneType|metadata"):
        house.store.get_by_ids(["bare"])
    before = house.witness()
    with Campaign(LangChainCorpus(house.store), ledger, visible_within=0.5, gone_within=0.5) as campaign:
        planted = plants(campaign)
        assert len(campaign.plant(planted).visible) == 3
        found = house.store.get_by_ids([p.id for p in planted])
        assert all(read_stamp(d.metadata) is not None for d in found)
        assert len(found) == 3
    assert campaign.leftovers == []
    assert house.witness() == before


def test_texts_that_an_ensemble_would_merge_stay_apart(ledger: Ledger) -> None:
    retrievers = pytest.importorskip("langchain_classic.retrievers", reason="needs langchain-classic")
    store = InMemoryVectorStore(WordEmbeddings())
    store.add_documents(make_documents())
    twin = make_documents()[0]
    store.add_documents([Document(page_content=twin.page_content, metadata={"source": "twin"}, id="twin")])
    legs = [store.as_retriever(search_kwargs={"k": 8}), store.as_retriever(search_kwargs={"k": 8})]
    ensemble = retrievers.EnsembleRetriever(retrievers=legs, weights=[0.5, 0.5])
    assert [d.page_content for d in ensemble.invoke(twin.page_content)].count(twin.page_content) == 1  # two are there
    with Campaign(LangChainCorpus(store), ledger, visible_within=0.5, gone_within=0.5) as campaign:
        planted = [plant(n, twin.page_content, campaign=campaign.id) for n in range(3)]
        campaign.plant(planted)
        served = ensemble.invoke(twin.page_content)
        stamps = [s for d in served if (s := read_stamp(d.metadata)) is not None]
        assert sorted(s.marker for s in stamps) == sorted(p.marker for p in planted)
        assert {d.page_content for d in served} >= {twin.page_content, *(p.text for p in planted)}
    assert campaign.leftovers == []


def test_a_parent_document_retriever_is_left_as_it_was(ledger: Ledger) -> None:
    """Its parents are elsewhere, and it has no way to delete; a plant among the children has no parent to be served by."""
    retrievers = pytest.importorskip("langchain_classic.retrievers", reason="needs langchain-classic")
    splitters = pytest.importorskip("langchain_text_splitters", reason="needs langchain-text-splitters")
    from langchain_core.stores import InMemoryStore

    store, parents = InMemoryVectorStore(WordEmbeddings()), InMemoryStore()
    retriever = retrievers.ParentDocumentRetriever(
        vectorstore=store,
        docstore=parents,
        child_splitter=splitters.CharacterTextSplitter(separator=" ", chunk_size=40, chunk_overlap=0),
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        retriever.add_documents(make_documents())
    before, held = dict(store.store), dict(parents.store)
    question = "When does the harbour master open the gates?"
    served = retriever.invoke(question)
    with Campaign(LangChainCorpus(store), ledger, visible_within=0.5, gone_within=0.5) as campaign:
        assert len(campaign.plant([plant(n, question, campaign=campaign.id) for n in range(3)]).visible) == 3
        assert all(read_stamp(d.metadata) is None for d in retriever.invoke(question))
    assert campaign.leftovers == []
    assert (store.store, parents.store) == (before, held)
    assert retriever.invoke(question) == served


def test_an_id_that_exists_breaks_faiss_on_add_and_planting_twice_does_not(tmp_path: Path, ledger: Ledger) -> None:
    house = houses.faiss(WordEmbeddings(), tmp_path)
    before = house.witness()
    with Campaign(LangChainCorpus(house.store), ledger, visible_within=0.5, gone_within=0.5) as campaign:
        first, second = plants(campaign), plants(campaign, lot="other")
        for planted in (first, first, second):
            assert len(campaign.plant(planted).visible) == 3
            assert house.store.index.ntotal == len(house.store.docstore._dict) == 43
        with pytest.raises(ValueError, match="already exist"):
            documents = [Document(page_content=p.text, metadata=dict(p.metadata)) for p in first[:1]]
            broken = houses.faiss(WordEmbeddings(), tmp_path).store
            broken.add_documents(documents, ids=["one"])
            broken.add_documents(documents, ids=["one"])
    assert campaign.leftovers == []
    assert house.witness() == before
