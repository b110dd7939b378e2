"""What a check says where it cannot tell, how it is called, and that it leaves nothing behind."""

from __future__ import annotations

import asyncio
import io
import json
import os
import re
import signal
import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import darnel
from darnel.adapters.apps.options import AppOptions
from darnel.adapters.memory.corpus import MemoryCorpus
from darnel.cli.tenants_command import read_tenants
from darnel.core.corpus import CorpusDescription, Record, Reply, Source
from darnel.core.errors import DarnelError, UsageError
from darnel.core.plant import Plant, find_markers
from darnel.core.planting.ledger import Ledger
from darnel.core.queries import Query
from darnel.tenants.checks import Question, judge_flood
from darnel.tenants.model import TenantOptions, TenantResults
from darnel.tenants.seeing import Seen
from tests.support import chroma
from tests.support.command import HASHED, Outcome
from tests.support.embedder import hashed
from tests.tenants.houses import KEY, TENANTS, in_llamaindex, library

K = 5


@pytest.fixture
def corpus() -> MemoryCorpus:
    return MemoryCorpus([Record(r.id, r.text, r.metadata) for r in library()])


def found(corpus: MemoryCorpus, question: str, tenant: str | None, k: int = K) -> list[Record]:
    """BM25 over one tenant's records, or all."""
    scoped = [r for r in corpus.records.values() if tenant is None or (r.metadata or {}).get(KEY) == tenant]
    (reply,) = MemoryCorpus(scoped).retrieve([question], k)
    return [corpus.records[s.id] for s in reply.sources if s.id]


def check(corpus: Any, ask: Any, ledger: Ledger, **given: Any) -> TenantResults:
    return darnel.check_tenants(corpus, TENANTS, ask, key=KEY, ledger=ledger, app=AppOptions(retries=0), **given)


def told(results: TenantResults) -> dict[str, tuple[int, int, int]]:
    """Check → breaches, conclusive rows, inconclusive rows."""
    return {s.check: (s.breaches.hits, s.breaches.n, s.inconclusive) for s in results.scores}


def test_the_text_under_each_tenant_is_the_same_byte_for_byte(corpus: MemoryCorpus, ledger: Ledger) -> None:
    planted: list[Plant] = []

    class Watched(MemoryCorpus):
        def inject(self, plants: Sequence[Plant]) -> None:
            planted.extend(plants)
            super().inject(plants)

    watched = Watched(corpus.records.values())
    check(watched, lambda q, t: found(watched, q, t), ledger)
    same = [p for p in planted if p.pattern == "tenant-same"]
    assert len(same) == 3 * len(TENANTS)
    for query in {p.query_id for p in same}:
        one, other = (p for p in same if p.query_id == query)
        assert one.text.encode() == other.text.encode()
        assert one.id != other.id
        assert {one.metadata[KEY], other.metadata[KEY]} == set(TENANTS)
    assert all(len(find_markers(p.text)) == 1 for p in planted)


def test_texts_alone_do_not_tell_whose_copy_came_back(corpus: MemoryCorpus, ledger: Ledger) -> None:
    results = check(corpus, lambda q, t: [r.text for r in found(corpus, q, t)], ledger)
    assert told(results)["same text"] == (0, 0, 6)
    assert "return them with its sources" in results.rows_of("inconclusive")[0].detail
    assert told(results)["own text"] == (0, 6, 0)  # each text has its own marker
    assert results.exit_code == 2


def test_the_stamp_in_a_source_s_metadata_tells_whose_copy_it_is(corpus: MemoryCorpus, ledger: Ledger) -> None:
    def ask(question: str, tenant: str) -> list[dict[str, Any]]:
        records = found(corpus, question, tenant)
        return [
            {"text": r.text, "metadata": {k: v for k, v in (r.metadata or {}).items() if k != KEY}} for r in records
        ]

    assert check(corpus, ask, ledger).exit_code == 0
    crossed = check(corpus, lambda q, t: ask(q, "globex" if t == "acme" else t), ledger)
    assert {(r.tenant, "by metadata" in r.detail) for r in crossed.rows_of("breach") if r.check == "same text"} == {
        ("acme", True)
    }


