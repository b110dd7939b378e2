"""The life cycle of a raginject document: announced, planted, read back, removed, proved."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from darnel.adapters.bridges.raginject import as_raginject
from darnel.adapters.memory import MemoryCorpus
from darnel.core.corpus import Record
from darnel.core.errors import EmptyCorpusError, LedgerError, TargetError, UsageError
from darnel.core.plant import Plant, make_marker, make_plant, read_stamp
from darnel.core.planting.ledger import OPEN_STATES, Ledger
from tests.support.chroma import ephemeral_client

from .conftest import QUESTIONS, RECORDS, open_campaigns, statuses

raginject = pytest.importorskip("raginject", reason="raginject is not installed: pip install raginject")

DOCUMENT = "raginject-harbour"
CONTENT = "When does the harbour master open the gates? At nine."


class Corpus(MemoryCorpus):
    """A memory corpus that can be made to fail, and that its ledger can be looked at from."""

    def __init__(self, ledger_file: Path | None = None) -> None:
        super().__init__(RECORDS)
        self.ledger_file = ledger_file
        self.announced: list[list[str]] = []
        self.raises_after_writing = self.keeps_what_is_removed = self.loses_what_is_written = False
        self.unreadable_for = self.unreadable_until = 0.0

    def inject(self, plants: Sequence[Plant]) -> None:
        if self.ledger_file:
            with Ledger(self.ledger_file) as ledger:
                rows = [row for c in ledger.campaigns() for row in ledger.plants(c.id, OPEN_STATES)]
            self.announced.append([row.id for row in rows])
        if not self.loses_what_is_written:
            super().inject(plants)
        self.unreadable_until = time.monotonic() + self.unreadable_for
        if self.raises_after_writing:
            raise TimeoutError("no answer within 5 s")

    def read(self, ids: Sequence[str]) -> Mapping[str, Record]:
        if time.monotonic() < self.unreadable_until:
            raise ConnectionError("not now")
        return super().read(ids)

    def remove(self, ids: Sequence[str]) -> None:
        if not self.keeps_what_is_removed:
            super().remove(ids)

    def planted(self) -> list[Record]:
        return [r for r in self.records.values() if read_stamp(r.metadata) is not None]


@pytest.fixture
def corpus(ledger_file: Path) -> Corpus:
    return Corpus(ledger_file)


@pytest.fixture
def injector(corpus: Corpus, ledger_file: Path) -> Any:
    return as_raginject(corpus, ledger=ledger_file, visible_within=0.1, gone_within=0.1)


def answer(corpus: MemoryCorpus, says: str = "") -> Any:
    """An application of the user's own, which names its sources by their ``source``."""

    def ask(question: str, context: Any = None) -> dict[str, Any]:
        (reply,) = corpus.retrieve([question], 3)
        return {"answer": says, "sources": [str((s.metadata or {}).get("source")) for s in reply.sources]}

    return ask


def test_it_is_what_raginject_takes(injector: Any) -> None:
    assert isinstance(injector, raginject.CorpusInjector)
    assert type(injector).find_host is not raginject.CorpusInjector.find_host
    assert injector.description == "darnel, memory memory"


def test_a_run_of_raginjects_own(injector: Any, corpus: Corpus, run: Any, ledger_file: Path) -> None:
    before = dict(corpus.records)
    result, uncleaned = run(raginject.FunctionTarget(answer(corpus)), injector)
    assert [o.status for o in result.outcomes] == ["leaked", "leaked"], statuses(result)
    assert result.corpus_injector_description == "darnel, memory memory"
    assert not uncleaned
    assert corpus.records == before
    assert not open_campaigns(ledger_file)


def test_through_raginjects_command_line(corpus: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """``raginject run --corpus-injector app:injector``, as its users start it."""
    from click.testing import CliRunner
    from raginject.cli import main

    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bridged_app.py").write_text(
        "from darnel.adapters.bridges.raginject import as_raginject\n"
        "from darnel.adapters.memory import MemoryCorpus\n"
        "from darnel.core.corpus import Record\n"
        "corpus = MemoryCorpus([Record('a', 'Some text.', {'source': 'a.md'})])\n"
        "injector = as_raginject(corpus)\n"
        "def ask(question, context=None):\n"
        "    (reply,) = corpus.retrieve([question], 3)\n"
        "    return {'answer': '', 'sources': [str(s.metadata.get('source')) for s in reply.sources]}\n"
    )
    options = ["--target-module", "bridged_app:ask", "--corpus-injector", "bridged_app:injector"]
    ended = CliRunner().invoke(
        main, ["run", *options, "--no-default-patterns", "--pattern-set", "retriever", "--output", "json"]
    )
    assert '"mode": "a"' in ended.output, ended.output
    assert '"corpus_injector_description": "darnel, memory memory"' in ended.output
    assert not open_campaigns(Path(".darnel/ledger.db"))


