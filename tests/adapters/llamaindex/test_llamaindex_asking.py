"""Asking as the application asks: filters, modes, scores, and retrievers that cannot see what came later."""

from __future__ import annotations

from typing import Any

import pytest

import darnel
from darnel.adapters.llamaindex import is_snapshot
from darnel.core.errors import EmbedderError, TargetError


def tenant_filter(value: Any = "acme", key: str = "tenant", operator: str = "==") -> Any:
    from llama_index.core.vector_stores.types import FilterOperator, MetadataFilter, MetadataFilters

    return MetadataFilters(filters=[MetadataFilter(key=key, value=value, operator=FilterOperator(operator))])


def check(target: Any, name: str) -> Any:
    return next((c for c in target.checks() if c.name == name), None)


def test_sources_carry_id_text_metadata_and_score(app: Any, kit: Any) -> None:
    target = app.target()
    plants = kit.make_plants(target, text="zebra crossing {n}")
    target.injector.inject(plants)
    (reply,) = target.retriever.retrieve(["zebra crossing"], 10)
    assert {s.id for s in reply.sources[:3]} == {p.id for p in plants}
    for source in reply.sources[:3]:
        plant = next(p for p in plants if p.id == source.id)
        assert (source.text, source.metadata) == (plant.text, plant.metadata)
    scores = [s.score for s in reply.sources]
    assert scores == sorted(scores, reverse=True)
    assert len(reply.sources) == 10


def test_each_question_is_embedded_once(app: Any, kit: Any) -> None:
    target = app.target()
    for k in (3, 5):
        target.retriever.retrieve(["one", "two", "one"], k)
    assert app.model.queries == ["one", "two"]


def test_the_applications_retriever_agrees(app: Any, kit: Any) -> None:
    queries = kit.demo_queries(4)
    replies = app.target().retriever.retrieve(queries, 7)
    for query, reply in zip(queries, replies, strict=True):
        own = app.index.as_retriever(similarity_top_k=7).retrieve(query)
        assert [s.id for s in reply.sources] == [n.node.node_id for n in own]


def test_a_snapshot_is_told_and_darnel_does_not_ask_it(app: Any, kit: Any) -> None:
    before = app.index.as_retriever(similarity_top_k=3)
    target = app.target(before)
    assert check(target, "stale retriever") is None
    plants = kit.make_plants(target, text="zebra crossing {n}")
    target.injector.inject(plants)
    ids = {p.id for p in plants}
    seen = ids <= {n.node.node_id for n in before.retrieve("zebra crossing")}
    assert seen is not is_snapshot(before)
    assert is_snapshot(before) is (app.kind in ("simple", "qdrant+docstore"))
    (reply,) = target.retriever.retrieve(["zebra crossing"], 3)
    assert {s.id for s in reply.sources} == ids
    stale = check(target, "stale retriever")
    assert (stale is not None) is is_snapshot(before)
    assert before._node_ids is None or not ids & set(before._node_ids)  # the application's own object is as it was


def test_a_filter_is_read_and_carried(app: Any, kit: Any, ledger: Any) -> None:
    before = app.witness()
    globex = app.index.as_retriever(filters=tenant_filter(kit.OTHER_TENANT))
    target = app.target(globex)
    assert target.injector.describe().shape.constant["tenant"] == kit.OTHER_TENANT
    assert check(target, "retriever's filter").ok
    results = darnel.run(globex, kit.demo_queries(3), ["echo:3"], ledger=ledger)
    assert {o.outcome for o in results.observations if o.pattern == "echo:3"} == {"retrieved"}
    assert app.witness() == before
    plants = kit.make_plants(target, text="zebra crossing {n}")
    target.injector.inject(plants)
    other = app.target(app.index.as_retriever(filters=tenant_filter("acme"))).retriever.retrieve(["zebra crossing"], 9)
    assert not {p.id for p in plants} & {s.id for s in other[0].sources}