def test_a_filter_behind_the_search_shows_by_what_else_is_lost(corpus: MemoryCorpus, ledger: Ledger) -> None:
    def ask(question: str, tenant: str) -> list[Record]:
        own = [r for r in found(corpus, question, None, 20) if (r.metadata or {}).get(KEY) == tenant]
        kept = [r for r in found(corpus, question, tenant) if find_markers(r.text)]  # as if its best were pinned
        return list({r.id: r for r in [*kept, *own]}.values())[:K]

    results = check(corpus, ask, ledger, queries=["How do the flour and the yeast go with the oven?"])
    assert [row.check for row in results.rows_of("breach")] == ["flooding"] * 2
    assert "sources were lost while documents of" in results.rows_of("breach")[0].detail


def test_darnels_own_replies(corpus: MemoryCorpus, ledger: Ledger) -> None:
    def ask(question: str, tenant: str) -> Reply:
        return Reply(tuple(Source(r.id, r.text, r.metadata) for r in found(corpus, question, tenant)))

    assert check(corpus, ask, ledger).exit_code == 0
    assert check(corpus, lambda q, t: list(ask(q, t).sources), ledger).exit_code == 0


def test_texts_with_their_tenant_do(corpus: MemoryCorpus, ledger: Ledger) -> None:
    def ask(question: str, tenant: str) -> list[dict[str, Any]]:
        return [{"text": r.text, KEY: (r.metadata or {})[KEY]} for r in found(corpus, question, tenant)]

    assert check(corpus, ask, ledger).exit_code == 0
    wrong = check(corpus, lambda q, _t: ask(q, "acme"), ledger)
    assert {r.tenant for r in wrong.rows_of("breach")} == {"globex"}


def test_answers_alone_are_judged_by_markers(corpus: MemoryCorpus, ledger: Ledger) -> None:
    leaking = check(corpus, lambda q, _t: " ".join(r.text or "" for r in found(corpus, q, None)), ledger)
    assert told(leaking)["own text"] == (6, 6, 0)
    assert told(leaking)["same text"] == (0, 0, 6)
    assert "in the answer, by its marker" in leaking.rows_of("breach")[0].detail


@pytest.mark.parametrize(
    ("ask", "why"),
    [
        (lambda _q, _t: [], "did not come back either"),
        (lambda _q, _t: "I do not know.", "did not come back either"),
        (lambda _q, _t: 1 / 0, "ZeroDivisionError"),
        (lambda _q, _t: None, "neither an answer nor sources"),
    ],
    ids=["no sources", "no use", "raises", "nothing"],
)
def test_an_app_that_shows_nothing_is_no_pass(corpus: MemoryCorpus, ledger: Ledger, ask: Any, why: str) -> None:
    results = check(corpus, ask, ledger)
    assert results.exit_code == 2
    assert not results.passed
    assert {row.outcome for row in results.rows} == {"inconclusive"}
    assert all(why in row.detail for row in results.rows if row.check != "flooding")


def test_an_app_that_fails_for_one_tenant_is_no_pass(corpus: MemoryCorpus, ledger: Ledger) -> None:
    def ask(question: str, tenant: str) -> list[Record]:
        if tenant == "globex":
            raise ConnectionError("down")
        return found(corpus, question, tenant)

    results = check(corpus, ask, ledger)
    assert results.exit_code == 2
    assert told(results)["own text"] == (0, 3, 3)
    assert told(results)["naming"] == (0, 0, 36)  # what globex itself does not get says nothing of acme


def test_a_flood_that_an_app_thins_out_says_nothing(corpus: MemoryCorpus, ledger: Ledger) -> None:
    def ask(question: str, tenant: str) -> list[Record]:
        ranked, thinned = found(corpus, question, tenant, 200), dict[str, Record]()
        for record in ranked:  # what differs by its marker alone comes once
            (marker,) = find_markers(record.text) or {"none"}
            thinned.setdefault((record.text or "").replace(marker, ""), record)
        return list(thinned.values())[:K]

    results = check(corpus, ask, ledger)
    assert told(results)["flooding"] == (0, 0, 6)
    assert "did not fill the first places" in results.rows_of("inconclusive")[0].detail


