"""Open ``memory:<corpus.jsonl or folder>#<ranker>``."""

from __future__ import annotations

from pathlib import Path

from darnel.adapters.checks import corpus_checks
from darnel.adapters.memory.corpus import MemoryCorpus, load_corpus
from darnel.adapters.memory.rankers import RANKERS, make_ranker
from darnel.adapters.spec import TargetSpec
from darnel.core.corpus import Target
from darnel.core.errors import UnknownNameError, UsageError
from darnel.embedders.base import Embedder


def open_memory(spec: TargetSpec, embedder: Embedder | None, *, exclusive: bool = True) -> Target:
    """A memory corpus over a BEIR ``corpus.jsonl``, or over the folder that holds one; BM25 unless named otherwise.

    Raises:
        UsageError: an unknown ranker, or ``dense`` without an embedder.
        TargetError: the file is missing, or a line of it is no record.
    """
    if spec.is_url:
        raise UsageError(f"{spec.redacted} is no file; write for instance memory:./corpus.jsonl#bm25")
    spec.check_parameters(())
    name = spec.container or "bm25"
    if name not in RANKERS:
        raise UnknownNameError("ranker", name, RANKERS)
    path = Path(spec.where).expanduser()
    path = path / "corpus.jsonl" if path.is_dir() else path
    corpus = MemoryCorpus(load_corpus(path), ranker=make_ranker(name, embedder), name=f"{path}#{name}")
    return memory_target(corpus, spec=spec.absolute)


def memory_target(corpus: MemoryCorpus, *, spec: str = "") -> Target:
    """A target from a memory corpus object."""
    return Target(corpus, corpus, corpus, spec=spec, checks=lambda: corpus_checks(corpus, corpus))