def test_plants_are_learned_from_what_the_filter_lets_pass(app: Any, kit: Any) -> None:
    late = app.target(app.index.as_retriever(filters=tenant_filter(2020, "year", ">")))
    shape = late.injector.describe().shape
    assert (shape.constant["year"], shape.sampled < 32) == (2021, True)
    assert check(late, "retriever's filter").ok
    plants = kit.make_plants(late, text="zebra crossing {n}")
    late.injector.inject(plants)
    assert {p.id for p in plants} <= {s.id for s in late.retriever.retrieve(["zebra crossing"], 5)[0].sources}


def test_a_filter_that_nothing_passes_is_told(simple: Any, kit: Any) -> None:
    target = simple.target(simple.index.as_retriever(filters=tenant_filter(2030, "year", ">")))
    found = check(target, "retriever's filter")
    assert found.ok is None
    assert "year > 2030" in found.detail
    plants = kit.make_plants(target, year=2031)
    target.injector.inject(plants)
    assert {s.id for s in target.retriever.retrieve(["keys"], 5)[0].sources} == {p.id for p in plants}


def test_what_an_approximate_search_should_have_scored(kit: Any) -> None:
    from dataclasses import replace

    for metric in ("cosine", "l2", "ip"):
        app = kit.make_app("chroma", metric=metric)
        target = app.target()
        plants = kit.make_plants(target, 6, text="zebra crossing {n}")
        plants[5] = replace(plants[5], vector=kit.word_vector("quite another text"))
        target.injector.inject(plants)
        queries = ["zebra crossing", "keys", "another text", "zebra", "crossing 3", "text"]
        exact = target.retriever.exact_scores(queries, plants)
        for query, plant, score in zip(queries, plants, exact, strict=True):
            sources = target.retriever.retrieve([query], 60)[0].sources
            assert score == pytest.approx(next(s.score for s in sources if s.id == plant.id), abs=1e-5), metric
    for kind in ("simple", "qdrant"):  # exact themselves
        target = kit.make_app(kind).target()
        assert target.injector.describe().capabilities.exact
        assert target.retriever.exact_scores(["keys"], kit.make_plants(target, 1)) is None


def test_nested_and_listed_filters(kit: Any) -> None:
    from llama_index.core.vector_stores.types import FilterCondition, MetadataFilters

    from darnel.adapters.llamaindex.filters import demands, describe

    both = MetadataFilters(
        filters=[
            tenant_filter(["globex", "acme"], operator="in"),
            tenant_filter(2021, "year"),
            tenant_filter(3, "x", "!="),
        ]
    )
    assert demands(both) == {"tenant": "globex", "year": 2021}
    either = both.model_copy(update={"condition": FilterCondition.OR})
    assert demands(either) == {"tenant": "globex"}
    assert demands(both.model_copy(update={"condition": FilterCondition.NOT})) == {}
    assert demands(tenant_filter("a", "tags", "contains")) == {"tags": ["a"]}
    assert demands(None) == {}
    assert describe(both) == "(tenant in ['globex', 'acme']) and (year == 2021) and (x != 3)"


def test_top_k_is_told(simple: Any) -> None:
    target = simple.target(simple.index.as_retriever(similarity_top_k=3))
    assert "reads 3 sources" in check(target, "retriever").detail
    assert target.k == 3
    assert len(target.retriever.retrieve(["x"], 7)[0].sources) == 7


def test_a_retrievers_own_query_model_is_used(simple: Any, kit: Any) -> None:
    other = kit.embed_model()
    target = simple.target(simple.index.as_retriever(embed_model=other))
    simple.model.queries.clear()
    target.retriever.retrieve(["whose words"], 2)
    assert (other.queries, simple.model.queries) == (["whose words"], [])


def test_a_retriever_that_does_not_go_by_distance_is_asked_for_k_only(kit: Any, ledger: Any) -> None:
    app = kit.make_app("simple")
    mmr = app.index.as_retriever(vector_store_query_mode="mmr", similarity_top_k=4)
    target = app.target(mmr)
    assert not target.store_search
    assert not target.injector.describe().capabilities.search
    before = app.witness()
    results = darnel.run(mmr, kit.demo_queries(3), ["echo:3"], k=4, ledger=ledger)
    assert "retrieved" in {o.outcome for o in results.observations}
    assert app.witness() == before
    assert mmr.similarity_top_k == 4