@pytest.mark.parametrize(("exact", "outcome"), [(False, "inconclusive"), (True, "breach")])
def test_an_index_that_loses_a_document_in_the_flood_is_no_breach(exact: bool, outcome: str) -> None:
    asked = Question("flooding", "acme", "globex", Query("q", "Who?"), "Who?")
    there, lost = Seen(5, {"acme": "source 1, by id"}), Seen(5)
    assert judge_flood(asked, there, lost, there, filled=True, exact=exact).outcome == outcome
    assert judge_flood(asked, there, replace(lost, count=1), there, filled=True, exact=exact).outcome == "breach"


def test_an_app_that_loses_documents_by_itself_is_not_said_to_filter(corpus: MemoryCorpus, ledger: Ledger) -> None:
    asked: list[str] = []

    def ask(question: str, tenant: str) -> list[Record]:
        asked.append(question)
        tired = len(asked) > 2 + 2 + 12 + 6  # all that is asked before the flood
        return found(corpus, question, tenant)[: 0 if tired else K]

    results = check(corpus, ask, ledger, queries=["Where is the copper lantern?"])
    assert told(results)["flooding"] == (0, 0, 2)
    assert "also without the flood" in results.rows_of("inconclusive")[0].detail


def test_an_async_function_and_other_shapes_of_what_it_returns(corpus: MemoryCorpus, ledger: Ledger) -> None:
    async def ask(question: str, tenant: str) -> dict[str, Any]:
        await asyncio.sleep(0)
        return {"answer": "It says so.", "source_documents": found(corpus, question, tenant)}

    assert check(corpus, ask, ledger).exit_code == 0


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"tenants": ["acme"]}, "at least two tenants"),
        ({"tenants": ["acme", "acme"]}, "at least two tenants"),
        ({"tenants": "acme,globex"}, "a list of names"),
        ({"tenants": ["acme", " "]}, "a list of names"),
        ({"tenants": ["acme", 5]}, "a list of names"),
        ({"key": None}, "nothing tells one tenant's records from another's"),
        ({"tenants": {"acme": 1, "globex": 2}, "key": None}, "which metadata key"),
        ({"tenants": {"acme": 1, "globex": 1}}, "nothing tells one tenant's records"),
        ({"ask": None}, "say how the application is asked"),
        ({"ask": "myapp:ask"}, "a str cannot be asked"),
        ({"ask": lambda _q: []}, "two arguments"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_cannot_be_tested_is_refused_before_anything_is_planted(
    corpus: MemoryCorpus, ledger: Ledger, given: dict[str, Any], says: str
) -> None:
    settings: dict[str, Any] = {"tenants": TENANTS, "ask": lambda _q, _t: [], "key": KEY, **given}
    with pytest.raises(UsageError, match=says):
        darnel.check_tenants(corpus, settings.pop("tenants"), settings.pop("ask"), ledger=ledger, **settings)
    assert ledger.campaigns() == []


def test_a_key_that_no_record_has_is_warned_of(corpus: MemoryCorpus, ledger: Ledger) -> None:
    def ask(question: str, tenant: str) -> list[Record]:
        return found(corpus, question, tenant)

    assert check(corpus, ask, ledger).warnings == []
    (warning,) = darnel.check_tenants(corpus, TENANTS, ask, key="tennant", ledger=ledger).warnings
    assert "have no metadata key 'tennant' (they have: page, source, tenant, topic)" in warning


def test_no_flood_is_refused() -> None:
    with pytest.raises(UsageError, match="1 document or more"):
        TenantOptions(flood=0)


def test_values_and_whole_metadata_in_the_place_of_names(corpus: MemoryCorpus, ledger: Ledger) -> None:
    numbered = MemoryCorpus(
        Record(r.id, r.text, {"org": 1 + (r.metadata or {}).get(KEY, "").count("globex")})
        for r in corpus.records.values()
    )

    def ask(question: str, tenant: str) -> list[Record]:
        scoped = [r for r in numbered.records.values() if (r.metadata or {})["org"] == {"acme": 1, "globex": 2}[tenant]]
        (reply,) = MemoryCorpus(scoped).retrieve([question], K)
        return [numbered.records[s.id] for s in reply.sources if s.id]

    with pytest.raises(UsageError, match="nothing tells"):
        darnel.check_tenants(numbered, iter(TENANTS), ask, ledger=ledger)  # read once, and still two
    by_value = darnel.check_tenants(numbered, {"acme": 1, "globex": 2}, ask, key="org", ledger=ledger)
    whole = darnel.check_tenants(numbered, {"acme": {"org": 1}, "globex": {"org": 2}}, ask, ledger=ledger)
    assert by_value.exit_code == whole.exit_code == 0
    assert any(row.asked.startswith("org=globex ") for row in by_value.rows)


def test_left_over_plants_outrank_breaches(corpus: MemoryCorpus, ledger: Ledger) -> None:
    class Keeping(MemoryCorpus):
        def remove(self, ids: Sequence[str]) -> None: ...

    keeping = Keeping(corpus.records.values())
    options = TenantOptions(gone_within=0.1)
    results = check(keeping, lambda q, _t: found(keeping, q, None), ledger, options=options)
    assert results.exit_code == 3
    assert len(results.leftovers) == 6
    assert results.rows_of("breach")
    assert any("nothing more was planted" in error for error in results.errors)
    assert told(results)["flooding"] == (0, 0, 0)


def test_plants_that_do_not_become_visible_are_no_pass(corpus: MemoryCorpus, ledger: Ledger) -> None:
    class Deaf(MemoryCorpus):
        def inject(self, plants: Sequence[Plant]) -> None: ...

    deaf = Deaf(corpus.records.values())
    options = TenantOptions(visible_within=0.1)
    results = check(deaf, lambda q, t: found(deaf, q, t), ledger, options=options)
    assert results.exit_code == 2
    assert {row.outcome for row in results.rows} == {"inconclusive"}
    assert {s.check for s in results.scores if s.inconclusive} == {s.check for s in results.scores}


def test_an_interruption_keeps_what_was_found_and_takes_the_plants_out(corpus: MemoryCorpus, ledger: Ledger) -> None:
    calls = threading.Event()

    def ask(question: str, _tenant: str) -> list[Record]:
        if "=" in question and not calls.is_set():
            calls.set()
            os.kill(os.getpid(), signal.SIGINT)
        return found(corpus, question, None)

    results = check(corpus, ask, ledger)
    assert results.interrupted
    assert {row.check for row in results.rows} == {"same text", "own text"}
    assert results.exit_code == 1
    assert corpus.plants() == []
    assert [digest.same for digest in results.digests] == [True]


def test_each_tenant_in_a_database_of_its_own(tmp_path: Path, ledger: Ledger, cli: Callable[..., Outcome]) -> None:
    folder = tmp_path / "db"
    admin = chroma.persistent(folder)
    from chromadb import AdminClient

    for tenant in TENANTS:
        AdminClient(chroma_settings(folder)).create_tenant(tenant)
        AdminClient(chroma_settings(folder)).create_database("default_database", tenant)
        own = chroma.persistent(folder, tenant=tenant)
        chroma.fill(own, [r for r in library() if r.metadata[KEY] == tenant])
    spec = f"chroma:{folder}?tenant={{tenant}}#docs"
    results = darnel.check_tenants(spec, TENANTS, embedder=hashed, ledger=ledger)
    assert (results.exit_code, results.cleanup.planted) == (0, results.cleanup.removed)
    assert len(results.containers) == len(results.digests) == 2

    collections = {
        t: chroma.persistent(folder, tenant=t).get_collection("docs", embedding_function=None) for t in TENANTS
    }

    def ask(question: str, _tenant: str) -> list[str]:
        found = collections["acme"].query(query_embeddings=hashed([question]), n_results=K)
        return list(found["documents"][0])

    shown = cli("tenants", spec, "--tenants", ",".join(TENANTS), "--embedder", HASHED)
    assert (shown.code, shown.out.startswith("Isolated: ")) == (0, True)
    wrong = darnel.check_tenants(spec, TENANTS, ask, embedder=hashed, ledger=ledger)
    assert wrong.exit_code == 1
    assert {row.tenant for row in wrong.rows_of("breach")} == {"globex"}
    admin.close()


def chroma_settings(folder: Path) -> Any:
    settings = chroma.settings()
    settings.is_persistent, settings.persist_directory = True, str(folder)
    return settings


def test_a_llamaindex_retriever_with_a_filter_for_each_tenant(tmp_path: Path, ledger: Ledger) -> None:
    pytest.importorskip("llama_index.core", reason="LlamaIndex is not installed")
    from llama_index.core.vector_stores import ExactMatchFilter, MetadataFilters

    with in_llamaindex(tmp_path) as house:
        retrievers = {
            tenant: house.target.as_retriever(
                similarity_top_k=K, filters=MetadataFilters(filters=[ExactMatchFilter(key=KEY, value=tenant)])
            )
            for tenant in TENANTS
        }
        results = darnel.check_tenants(retrievers, key=KEY, ledger=ledger)
        assert (results.exit_code, results.rows_of("inconclusive")) == (0, [])
        retrievers["globex"] = house.target.as_retriever(similarity_top_k=K)
        wrong = darnel.check_tenants(retrievers, key=KEY, ledger=ledger)
        assert {row.tenant for row in wrong.rows_of("breach")} == {"globex"}


def test_an_error_that_no_file_holds(corpus: MemoryCorpus, ledger: Ledger) -> None:
    def ask(_question: str, _tenant: str) -> list[str]:
        raise ValueError("\ud800 is half a character")

    assert json.loads(check(corpus, ask, ledger).to_json())["exit_code"] == 2


def test_names_and_values_on_the_command_line() -> None:
    assert read_tenants("acme, globex") == ["acme", "globex"]
    assert read_tenants("acme=17,globex=x,b") == {"acme": 17, "globex": "x", "b": "b"}


def test_a_retriever_with_a_filter_for_each_tenant(ledger: Ledger) -> None:
    pytest.importorskip("langchain_chroma", reason="langchain-chroma is not installed")
    from langchain_chroma import Chroma
    from langchain_core.embeddings import Embeddings

    class Words(Embeddings):
        def embed_documents(self, texts: list[str]) -> list[list[float]]:
            return hashed(texts)

        def embed_query(self, text: str) -> list[float]:
            return hashed([text])[0]

    store = Chroma(client=chroma.ephemeral_client(), collection_name="by-filter", embedding_function=Words())
    records = library()
    store.add_texts([r.text for r in records], [dict(r.metadata) for r in records], ids=[r.id for r in records])
    try:
        retrievers = {t: store.as_retriever(search_kwargs={"k": K, "filter": {KEY: t}}) for t in TENANTS}
        results = darnel.check_tenants(retrievers, key=KEY, ledger=ledger)
        assert (results.exit_code, results.rows_of("inconclusive")) == (0, [])
        retrievers["globex"] = store.as_retriever(search_kwargs={"k": K})
        wrong = darnel.check_tenants(retrievers, key=KEY, ledger=ledger)
        assert {row.tenant for row in wrong.rows_of("breach")} == {"globex"}
    finally:
        store.delete_collection()


APP = """
import chromadb
from tests.support import chroma
from tests.support.embedder import hashed

collection = chroma.persistent("db").get_collection("docs", embedding_function=None)

def ask(question, tenant, only=True):
    where = {"tenant": tenant} if only else None
    found = collection.query(query_embeddings=hashed([question]), n_results=5, where=where)
    return [{"id": i, "text": t} for i, t in zip(found["ids"][0], found["documents"][0])]

def careless(question, tenant):
    return ask(question, tenant, only=False)
"""


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A folder with a store and a module of an application."""
    chroma.build(tmp_path / "db", library())
    name = f"shop_{tmp_path.name.replace('-', '_')}"
    (tmp_path / f"{name}.py").write_text(APP, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    return name


def test_the_command(shop: str, cli: Callable[..., Outcome], monkeypatch: pytest.MonkeyPatch) -> None:
    args = ["tenants", "chroma:./db#docs", "--tenant-key", KEY, "--tenants", "acme,globex", "--embedder", HASHED]
    good = cli(*args, "--ask", f"{shop}:ask")
    assert good.code == 0, good.err
    assert good.out.startswith("Isolated: ")
    assert "all other records as before" in good.out
    wrong = cli(*args, "--ask", f"{shop}:careless", "--json")
    document = json.loads(wrong.out)
    assert (wrong.code, document["exit_code"]) == (1, 1)
    assert {row["check"] for row in document["rows"] if row["outcome"] == "breach"} >= {"same text", "naming"}
    shown = cli(*args, "--ask", f"{shop}:careless")
    assert "Not isolated" in shown.out
    assert re.findall(r"(\w[\w ]+): and (\d+) more", shown.out) == [
        ("same text", "3"),
        ("own text", "3"),
        ("naming", "33"),
        ("enumeration", "15"),
        ("flooding", "3"),
    ]
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"Where is the copper lantern?\n"), encoding="utf-8"))
    piped = cli(*args, "--ask", f"{shop}:ask", "--queries", "-", "--json")
    assert (piped.code, {row["query"] for row in json.loads(piped.out)["rows"]}) == (0, {"q1"})
    nowhere = cli(*args, "--ask", "nowhere")
    assert nowhere.code == 2
    assert nowhere.err.startswith("darnel: --ask nowhere: expected 'module:attr', for instance myapp.rag:ask")


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (["--tenant-key", KEY], "name the tenants"),
        (["--tenants", "acme,globex", "--tenant-key", KEY], "say how the application is asked"),
        (["--tenants", "acme,globex", "--tenant-key", KEY, "--ask", "nowhere:ask"], "No module named 'nowhere'"),
        (["--tenants", "acme", "--tenant-key", KEY, "--ask", "os.path:join"], "at least two tenants"),
        (["--tenants", "=1,b", "--tenant-key", KEY, "--ask", "os.path:join"], "write KEY=VALUE"),
    ],
)
def test_what_the_command_refuses(shop: str, cli: Callable[..., Outcome], args: list[str], says: str) -> None:
    ended = cli("tenants", "chroma:./db#docs", "--embedder", HASHED, *args)
    assert ended.code == 2
    assert says in ended.err


def test_darnels_own_errors_pass_through(ledger: Ledger) -> None:
    with pytest.raises(DarnelError, match="is empty"):
        check(MemoryCorpus(), lambda _q, _t: [], ledger)


def test_what_an_approximate_index_lost_is_planted_for_once_more(corpus: MemoryCorpus, ledger: Ledger) -> None:
    class Approximate(MemoryCorpus):
        def describe(self) -> CorpusDescription:
            found = super().describe()
            return replace(found, capabilities=replace(found.capabilities, exact=False))

    lossy = Approximate(corpus.records.values())
    lost: set[str] = set()

    def ask(question: str, tenant: str) -> list[Record]:
        records = found(lossy, question, tenant)
        if "lantern" in question and tenant == "acme":  # loses the first plant of acme's that it is asked for
            lost.update(r.id for r in records[:1] if not lost and find_markers(r.text))
        return [r for r in records if r.id not in lost]

    results = check(lossy, ask, ledger)
    assert (results.exit_code, results.rows_of("inconclusive")) == (0, [])
    assert results.cleanup.planted == results.cleanup.removed > 3 * 2 * 2 + 3 * 2 * 60  # some of it twice
    assert len({(r.check, r.tenant, r.other, r.asked) for r in results.rows}) == len(results.rows)

    calls: list[str] = []

    def breaks(question: str, tenant: str) -> list[Record]:
        calls.append(question)
        return [] if len(calls) <= 6 else found(lossy, question, None)

    assert check(lossy, breaks, ledger).exit_code == 1