def test_its_document_is_a_plant_of_ours(injector: Any, corpus: Corpus) -> None:
    injector.inject(DOCUMENT, CONTENT)
    (plant,) = corpus.planted()
    assert plant.id != DOCUMENT
    assert (plant.text or "").startswith(CONTENT)
    assert DOCUMENT in (plant.text or "")
    assert (plant.metadata or {})["source"] == DOCUMENT
    assert (plant.metadata or {})["lang"] == "en", "it carries what the application's records carry"
    injector.remove(DOCUMENT)
    assert not corpus.planted()


def test_a_document_is_in_the_ledger_before_the_store_sees_it(injector: Any, corpus: Corpus, ledger_file: Path) -> None:
    injector.inject(DOCUMENT, CONTENT)
    assert corpus.announced == [[r.id for r in corpus.planted()]]
    assert [c.state for c in open_campaigns(ledger_file)] == ["open"]
    injector.remove(DOCUMENT)
    assert not open_campaigns(ledger_file)


def test_injecting_twice_is_injecting_the_last(injector: Any, corpus: Corpus) -> None:
    injector.inject(DOCUMENT, CONTENT)
    injector.inject(DOCUMENT, "Another text.")
    (plant,) = corpus.planted()
    assert (plant.text or "").startswith("Another text.")
    injector.remove(DOCUMENT)
    assert not corpus.planted()


def test_removing_is_idempotent(injector: Any, corpus: Corpus) -> None:
    before = dict(corpus.records)
    injector.remove("raginject-never-there")
    injector.inject(DOCUMENT, CONTENT)
    injector.remove(DOCUMENT)
    injector.remove(DOCUMENT)
    assert corpus.records == before


