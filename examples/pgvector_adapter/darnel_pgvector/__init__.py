"""darnel's adapter for Postgres with pgvector."""

from darnel_pgvector.connect import open_pgvector
from darnel_pgvector.corpus import PgVectorCorpus
from darnel_pgvector.table import Columns

__all__ = ["Columns", "PgVectorCorpus", "open_pgvector"]
