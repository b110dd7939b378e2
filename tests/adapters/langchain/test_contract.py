"""What every store must hold, looked at by a witness that knows nothing of darnel."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import darnel
from darnel.adapters.langchain import LangChainCorpus
from darnel.core.errors import CollisionError, DarnelError, EmbedderError, PlantError, TargetError
from darnel.core.planting.campaign import Campaign
from darnel.core.planting.ledger import Ledger
from tests.adapters.langchain import houses
from tests.adapters.langchain.houses import House
from tests.adapters.langchain.plants import plant
from tests.adapters.langchain.words import QUESTIONS, WordEmbeddings, make_documents


def test_injecting_twice_is_injecting_once(house: House) -> None:
    corpus = LangChainCorpus(house.store)
    corpus.inject([plant(0), plant(1)])
    once = house.witness()
    corpus.inject([plant(0), plant(1)])
    assert house.witness() == once


def test_injecting_again_leaves_exactly_the_new_text_and_metadata(house: House) -> None:
    corpus = LangChainCorpus(house.store)
    old = plant(0, text="An older text.", lot="the old lot")
    new = plant(0)
    assert old.id == new.id
    corpus.inject([old, plant(1)])
    corpus.inject([new])
    record = corpus.read([new.id])[new.id]
    assert record.text == new.text
    assert dict(record.metadata or {}) == dict(new.metadata)
    assert len(corpus.access.ids()) == len(make_documents()) + 2  # type: ignore[attr-defined]
    (found,) = corpus.retrieve([new.text], 1)
    assert (found.sources[0].id, found.sources[0].text) == (new.id, new.text)


def test_what_is_read_is_what_was_written(house: House) -> None:
    corpus = LangChainCorpus(house.store)
    written = plant(0, text='Grüße, "quoted", 日本語, an emoji 🌾, and a tab\t.', lot="a: 'b' %s :c")
    corpus.inject([written])
    (record,) = corpus.read([written.id, "no such id", plant(9).id]).values()
    assert (record.id, record.text, record.metadata) == (written.id, written.text, written.metadata)


def test_removing_leaves_everything_as_it_was(house: House) -> None:
    before = house.witness()
    corpus = LangChainCorpus(house.store)
    corpus.inject([plant(n) for n in range(5)])
    corpus.remove([plant(n).id for n in range(5)])
    assert house.witness() == before
    corpus.remove([plant(n).id for n in (*range(5), 1)])
    corpus.remove(["no such id"])
    corpus.remove([])
    assert corpus.read([]) == {}
    assert house.witness() == before


def test_an_empty_selector_never_reaches_the_store(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []
    plain = type(house.store).delete

    def spy(self: Any, ids: Any = None, **how: Any) -> Any:
        asked.append(ids)
        return plain(self, ids, **how)

    corpus = LangChainCorpus(house.store)
    monkeypatch.setattr(type(house.store), "delete", spy)
    corpus.remove([])
    corpus.remove([plant(7).id])
    corpus.inject([plant(0)])
    corpus.inject([plant(0, text="Another text.")])
    corpus.remove([plant(0).id])
    assert all(asked), asked


def test_a_record_of_the_owners_is_neither_overwritten_nor_removed(house: House) -> None:
    before = house.witness()
    corpus = LangChainCorpus(house.store)
    owners = corpus.access.ids()[3]  # type: ignore[attr-defined]
    with pytest.raises(CollisionError):
        corpus.inject([plant(1), replace(plant(0), id=owners)])
    corpus.remove([owners])
    assert house.witness() == before


def test_another_campaigns_plant_is_not_overwritten(house: House) -> None:
    corpus = LangChainCorpus(house.store)
    corpus.inject([plant(0)])
    held = house.witness()
    other = replace(plant(0, campaign="20261231-000000-0123456789"), id=plant(0).id)
    with pytest.raises(CollisionError):
        corpus.inject([other])
    assert house.witness() == held


def test_plants_look_like_the_records(house: House) -> None:
    shape = LangChainCorpus(house.store).describe().shape
    assert set(shape.template) == {"source", "tenant", "page"}
    assert shape.unique == {"source"}
    assert shape.template["tenant"] == "blue"
    assert isinstance(shape.template["page"], int)


def test_the_description_says_what_is_there(house: House) -> None:
    where = LangChainCorpus(house.store).describe()
    assert (where.size, where.dimension, where.embedder) == (len(make_documents()), 48, "WordEmbeddings")
    assert where.capabilities.exact == house.exact
    assert where.identity == LangChainCorpus(house.store).describe().identity


def test_reading_whole_gives_every_record_once_with_its_vector(house: House) -> None:
    corpus = LangChainCorpus(house.store)
    corpus.inject([plant(0)])
    reader: Any = corpus.access
    found = [r for batch in reader.scan(7) for r in batch]
    assert sorted(r.id for r in found) == sorted(reader.ids())
    assert len(found) == len(make_documents()) + 1
    assert all(len(r.vector) == 48 for r in found)
    assert [r.id for r in reader.plants()] == [plant(0).id]


def test_a_vector_of_ones_own_is_refused(house: House) -> None:
    before = house.witness()
    with pytest.raises(PlantError, match="embeds what it is given"):
        LangChainCorpus(house.store).inject([replace(plant(0), vector=[0.0] * 48)])
    assert house.witness() == before


def test_an_embedder_of_another_dimension_is_refused_before_any_write(house: House, embeddings: WordEmbeddings) -> None:
    before = house.witness()
    embeddings.dimension = 24
    with pytest.raises(EmbedderError, match="24 dimensions"):
        LangChainCorpus(house.store).inject([plant(0)])
    assert house.witness() == before


def test_a_container_that_was_taken_away_is_an_error_and_not_made_anew(house: House) -> None:
    if house.drop_container is None:
        pytest.skip("this store lives in the object itself")
    house.drop_container()
    gone = house.witness()
    with pytest.raises(DarnelError) as refused:
        LangChainCorpus(house.store).describe()
    assert "\n" not in str(refused.value)
    assert house.witness() == gone


def test_an_id_that_a_sibling_collection_holds_is_refused(embeddings: WordEmbeddings, tmp_path: Path) -> None:
    """PGVector would overwrite it there, and a removal would then delete it."""
    house = houses.pgvector(embeddings, tmp_path)
    before = house.witness()
    sibling = f"elsewhere-{make_documents()[0].id}"
    corpus = LangChainCorpus(house.store)
    assert corpus.read([sibling]) == {}
    with pytest.raises(CollisionError, match="another collection"):
        corpus.inject([replace(plant(0), id=sibling)])
    corpus.remove([sibling])
    assert house.witness() == before


def test_faiss_keeps_index_and_docstore_in_step_while_the_application_writes(
    embeddings: WordEmbeddings, tmp_path: Path
) -> None:
    from langchain_core.documents import Document

    house = houses.faiss(embeddings, tmp_path)
    store, before = house.store, house.witness()
    corpus = LangChainCorpus(store)
    corpus.inject([plant(0), plant(1)])
    corpus.inject([plant(0, text="A text that changed.")])
    store.add_documents([Document(page_content="The application adds a note on eels.", metadata={})], ids=["eels"])
    corpus.inject([plant(2)])
    corpus.remove([plant(n).id for n in range(3)])
    assert store.index.ntotal == len(store.index_to_docstore_id) == len(store.docstore._dict)
    assert [d.page_content for d in store.similarity_search("eels", k=1)] == ["The application adds a note on eels."]
    store.delete(["eels"])
    assert house.witness() == before


def test_what_a_write_cut_short_left_in_the_docstore_of_faiss_is_seen_and_not_called_gone(
    embeddings: WordEmbeddings, tmp_path: Path, ledger: Ledger
) -> None:
    class CutShort(dict[int, str]):
        def update(self, *_args: Any, **_kwargs: Any) -> None:  # the last step of a write
            raise TimeoutError("cut short")

    store = houses.faiss(embeddings, tmp_path).store
    corpus = LangChainCorpus(store)
    with Campaign(corpus, ledger, gone_within=0.2) as campaign:
        whole, torn = plant(0, campaign=campaign.id), plant(1, campaign=campaign.id)
        assert campaign.plant([whole]).visible == {whole.id}
        store.index_to_docstore_id = CutShort(store.index_to_docstore_id)
        assert "cut short" in (campaign.plant([torn]).error or "")
        store.index_to_docstore_id = dict(store.index_to_docstore_id)
        removal = campaign.remove()
        assert removal.removed == {whole.id}
        (left,) = removal.leftovers
        assert left.id == torn.id
        assert "cut short" in left.reason
        store.docstore.delete([torn.id])


def test_a_faiss_index_that_cannot_give_up_rows_is_refused(embeddings: WordEmbeddings, tmp_path: Path) -> None:
    house = houses.faiss(embeddings, tmp_path)
    house.store.index = houses.need("faiss").IndexHNSWFlat(48, 16)
    with pytest.raises(TargetError, match=r"IndexHNSWFlat.*flat index"):
        LangChainCorpus(house.store).describe()


def test_a_faiss_store_that_fell_apart_is_refused(embeddings: WordEmbeddings, tmp_path: Path) -> None:
    house = houses.faiss(embeddings, tmp_path)
    with pytest.raises(ValueError, match="already exist"):  # its vector went in before it raised
        house.store.add_documents(make_documents()[:1], ids=[str(make_documents()[0].id)])
    with pytest.raises(TargetError, match="disagree"):
        LangChainCorpus(house.store).describe()


def test_a_chroma_store_without_an_embedder_is_refused(tmp_path: Path, embeddings: WordEmbeddings) -> None:
    """Chroma would embed with a model of its own choice, and load it from the network."""
    house = houses.chroma(embeddings, tmp_path)
    bare = houses.need("langchain_chroma").Chroma(houses.NAME, None, client=house.store._client)
    before = house.witness()
    corpus = LangChainCorpus(bare)
    assert set(corpus.read([str(make_documents()[0].id)])) == {str(make_documents()[0].id)}
    with pytest.raises(EmbedderError, match="has no embedder"):
        corpus.inject([plant(0)])
    with pytest.raises(TargetError, match="store's embedder"):
        darnel.run(bare, QUESTIONS, ["echo:1"], ledger=tmp_path / "ledger.db")
    assert house.witness() == before


def test_a_table_without_a_json_column_is_refused(embeddings: WordEmbeddings, tmp_path: Path) -> None:
    """It would drop the stamp, and the plant would look like a record of the owner's."""
    house = houses.pgtable(embeddings, tmp_path, columns=("tenant",), json_column=False)
    with pytest.raises(TargetError, match="no JSON metadata column"):
        LangChainCorpus(house.store).describe()


