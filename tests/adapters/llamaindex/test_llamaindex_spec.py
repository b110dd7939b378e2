"""``llamaindex:module:attr``, from the command line and across processes."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import darnel
from darnel.adapters.apps.load import forget_apps
from darnel.core.errors import TargetError, UsageError

pytest.importorskip("llama_index.vector_stores.chroma", reason="llama-index-vector-stores-chroma is missing")

APP = """
import hashlib, re
from pathlib import Path
import chromadb
from llama_index.core import StorageContext, VectorStoreIndex
from llama_index.core.embeddings import BaseEmbedding
from llama_index.core.schema import TextNode
from llama_index.vector_stores.chroma import ChromaVectorStore

print("this application is chatty")
THINGS = ["kettle", "printer", "ladder", "keys"]

class Model(BaseEmbedding):
    def _get_text_embedding(self, text):
        vector = [0.001] * 32
        for word in re.findall("[a-z]+", text.lower()):
            vector[int(hashlib.md5(word.encode()).hexdigest(), 16) % 32] += 1
        return vector
    _get_query_embedding = _get_text_embedding
    async def _aget_query_embedding(self, query):
        return self._get_query_embedding(query)

collection = chromadb.PersistentClient(str(Path(__file__).parent / "db")).get_or_create_collection("docs")
store = ChromaVectorStore(chroma_collection=collection)
if not collection.count():
    VectorStoreIndex(
        [TextNode(text=f"Room {n} holds the {w}.", metadata={"floor": n}) for n, w in enumerate(THINGS)],
        storage_context=StorageContext.from_defaults(vector_store=store),
        embed_model=Model(),
    )

made = 0

def make_index():
    global made
    made += 1
    return VectorStoreIndex.from_vector_store(store, embed_model=Model())

index = make_index()
retriever = index.as_retriever(similarity_top_k=2)
model = Model()

class Rag:
    index = index

def needs(argument):
    return argument
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    (tmp_path / "shop_app.py").write_text(APP)
    (tmp_path / "questions.txt").write_text("where is the ladder\nwhere are the keys\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", ["", *sys.path])
    forget_apps()
    yield tmp_path
    forget_apps()
    for name in [n for n in sys.modules if n.endswith("_app") and "." not in n]:
        del sys.modules[name]