@pytest.mark.parametrize("distance", ["Euclid", "Manhattan", "Cosine"])
def test_a_higher_score_is_better_for_every_metric(kit: Any, distance: str) -> None:
    app = kit.make_app("qdrant", distance=distance)
    for given, options in ((app.index, {}), (app.store, {"embedder": app.model})):
        target = app.target(given, **options)
        (reply,) = target.retriever.retrieve(kit.demo_queries(1), 10)
        # before describe() as after it
        scores = [s.score for s in reply.sources]
        assert scores == sorted(scores, reverse=True), distance
        assert target.injector.describe().metric == distance.lower()
        assert [s.score for s in target.retriever.retrieve(kit.demo_queries(1), 10)[0].sources] == scores


def test_far_records_of_a_chroma_collection_are_not_called_ties(kit: Any) -> None:
    import math

    from darnel.adapters.llamaindex.stores.chroma import ChromaStore

    store = ChromaStore(kit.make_app("chroma").store)
    assert store.score(math.exp(-40.0)) == pytest.approx(-40.0)
    assert store.score(math.exp(-41.0)) == pytest.approx(-41.0)
    assert store.score(0.0) is None  # too far for LlamaIndex to tell
    assert store.score(None) is None


def test_limits_that_no_new_document_can_pass_are_refused(kit: Any) -> None:
    from llama_index.core.indices.vector_store.retrievers import VectorIndexRetriever

    app = kit.make_app("qdrant")
    with pytest.raises(TargetError, match="2 given documents"):
        app.target(VectorIndexRetriever(app.index, doc_ids=["a", "b"]))
    with pytest.raises(TargetError, match="1 given nodes"):
        app.target(VectorIndexRetriever(app.index, node_ids=["a"]))
    chroma = kit.make_app("chroma")  # its query passes over both
    assert chroma.target(VectorIndexRetriever(chroma.index, node_ids=["a"], doc_ids=["b"])).retriever.retrieve(["x"], 2)


def test_the_embedder_is_checked_against_the_text_that_was_embedded(app: Any, kit: Any) -> None:
    target = app.target()
    found = check(target, "embedder")
    assert found.ok, found.detail
    assert "cosine 1.0000 (lowest 1.0000)" in found.detail
    wrong = app.target(embedder=lambda texts: [kit.word_vector(t[::-1]) for t in texts])
    assert check(wrong, "embedder").ok is False


def test_a_bare_store_needs_an_embedder_to_plant_and_ask_but_not_to_read(text_app: Any, kit: Any) -> None:
    target = text_app.target(text_app.store)
    assert check(target, "embedder").ok is False
    with pytest.raises(EmbedderError, match="--embedder"):
        target.retriever.retrieve(["x"], 2)
    with pytest.raises(EmbedderError, match="--embedder"):
        target.injector.inject(kit.make_plants(target))
    assert len(list(target.reader.ids())) == 48
    assert target.reader.plants() == []


def test_a_question_that_fails_says_so_in_its_reply(app: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from llama_index.core.indices.vector_store.retrievers import VectorIndexRetriever

    asked = VectorIndexRetriever.retrieve

    def fragile(self: Any, bundle: Any) -> Any:
        if "fatal" in bundle.query_str:
            raise ValueError("cannot\nparse")
        return asked(self, bundle)

    monkeypatch.setattr(VectorIndexRetriever, "retrieve", fragile)
    target = app.target()
    fine, broken = target.retriever.retrieve(["fine", "fatal"], 3)
    assert (len(fine.sources), fine.error) == (3, None)
    assert (broken.sources, broken.error) == ((), "ValueError: cannot parse")
    with pytest.raises(TargetError, match="does not answer: ValueError"):
        target.retriever.retrieve(["fatal", "fatal too"], 3)