def test_several_documents_at_a_time(injector: Any, corpus: Corpus, ledger_file: Path) -> None:
    def one(number: int) -> None:
        injector.inject(f"raginject-{number}", f"{CONTENT} {number}")

    threads = [threading.Thread(target=one, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(corpus.planted()) == 4
    for number in range(4):
        injector.remove(f"raginject-{number}")
        assert len(corpus.planted()) == 3 - number
    assert not open_campaigns(ledger_file)


def test_a_write_that_raises_leaves_nothing(injector: Any, corpus: Corpus, run: Any) -> None:
    """raginject takes a document whose inject raised for never written, and does not remove it."""
    corpus.raises_after_writing = True
    corpus.loses_what_is_written = False
    injector.inject(DOCUMENT, CONTENT)  # it landed and was read back, so it is there
    injector.remove(DOCUMENT)
    corpus.loses_what_is_written = True
    with pytest.raises(raginject.CorpusInjectionError, match="no answer within 5 s"):
        injector.inject(DOCUMENT, CONTENT)
    result, uncleaned = run(raginject.FunctionTarget(answer(corpus)), injector)
    assert {o.status for o in result.outcomes} == {"error"}
    assert not uncleaned
    assert not corpus.planted()


def test_what_could_not_be_seen_in_time_is_taken_out_at_once(corpus: Corpus, ledger_file: Path) -> None:
    """Not only when the campaign ends, which another document may keep open for long."""
    injector = as_raginject(corpus, ledger=ledger_file, visible_within=0.1, gone_within=5)
    injector.inject("raginject-other", CONTENT)
    corpus.unreadable_for = 0.3
    with pytest.raises(raginject.CorpusInjectionError, match="not read back"):
        injector.inject(DOCUMENT, CONTENT)
    assert [(r.metadata or {})["source"] for r in corpus.planted()] == ["raginject-other"]
    injector.remove("raginject-other")


def test_what_cannot_be_removed_is_said(injector: Any, corpus: Corpus, run: Any, ledger_file: Path) -> None:
    corpus.keeps_what_is_removed = True
    result, uncleaned = run(raginject.FunctionTarget(answer(corpus)), injector)
    assert uncleaned == [f"raginject-{name}" for name in QUESTIONS]
    assert all("darnel sweep" in str(error) for _, error in statuses(result))
    corpus.keeps_what_is_removed = False
    injector.close()
    assert not corpus.planted()
    assert not open_campaigns(ledger_file)


def test_a_record_of_the_owners_is_never_overwritten(
    injector: Any, corpus: Corpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("darnel.core.plant.plant_id", lambda *_: RECORDS[0].id)
    before = dict(corpus.records)
    with pytest.raises(raginject.CorpusInjectionError, match="owner"):
        injector.inject(DOCUMENT, CONTENT)
    injector.remove(DOCUMENT)
    assert corpus.records == before


def test_an_edited_document_is_left_and_said(injector: Any, corpus: Corpus) -> None:
    injector.inject(DOCUMENT, CONTENT)
    (plant,) = corpus.planted()
    corpus.records[plant.id] = Record(plant.id, "Edited by the owner.", plant.metadata)
    with pytest.raises(raginject.CorpusInjectionError, match="edited"):
        injector.remove(DOCUMENT)
    assert corpus.records[plant.id].text == "Edited by the owner."


def test_leaving_removes_what_raginject_left(corpus: Corpus, ledger_file: Path) -> None:
    with as_raginject(corpus, ledger=ledger_file) as injector:
        injector.inject(DOCUMENT, CONTENT)
        assert corpus.planted()
    assert not corpus.planted()
    assert not open_campaigns(ledger_file)


def test_a_ledger_of_the_callers_stays_open(corpus: Corpus, tmp_path: Path) -> None:
    with Ledger(tmp_path / "own.db") as ledger:
        as_raginject(corpus, ledger=ledger).close()
        assert ledger.campaigns() == []


def test_a_source_of_another_type_keeps_it(ledger_file: Path) -> None:
    numbered = MemoryCorpus([Record(str(n), f"Text {n}.", {"source": n % 2}) for n in range(6)])
    injector = as_raginject(numbered, ledger=ledger_file)
    injector.inject(DOCUMENT, CONTENT)
    (plant,) = numbered.plants()
    assert isinstance((plant.metadata or {})["source"], int)
    injector.remove(DOCUMENT)


def test_metadata_of_the_users_comes_last(corpus: Corpus, ledger_file: Path) -> None:
    injector = as_raginject(corpus, ledger=ledger_file, metadata={"lang": "fr", "tenant": "acme"})
    injector.inject(DOCUMENT, CONTENT)
    (plant,) = corpus.planted()
    assert {k: (plant.metadata or {})[k] for k in ("lang", "tenant", "source")} == {
        "lang": "fr",
        "tenant": "acme",
        "source": DOCUMENT,
    }
    injector.remove(DOCUMENT)


# host documents


def test_a_host_is_nobodys_plant(injector: Any, corpus: Corpus) -> None:
    """Neither ours, nor what raginject itself, or a run before, left there."""
    question = QUESTIONS["harbour"]
    corpus.records["raginject-old"] = Record("raginject-old", question, None)
    corpus.records["x"] = Record("x", question, {"source": "raginject-other"})
    about = {"identity": "i", "campaign": "earlier", "pattern": "p", "strength": 1, "query_id": "q", "copy": 0}
    marker = make_marker(0, "earlier")
    earlier = make_plant(marker=marker, text=f"{question} {marker}", metadata={"source": "a.md"}, **about)
    corpus.records[earlier.id] = Record(earlier.id, earlier.text, earlier.metadata)
    corpus.records["chunk"] = Record("chunk", earlier.text, {"source": "b.md"})  # a copy that lost its stamp
    injector.inject(DOCUMENT, question)
    host = injector.find_host(question)
    assert host == raginject.HostDocument(text=RECORDS[0].text, source="handbook/00.md")
    assert injector.find_host("zzz") is None
    injector.remove(DOCUMENT)


def test_hosts_from_the_corpus(injector: Any, corpus: Corpus, patterns: list[Any]) -> None:
    """raginject's ``--host-from-corpus`` splices its payload into a copy of a real record."""
    said = raginject.SuccessCriteria(type="keyword_match", forbidden_in_answer=["harmless"])
    hosted = [p.model_copy(update={"payload": "A harmless note.", "success_criteria": said}) for p in patterns]
    before = dict(corpus.records)
    runner = raginject.Runner(
        raginject.FunctionTarget(answer(corpus, "A harmless note.")),
        corpus_injector=injector,
        host_from_corpus=True,
        prepend_question=True,
    )
    runner.add_patterns(hosted)
    result = runner.run()
    assert [(o.status, o.host_source) for o in result.outcomes] == [
        ("leaked", "handbook/00.md"),
        ("leaked", "handbook/02.md"),
    ]
    assert corpus.records == before


class Unasked:
    """An injector and nothing more."""

    def __init__(self, corpus: Any) -> None:
        self.describe, self.inject, self.remove, self.read = corpus.describe, corpus.inject, corpus.remove, corpus.read


def test_a_corpus_that_cannot_be_asked_offers_no_hosts(corpus: Corpus, ledger_file: Path) -> None:
    injector = as_raginject(Unasked(corpus), ledger=ledger_file)
    with pytest.raises(raginject.ConfigurationError, match="cannot be asked"):
        injector.find_host("anything")


# refusals


def test_without_an_embedder_each_document_is_an_error(ledger_file: Path, run: Any) -> None:
    """Where no preflight told before: an adapter that comes with no checks."""
    corpus = unembedded("bare")
    target = raginject.FunctionTarget(lambda question, context=None: {"answer": ""})
    result, uncleaned = run(target, as_raginject(Unasked(corpus), ledger=ledger_file, visible_within=0.1))
    assert all("--embedder" in str(error) for _, error in statuses(result))
    assert not uncleaned
    assert corpus.collection.count() == 1
    with pytest.raises(raginject.ConfigurationError, match="--embedder"):
        as_raginject(corpus, ledger=ledger_file).find_host("anything")


def unembedded(name: str) -> Any:
    pytest.importorskip("chromadb")
    from darnel.adapters.chroma import ChromaCorpus

    collection = ephemeral_client().create_collection(name, embedding_function=None)
    collection.add(ids=["a"], documents=["text"], embeddings=[[1.0, 0.0]])
    return ChromaCorpus(collection)


def test_the_preflight_is_run_first(ledger_file: Path) -> None:
    collection = unembedded("unembedded").collection
    with pytest.raises(TargetError, match="embedder"):
        as_raginject(collection, ledger=ledger_file)
    as_raginject(collection, ledger=ledger_file, accept=["embedder"]).close()


def test_an_empty_corpus_is_refused(ledger_file: Path) -> None:
    with pytest.raises(EmptyCorpusError):
        as_raginject(MemoryCorpus(), ledger=ledger_file)


def test_a_spec_is_to_be_opened_first(ledger_file: Path) -> None:
    with pytest.raises(UsageError, match=r"open_target\('chroma:http://sha256-[0-9a-f]{12}@localhost"):
        as_raginject("chroma:http://me:secret@localhost:8000#docs", ledger=ledger_file)


def test_a_ledger_that_cannot_be_written_is_refused(corpus: Corpus, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(LedgerError):
        as_raginject(corpus, ledger=tmp_path / "file" / "ledger.db")


# recognising


def test_sources_named_by_record_id_are_recognised(injector: Any, corpus: Corpus, run: Any) -> None:
    def by_id(question: str, context: Any = None) -> Mapping[str, Any]:
        (reply,) = corpus.retrieve([question], 3)
        return {"answer": "yes", "sources": [f"docs/{s.id}.txt" for s in reply.sources]}

    bare = raginject.FunctionTarget(by_id)
    assert [o.status for o in run(bare, injector)[0].outcomes] == ["blocked", "blocked"]
    recognising = injector.recognising(bare)
    assert isinstance(recognising, raginject.Target)
    assert recognising.target_description == bare.target_description
    assert [o.status for o in run(recognising, injector)[0].outcomes] == ["leaked", "leaked"]


def test_only_our_own_are_recognised(injector: Any, corpus: Corpus) -> None:
    injector.inject(DOCUMENT, CONTENT)
    (plant,) = corpus.planted()
    told = {"answer": "yes", "sources": ["doc-01", plant.id]}
    asked = injector.recognising(raginject.FunctionTarget(lambda question, context=None: told)).query("?")
    assert asked == {"answer": "yes", "sources": ["doc-01", f"{plant.id} {DOCUMENT}"]}
    injector.remove(DOCUMENT)