def test_what_the_application_does_to_its_record_does_not_reach_the_plant(
    embeddings: WordEmbeddings, tmp_path: Path
) -> None:
    """``InMemoryVectorStore`` keeps the very dictionary that it is given."""
    store = houses.memory(embeddings, tmp_path).store
    written = plant(0, lot=["a"])
    LangChainCorpus(store).inject([written])
    store.store[written.id]["metadata"]["lot"].append("b")
    assert written.metadata["lot"] == ["a"]


class Broken(WordEmbeddings):
    """Gives too few vectors, or some that are no numbers, once ``broken`` says so."""

    broken = ""

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        found = super().embed_documents(texts)
        if self.broken == "few":
            return found[1:]
        return [[float("nan")] * len(v) for v in found] if self.broken == "nan" else found


@pytest.mark.parametrize("broken", ["few", "nan"])
@pytest.mark.parametrize("name", ["memory", "faiss"])
def test_a_broken_embedder_is_refused_before_any_write(name: str, broken: str, tmp_path: Path) -> None:
    """``InMemoryVectorStore`` would drop the last document in silence, FAISS would store what is no number."""
    embeddings = Broken()
    house = houses.HOUSES[name](embeddings, tmp_path)
    before = house.witness()
    embeddings.broken = broken
    with pytest.raises(EmbedderError):
        LangChainCorpus(house.store).inject([plant(0), plant(1)])
    assert house.witness() == before


def test_an_empty_store_is_refused(embeddings: WordEmbeddings, tmp_path: Path) -> None:
    """Its dimension would stay after the plants are gone."""
    home = houses.need("langchain_chroma")
    client = houses.need("chromadb").PersistentClient(str(tmp_path / "empty"))
    corpus = LangChainCorpus(home.Chroma("empty", embeddings, client=client))
    with pytest.raises(DarnelError, match="empty"):
        corpus.inject([plant(0)])
    assert client.get_collection("empty").count() == 0
