"""Embedders: what is accepted, what is checked, and that each text is embedded once."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from darnel.core.corpus import Record
from darnel.core.errors import EmbedderError, TargetError, UsageError
from darnel.embedders.base import CachedEmbedder, Embedder
from darnel.embedders.check import agreement, check_dimension
from darnel.embedders.resolve import resolve_embedder
from tests.support.corpora import make_records
from tests.support.embedder import DIMENSION, hashed, other


def test_each_text_is_embedded_once_in_batches() -> None:
    asked: list[list[str]] = []

    def function(texts: list[str]) -> object:
        asked.append(texts)
        return hashed(texts)

    embedder = CachedEmbedder("own", function, batch=2)
    made = embedder.documents(["a", "b", "a", "c", "b"])
    assert asked == [["a", "b"], ["c"]]
    assert made.dtype == np.float32
    assert made.shape == (5, DIMENSION)
    assert np.array_equal(made[0], made[2])
    assert np.array_equal(embedder.queries(["c"])[0], made[3])  # one function serves both
    assert len(asked) == 2
    assert embedder.documents([]).shape == (0, DIMENSION)
    assert embedder.dimension == DIMENSION


def test_queries_may_have_a_function_of_their_own() -> None:
    embedder = CachedEmbedder("own", hashed, other)
    assert not np.allclose(embedder.documents(["a"]), embedder.queries(["a"]))


@pytest.mark.parametrize(
    ("gives", "message"),
    [
        (lambda _texts: [[1.0]], r"gave shape \(1, 1\) for 2 texts"),
        (lambda _texts: [1.0, 2.0], r"gave shape \(2,\)"),
        (lambda texts: [[] for _ in texts], r"gave shape \(2, 0\)"),
        (lambda texts: [[float("nan")] for _ in texts], "NaN or infinite"),
        (lambda texts: [[1.0], [float("inf")]][: len(texts)], "NaN or infinite"),
        (lambda texts: [[1.0], [1.0, 2.0]][: len(texts)], "failed: ValueError"),
        (lambda _texts: 1 / 0, "the embedder own failed: ZeroDivisionError"),
        (lambda _texts: ["a", "b"], "failed: ValueError"),
    ],
)
def test_a_model_that_gives_anything_else_is_refused(gives: Any, message: str) -> None:
    with pytest.raises(EmbedderError, match=message):
        CachedEmbedder("own", gives).documents(["a", "b"])


def test_a_model_that_changes_its_dimension_is_refused() -> None:
    embedder = CachedEmbedder("own", lambda texts: [[1.0] * len(texts[0]) for _ in texts], batch=1)
    with pytest.raises(EmbedderError, match="gave 2 dimensions after 1"):
        embedder.documents(["a", "bb"])


class LangChainLike:
    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return hashed(texts)

    def embed_query(self, text: str) -> list[float]:
        return other([text])[0]


class LlamaIndexLike:
    def get_text_embedding_batch(self, texts: list[str]) -> list[list[float]]:
        return hashed(texts)

    def get_query_embedding(self, text: str) -> list[float]:
        return other([text])[0]


class ChromaLike:
    def __call__(self, input: Any) -> list[np.ndarray]:  # noqa: A002
        return [np.asarray(v, dtype=np.float32) for v in hashed(input)]

    def embed_query(self, input: Any) -> list[np.ndarray]:  # noqa: A002
        return [np.asarray(v, dtype=np.float32) for v in other(input)]


@pytest.mark.parametrize(
    "given",
    [
        LangChainLike,
        LlamaIndexLike,
        ChromaLike,
        LangChainLike(),
        LlamaIndexLike(),
        ChromaLike(),
        lambda: LangChainLike(),
    ],
)
def test_the_applications_embedding_objects_are_taken_as_they_are(given: Any) -> None:
    embedder = resolve_embedder(given)
    assert isinstance(embedder, Embedder)
    assert np.allclose(embedder.documents(["a", "b"]), hashed(["a", "b"]))
    assert np.allclose(embedder.queries(["a", "b"]), other(["a", "b"]))


def test_real_chroma_embedding_functions_are_taken() -> None:
    from chromadb.api.types import EmbeddingFunction

    class Own(EmbeddingFunction):  # type: ignore[type-arg]
        def __init__(self) -> None: ...

        def __call__(self, input: list[str]) -> Any:  # noqa: A002
            return hashed(input)

    assert np.allclose(resolve_embedder(Own()).documents(["a"]), hashed(["a"]))
    assert np.allclose(resolve_embedder(Own()).queries(["a"]), hashed(["a"]))


def test_functions_and_specs() -> None:
    assert np.allclose(resolve_embedder(hashed).queries(["a"]), hashed(["a"]))
    named = resolve_embedder("tests.support.embedder:hashed")
    assert named.name == "tests.support.embedder:hashed"
    ready = CachedEmbedder("own", hashed)
    assert resolve_embedder(ready) is ready
    with pytest.raises(EmbedderError, match="int is no embedder; give a LangChain"):
        resolve_embedder(5)


def test_a_module_of_the_current_folder_can_be_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "ownapp.py").write_text("class rag:\n    def embed(texts): return [[1.0, 2.0] for _ in texts]\n")
    monkeypatch.setattr(sys, "path", [p for p in sys.path if p])
    assert resolve_embedder("ownapp:rag.embed").dimension == 2
    sys.modules.pop("ownapp")


@pytest.mark.parametrize(
    "spec", ["nonsense", "no.such.module:x", "tests.support.embedder:nope", ":x", "x:", "wordlama"]
)
def test_a_spec_that_names_nothing_says_what_it_should(spec: str) -> None:
    with pytest.raises(UsageError, match=rf"--embedder {spec}: "):
        resolve_embedder(spec)


def test_a_module_that_fails_on_import_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "brokenapp.py").write_text("raise RuntimeError('no key in the environment')\n")
    with pytest.raises(TargetError, match="--embedder brokenapp:x: .*no key in the environment"):
        resolve_embedder("brokenapp:x")
    (tmp_path / "badapp.py").write_text("class Own:\n    def __init__(self): raise RuntimeError('no key')\n")
    with pytest.raises((UsageError, EmbedderError), match="no key"):
        resolve_embedder("badapp:Own")


def test_agreement_tells_the_applications_embedder_from_another() -> None:
    records = make_records(10)
    good = agreement(resolve_embedder(hashed), records)
    assert good.holds()
    assert (good.n, good.median) == (10, pytest.approx(1))
    bad = agreement(resolve_embedder(other), records)
    assert not bad.holds()
    assert bad.median < 0.9
    few_stale = [Record(r.id, "rewritten since", None, r.vector) if i < 3 else r for i, r in enumerate(records)]
    assert agreement(resolve_embedder(hashed), few_stale).holds()
    assert not agreement(resolve_embedder(hashed), [Record("a", None), Record("b", "text")]).holds()


def test_dimensions_are_compared() -> None:
    check_dimension(resolve_embedder(hashed), None)
    check_dimension(resolve_embedder(hashed), DIMENSION)
    with pytest.raises(
        EmbedderError,
        match=f"gives {DIMENSION} dimensions and the corpus holds 8; give the embedder the application uses",
    ):
        check_dimension(resolve_embedder(hashed), 8)


def test_wordllama_knows_what_words_mean() -> None:
    pytest.importorskip("wordllama", reason="the wordllama extra is not installed")
    embedder = resolve_embedder("wordllama")
    assert embedder.dimension == 256
    near, far = embedder.documents(["a dog chased the cat"]), embedder.documents(["quarterly tax filing deadline"])
    asked = embedder.queries(["puppy and kitten"])
    assert float((asked @ near.T)[0, 0]) > float((asked @ far.T)[0, 0]) + 0.2
    assert np.allclose(np.linalg.norm(near), 1, atol=1e-5)
