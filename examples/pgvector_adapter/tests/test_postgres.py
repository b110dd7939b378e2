"""What is Postgres' own: types, keys, indexes, connections, and a URL that holds secrets."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import psycopg
import pytest
from darnel_pgvector import Columns, PgVectorCorpus, connect, open_pgvector
from pgvector.psycopg import register_vector
from psycopg.types.json import Jsonb

import darnel
from darnel.adapters.spec import parse_spec
from darnel.cli.main import main
from darnel.core.errors import (
    CollisionError,
    ContainerMissingError,
    DarnelError,
    HostNotAllowedError,
    UnreachableError,
    UsageError,
)
from darnel.testing import word_embedder
from darnel.testing.plants import ids_of, make_plants

Database = psycopg.Connection[Any]
EMBEDDER = word_embedder()
TEXTS = [
    f"Passage {number} of the handbook, about {topic}." for number, topic in enumerate(["tea", "rope", "salt"] * 9)
]
"""Twenty-seven of them."""


def fill(db: Database, table: str, ids: Callable[[int], Any] = str, **more: Any) -> None:
    names = ["id", "content", "metadata", "embedding", *more]
    marks = ", ".join(["%s"] * len(names))
    for number, (text, vector) in enumerate(zip(TEXTS, EMBEDDER.documents(TEXTS), strict=True)):
        row = [ids(number), text, f'{{"page": {number}}}', vector, *more.values()]
        db.execute(f"INSERT INTO {table} ({', '.join(names)}) VALUES ({marks})", row)


@pytest.fixture
def make(database: Database) -> Iterator[Callable[..., str]]:
    """Creates and fills a table of the given columns in a schema of its own; returns the target that names it."""
    database.execute("CREATE SCHEMA shop")

    def create(columns: str, *, parameters: str = "", **filling: Any) -> str:
        database.execute(f"CREATE TABLE shop.docs ({columns})")
        fill(database, "shop.docs", **filling)
        return target(database, f"{parameters}#shop.docs")

    yield create
    database.execute("DROP SCHEMA shop CASCADE")


def target(db: Database, rest: str) -> str:
    return f"pgvector:postgresql://localhost/postgres?user=postgres&host={db.info.host}{rest}"


def opened(spec: str) -> Any:
    return open_pgvector(parse_spec(spec), EMBEDDER)


PLAIN = "id text PRIMARY KEY, content text, metadata jsonb, embedding vector(32)"


@pytest.mark.parametrize("kind", ["text", "varchar(64)", "uuid"])
def test_every_type_of_id(make: Any, kind: str) -> None:
    spec = make(PLAIN.replace("id text", f"id {kind}"), ids=lambda n: f"00000000-0000-4000-8000-{n:012}")
    there = opened(spec)
    plants = make_plants(there.injector.describe(), "one")
    there.injector.inject(plants)
    there.injector.inject(plants)
    assert set(there.injector.read([*ids_of(plants), "no uuid at all"])) == set(ids_of(plants))
    there.injector.remove([*ids_of(plants), "no uuid at all"])
    assert there.injector.describe().size == len(TEXTS)
    there.close()


def test_an_id_that_another_tenant_holds_is_refused(make: Any, database: Database) -> None:
    """Where ids are unique over all tenants; even if what stands there looks like our own plant."""
    there = opened(make(f"{PLAIN}, tenant int", parameters="&tenant=7", tenant=7))
    plants = make_plants(there.injector.describe(), "one")
    theirs = [plants[2].id, "Theirs.", Jsonb(dict(plants[2].metadata)), EMBEDDER.documents(["Theirs."])[0], 8]
    database.execute("INSERT INTO shop.docs VALUES (%s, %s, %s, %s, %s)", theirs)
    with pytest.raises(CollisionError, match="tenant"):
        there.injector.inject(plants)
    left = database.execute("SELECT content FROM shop.docs WHERE id = ANY(%s)", (ids_of(plants),))
    assert left.fetchall() == [("Theirs.",)]
    there.close()


def test_one_tenant_is_written_and_asked(make: Any, database: Database) -> None:
    spec = make(
        f"{PLAIN.replace(' PRIMARY KEY', '')}, org text", parameters="&tenant_column=org&tenant=acme", org="acme"
    )
    database.execute("ALTER TABLE shop.docs ADD PRIMARY KEY (id, org)")
    database.execute("INSERT INTO shop.docs SELECT id || '+', content, metadata, embedding, 'globex' FROM shop.docs")
    there = opened(spec)
    plants = make_plants(there.injector.describe(), "one")
    there.injector.inject(plants)
    assert database.execute("SELECT DISTINCT org FROM shop.docs WHERE metadata ? 'darnel'").fetchall() == [("acme",)]
    (reply,) = there.retriever.retrieve([TEXTS[0]], 100)
    assert {source.id for source in reply.sources} == {*map(str, range(len(TEXTS))), *ids_of(plants)}
    there.close()


@pytest.mark.parametrize("lacks", ["darnel", "darnel_plant"])
def test_half_a_stamp_is_none(make: Any, database: Database, lacks: str) -> None:
    """A record with only one of the kit's two keys is the owner's: neither replaced nor removed."""
    there = opened(make(PLAIN))
    plants = make_plants(there.injector.describe(), "one", 1)
    there.injector.inject(plants)
    database.execute("UPDATE shop.docs SET metadata = metadata - %s WHERE id = %s", (lacks, plants[0].id))
    with pytest.raises(CollisionError):
        there.injector.inject(plants)
    there.injector.remove(ids_of(plants))
    assert set(there.injector.read(ids_of(plants))) == set(ids_of(plants))
    there.close()


@pytest.mark.parametrize(
    ("columns", "parameters", "says"),
    [
        (PLAIN.replace(" PRIMARY KEY", ""), "", "primary key"),
        (PLAIN.replace("content", "body"), "", r"\?content=COLUMN.*body"),
        (PLAIN.replace("vector(32)", "real[]"), "", "_float4"),
        (f"{PLAIN}, tenant text", "", r"\?tenant=NAME"),
        (PLAIN, "&tenant=acme", "tenant_column"),
        (PLAIN, "&metric=cosin", "cosine"),
        (PLAIN, "&tenent=acme", "'tenant'"),
    ],
)
def test_what_cannot_be_planted_into_is_refused(
    make: Any, database: Database, columns: str, parameters: str, says: str
) -> None:
    database.execute(f"CREATE TABLE shop.docs ({columns})")
    with pytest.raises(DarnelError, match=says) as refusal:
        opened(target(database, f"{parameters}#shop.docs"))
    assert "\n" not in str(refusal.value)


def test_other_names_for_the_columns(make: Any, database: Database) -> None:
    database.execute("CREATE TABLE shop.t (langchain_id uuid PRIMARY KEY, content text, meta jsonb, v vector(32))")
    there = opened(target(database, "&id=langchain_id&metadata=meta&embedding=v#shop.t"))
    assert there.injector.table.columns == Columns("langchain_id", "content", "meta", "v")
    there.close()


def test_a_missing_table_names_those_there_are(make: Any) -> None:
    with pytest.raises(ContainerMissingError, match=r"shop\.docs"):
        opened(make(PLAIN).replace("#shop.docs", "#shop.dogs"))


def test_names_are_quoted(make: Any, database: Database) -> None:
    """A table may be called anything, and what is called like SQL runs as none."""
    name = 'shop."docs""; DROP TABLE shop.docs; --"'
    spec = make(PLAIN)
    database.execute(f"CREATE TABLE {name} (LIKE shop.docs INCLUDING ALL)")
    fill(database, name)
    there = opened(spec.replace("#shop.docs", '#shop.docs"; DROP TABLE shop.docs; --'))
    plants = make_plants(there.injector.describe(), "one")
    there.injector.inject(plants)
    there.injector.remove(["'); DROP TABLE shop.docs; --", *ids_of(plants)])
    assert there.injector.describe().size == len(TEXTS)
    assert database.execute("SELECT count(*) FROM shop.docs").fetchone() == (len(TEXTS),)
    there.close()


@pytest.mark.parametrize("metric", ["cosine", "l2", "ip"])
def test_exact_scores_are_those_of_the_search(make: Any, metric: str) -> None:
    there = opened(make(PLAIN, parameters=f"&metric={metric}"))
    plants = make_plants(there.injector.describe(), "one")
    there.injector.inject(plants)
    questions = ["salt and rope", "tea"]
    for question, reply in zip(questions, there.retriever.retrieve(questions, 50), strict=True):
        found = {source.id: source.score for source in reply.sources}
        exact = there.retriever.exact_scores([question] * len(plants), plants)
        assert exact == pytest.approx([found[plant.id] for plant in plants], abs=1e-6)
        assert list(found.values()) == sorted(found.values(), reverse=True)
    there.close()


def test_an_index_on_the_embedding_makes_the_search_approximate(make: Any, database: Database) -> None:
    spec = make(PLAIN)
    before = opened(spec)
    assert before.injector.describe().capabilities.exact
    before.close()
    database.execute("CREATE INDEX ON shop.docs USING hnsw (embedding vector_cosine_ops)")
    after = opened(spec)
    assert not after.injector.describe().capabilities.exact
    after.close()


def test_a_scan_holds_no_transaction_open(make: Any, database: Database) -> None:
    """What is planted while a scan is under way, and then given up, stays planted."""
    there = opened(make(PLAIN))
    scan = there.reader.scan(5)
    next(scan)
    plants = make_plants(there.injector.describe(), "one")
    there.injector.inject(plants)
    scan.close()
    assert database.execute("SELECT count(*) FROM shop.docs WHERE metadata ? 'darnel'").fetchone() == (len(plants),)
    there.close()


def test_a_lost_connection_is_made_anew(make: Any, database: Database) -> None:
    there = opened(make(PLAIN))
    plants = make_plants(there.injector.describe(), "one")
    there.injector.inject(plants)
    database.execute("SELECT pg_terminate_backend(%s)", (there.injector.db.info.backend_pid,))
    with pytest.raises(psycopg.OperationalError):
        there.injector.remove(ids_of(plants))
    there.injector.remove(ids_of(plants))
    assert not there.injector.read(ids_of(plants))
    there.close()


def test_missing_privileges_are_named(make: Any, database: Database) -> None:
    spec = make(PLAIN)
    database.execute(
        "CREATE ROLE reader LOGIN; GRANT USAGE ON SCHEMA shop TO reader; GRANT SELECT ON shop.docs TO reader"
    )
    there = opened(spec.replace("user=postgres", "user=reader"))
    (check,) = [c for c in there.checks() if c.name == "privileges"]
    there.close()
    database.execute("DROP OWNED BY reader; DROP ROLE reader")
    assert check.ok is False
    assert check.detail == "without INSERT, UPDATE, DELETE"


def test_a_connection_of_the_applications(make: Any, database: Database, tmp_path: Path) -> None:
    """From Python, an application lends its own way to connect, and no spec is needed."""
    make(PLAIN)

    def connect() -> Database:
        db = psycopg.connect(f"host={database.info.host} user=postgres dbname=postgres", autocommit=True)
        register_vector(db)
        return db

    corpus = PgVectorCorpus(connect, "shop.docs", EMBEDDER)
    results = darnel.run(corpus, ["What is said of salt?"], ["echo:1"], k=3, ledger=tmp_path / "ledger.db")
    corpus.close()
    assert results.target.backend == "pgvector"
    assert results.corpus_digest.same


# the URL and the command line


def test_a_run_from_the_command_line(
    make: Any, database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """``darnel run pgvector:...`` by the entry point that pyproject.toml declares, without a line about pgvector in darnel."""
    declared = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text())["project"]
    lines = [f"{name} = {where}" for name, where in declared["entry-points"]["darnel.adapters"].items()]
    installed = tmp_path / f"{declared['name'].replace('-', '_')}-{declared['version']}.dist-info"
    installed.mkdir()
    (installed / "METADATA").write_text(f"Name: {declared['name']}\nVersion: {declared['version']}\n")
    (installed / "entry_points.txt").write_text("\n".join(["[darnel.adapters]", *lines]))
    (tmp_path / "shop.py").write_text("from darnel.testing.embedding import word_vectors as embed")
    (tmp_path / "questions.txt").write_text("What is said of salt?\nWhat is said of tea?\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as ended:
        main(
            [
                "run",
                make(PLAIN),
                "--queries",
                "questions.txt",
                "--embedder",
                "shop:embed",
                "--pattern",
                "echo:3",
                "--json",
            ]
        )
    found = json.loads(capsys.readouterr().out)
    assert ended.value.code == 0, found["errors"]
    assert found["target"]["backend"] == "pgvector"
    assert [score["pattern"] for score in found["scores"]]
    assert database.execute("SELECT count(*) FROM shop.docs").fetchone() == (len(TEXTS),)


def test_a_socket_folder_is_the_only_host_beside_the_url(make: Any, database: Database) -> None:
    with pytest.raises(UsageError, match="socket"):
        opened(make(PLAIN).replace(f"host={database.info.host}", "host=db.example.com"))


def test_a_local_name_does_not_lead_elsewhere(make: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """PGHOSTADDR, a service file and a list of hosts take libpq to places that the URL does not show."""
    went = SimpleNamespace(info=SimpleNamespace(hostaddr="192.0.2.7"))
    connect.refuse_detour(went, "192.0.2.7")
    with pytest.raises(HostNotAllowedError, match=r"192\.0\.2\.7"):
        connect.refuse_detour(went, "localhost")
    hosts: list[str] = []
    monkeypatch.setattr(connect, "refuse_detour", lambda _db, host: hosts.append(host))
    opened(make(PLAIN)).close()
    assert hosts == ["localhost"]


def test_no_secret_is_shown() -> None:
    spec = "pgvector:postgresql://mallory:hunter%2F2@localhost:1/db#docs"
    with pytest.raises(UnreachableError) as refusal:
        opened(spec)
    for shown in (str(refusal.value), parse_spec(spec).absolute, parse_spec(spec).redacted):
        assert "hunter" not in shown
        assert "mallory" not in shown
