"""The adapter keeps darnel's promises: the whole conformance suite, on a real Postgres."""

import pytest
from darnel_pgvector import open_pgvector
from psycopg.types.json import Jsonb

from darnel.adapters.spec import parse_spec
from darnel.core.corpus import Record, Source
from darnel.testing import ConformanceSuite


class TestPgVector(ConformanceSuite):
    @pytest.fixture
    def store(self, database):
        database.execute("TRUNCATE docs; DROP TABLE IF EXISTS empty")
        self.write(database, self.records())
        self.write(database, self.neighbour_records(), "globex")
        return database

    def open(self, store, embedder, table="docs"):
        where = f"postgresql://localhost/postgres?host={store.info.host}&user=postgres&tenant_column=org&tenant=acme"
        return open_pgvector(parse_spec(f"pgvector:{where}#{table}"), embedder)

    def open_missing(self, store):
        return self.open(store, self.embedder(), "nowhere")

    def open_empty(self, store, embedder):
        store.execute("CREATE TABLE empty (LIKE docs INCLUDING ALL); ALTER TABLE empty ALTER embedding TYPE vector")
        return self.open(store, embedder, "empty")

    def witness(self, store, org="acme"):
        query = "SELECT id, content, metadata, embedding::real[] FROM docs WHERE org = %s"
        return [Record(*row) for row in store.execute(query, (org,))]

    def neighbours(self, store):
        return {"globex": self.witness(store, "globex")}

    def write(self, store, records, org="acme"):
        self.delete(store, [r.id for r in records], org)
        rows = [(org, r.id, r.text, Jsonb(dict(r.metadata)), r.vector) for r in records]
        store.cursor().executemany("INSERT INTO docs VALUES (%s, %s, %s, %s, %s)", rows)

    def delete(self, store, ids, org="acme"):
        store.execute("DELETE FROM docs WHERE org = %s AND id = ANY(%s)", (org, ids))

    def structure(self, store):
        columns = "SELECT c::text FROM information_schema.columns c WHERE table_schema = 'public'"
        indexes = "SELECT i::text FROM pg_indexes i WHERE schemaname = 'public'"
        return store.execute(f"{columns} UNION {indexes} ORDER BY 1").fetchall()

    def app(self, store):
        query = "SELECT id, content, metadata FROM docs WHERE org = 'acme' ORDER BY embedding <=> %s LIMIT %s"
        return lambda text, k: [Source(*r) for r in store.execute(query, (self.embedder().queries([text])[0], k))]