def in_process(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join([str(Path(darnel.__file__).parent.parent), os.environ.get("PYTHONPATH", "")])
    return subprocess.run(
        [sys.executable, "-m", "darnel", *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        timeout=280,
        check=False,
    )


def documents(folder: Path) -> list[str]:
    code = """
import chromadb, json
found = chromadb.PersistentClient("db").get_collection("docs").get(include=["documents", "metadatas"])
rows = zip(found["ids"], found["documents"], found["metadatas"])
print(json.dumps(sorted(json.dumps(row, sort_keys=True) for row in rows)))
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, check=True)
    import json

    return list(json.loads(done.stdout))


@pytest.mark.parametrize("attr", ["index", "retriever", "make_index", "Rag.index"])
def test_each_kind_of_attribute_opens(folder: Path, attr: str) -> None:
    target = darnel.open_target(f"llamaindex:shop_app:{attr}")
    assert target.spec == f"llamaindex:shop_app:{attr}"
    assert target.injector.describe().size == 4
    target.close()


def test_a_bare_store_opens_with_an_embedder(folder: Path) -> None:
    target = darnel.open_target("llamaindex:shop_app:store", embedder="shop_app:model")
    assert len(target.retriever.retrieve(["where is the ladder"], 3)[0].sources) == 3
    target.close()


def test_a_factory_is_called_once_a_process(folder: Path) -> None:
    for _ in range(2):
        darnel.open_target("llamaindex:shop_app:make_index").close()
    assert sys.modules["shop_app"].made == 2  # once by the module itself, once by darnel


def test_what_the_application_prints_is_not_data(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    darnel.open_target("llamaindex:shop_app:index").close()
    said = capsys.readouterr()
    assert said.out == ""
    assert "chatty" in said.err


@pytest.mark.parametrize(
    ("spec", "kind", "match"),
    [
        ("llamaindex:shop_app", UsageError, "llamaindex:myapp.rag:index"),
        ("llamaindex:shop_app:", UsageError, "llamaindex:myapp.rag:index"),
        ("llamaindex:shop_app:nothing", UsageError, "has no 'nothing'"),
        ("llamaindex:shop_app:index#docs", UsageError, "takes no"),
        ("llamaindex:no_such_app:index", UsageError, "run from the folder"),
        ("llamaindex:shop_app:needs", UsageError, "found no vector store in needs"),
        ("llamaindex:shop_app:collection", UsageError, "cannot plant through a Collection"),
    ],
)
def test_a_wrong_spec_says_so_in_one_line(folder: Path, spec: str, kind: type[Exception], match: str) -> None:
    with pytest.raises(kind, match=match) as raised:
        darnel.open_target(spec)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("body", "match"),
    [
        ("import sys; sys.exit(3)", r"ended the program \(sys\.exit\(3\)\)"),
        ("raise RuntimeError('two\\nlines')", "RuntimeError: two lines"),
        (
            "from llama_index.core import VectorStoreIndex\nindex = VectorStoreIndex([])",
            "given no embed model, and LlamaIndex falls back to OpenAI's",
        ),
        (
            "from llama_index.core import VectorStoreIndex\ndef index(): return VectorStoreIndex([])",
            "given no embed model, and LlamaIndex falls back to OpenAI's",
        ),
    ],
)
def test_an_application_that_raises_is_told_in_one_line(
    folder: Path, monkeypatch: pytest.MonkeyPatch, body: str, match: str
) -> None:
    from llama_index.core import Settings

    monkeypatch.setattr(Settings, "_embed_model", None)
    monkeypatch.delenv("IS_TESTING", raising=False)
    (folder / "bad_app.py").write_text(body)
    with pytest.raises(TargetError, match=match) as raised:
        darnel.open_target("llamaindex:bad_app:index")
    assert "\n" not in str(raised.value)


def test_run_from_the_command_line(folder: Path) -> None:
    before = None
    done = in_process(
        folder, "run", "llamaindex:shop_app:index", "--queries", "questions.txt", "-p", "echo:3", "--json"
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.lstrip().startswith("{")
    after = documents(folder)
    assert len(after) == 4
    assert not any("darnel" in row for row in after)
    before = after
    again = in_process(folder, "run", "llamaindex:shop_app:retriever", "--queries", "questions.txt", "-p", "echo:3")
    assert again.returncode == 0, again.stderr
    assert documents(folder) == before


def test_doctor_reads_only(folder: Path) -> None:
    darnel.open_target("llamaindex:shop_app:index").close()
    before = documents(folder)
    done = in_process(folder, "doctor", "llamaindex:shop_app:retriever", "--json")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "second client" in done.stdout
    assert "reads 2 sources, by default search" in done.stdout
    assert documents(folder) == before


def test_another_process_sweeps_what_one_planted(folder: Path) -> None:
    darnel.open_target("llamaindex:shop_app:index").close()
    before = documents(folder)
    planted = in_process(folder, "plant", "llamaindex:shop_app:index", "--queries", "questions.txt", "-p", "echo:3")
    assert planted.returncode == 0, planted.stderr
    assert len(documents(folder)) > len(before)
    swept = in_process(folder, "sweep")
    assert swept.returncode == 0, swept.stdout + swept.stderr
    assert documents(folder) == before


def test_sweeping_without_a_ledger(folder: Path) -> None:
    darnel.open_target("llamaindex:shop_app:index").close()
    before = documents(folder)
    in_process(folder, "plant", "llamaindex:shop_app:index", "--queries", "questions.txt", "-p", "echo:3")
    swept = in_process(folder, "sweep", "llamaindex:shop_app:store", "--ledger", "lost.db")
    assert swept.returncode == 0, swept.stdout + swept.stderr
    assert documents(folder) == before


def test_the_adapter_is_listed() -> None:
    from darnel.adapters.registry import known_adapters

    entry = known_adapters()["llamaindex"]
    assert entry.installed
    assert "darnel[llamaindex]" in entry.install


def test_recognising_objects_loads_no_framework() -> None:
    code = """
import sys, darnel.adapters.recognise, darnel.adapters.llamaindex
print({name.split(".")[0] for name in sys.modules} & {"llama_index", "chromadb", "numpy", "qdrant_client"} or "none")
"""
    path = str(Path(darnel.__file__).parent.parent)
    done = subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "none"
