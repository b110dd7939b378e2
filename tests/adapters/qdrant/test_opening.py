"""Opening: what is missing, locked, misspelt or secret is said in one line, and nothing is ever created."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from qdrant_client import AsyncQdrantClient, QdrantClient, models

import darnel
from darnel.adapters.qdrant import qdrant_target
from darnel.api import open_target
from darnel.core.errors import (
    ContainerMissingError,
    EmptyCorpusError,
    HostNotAllowedError,
    TargetError,
    UnknownNameError,
    UnreachableError,
    UsageError,
)
from tests.adapters.qdrant import support
from tests.adapters.qdrant.standin import Fault, StandIn


def tree(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def test_a_missing_folder_or_collection_is_not_created(tmp_path: Path, folder: Path) -> None:
    before = tree(tmp_path)
    for where in ("nowhere", ".", str(folder / "collection")):
        with pytest.raises(ContainerMissingError, match=r"meta\.json is not there"):
            open_target(f"qdrant:{where}#docs")
    with pytest.raises(ContainerMissingError, match="there are: docs"):
        open_target(f"qdrant:{folder}#dcos")
    with pytest.raises(UsageError, match="name the collection"):
        open_target(f"qdrant:{folder}")
    assert tree(tmp_path) == before


def test_opening_and_reading_a_folder_writes_nothing_into_it(folder: Path) -> None:
    before = tree(folder)
    target = open_target(f"qdrant:{folder}#docs", embedder=support.hashed)
    list(target.checks())
    list(target.reader.scan())
    target.retriever.retrieve(support.QUESTIONS, 3)
    target.close()
    assert tree(folder) == before


def test_a_folder_that_another_client_has_is_refused(folder: Path) -> None:
    owner = QdrantClient(path=str(folder))
    with pytest.raises(TargetError, match="lets one in at a time") as caught:
        open_target(f"qdrant:{folder}#docs")
    assert "\n" not in str(caught.value)
    owner.close()
    open_target(f"qdrant:{folder}#docs").close()


def test_a_folder_that_another_process_has_is_refused(folder: Path) -> None:
    code = "import sys, qdrant_client as q; c = q.QdrantClient(path=sys.argv[1]); print('open', flush=True); input()"
    owner = subprocess.Popen(
        [sys.executable, "-c", code, str(folder)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert owner.stdout
    assert owner.stdout.readline() == "open\n"
    with pytest.raises(TargetError, match="another client has"):
        open_target(f"qdrant:{folder}#docs")
    owner.communicate("\n")
    open_target(f"qdrant:{folder}#docs").close()


def test_two_targets_of_one_process_share_the_folder(folder: Path) -> None:
    """A sweep of two collections, or of one under two options, opens the same folder twice."""
    client = QdrantClient(path=str(folder))
    support.fill(client, support.flat, "other")
    client.close()
    first, second = open_target(f"qdrant:{folder}#docs"), open_target(f"qdrant:{folder}/?text=body#other")
    assert len(first.reader.ids()) == len(second.reader.ids()) == 40
    first.close()
    assert len(second.reader.ids()) == 40
    second.close()
    QdrantClient(path=str(folder)).close()  # let go of


def test_a_damaged_folder_is_one_line(folder: Path) -> None:
    (folder / "meta.json").write_text("{")
    with pytest.raises(TargetError, match="cannot open"):
        open_target(f"qdrant:{folder}#docs")


def test_what_is_no_target_is_refused() -> None:
    client = support.memory()
    with pytest.raises(UsageError, match=r"give the Qdrant client with the name of its collection"):
        open_target(client)
    with pytest.raises(UsageError, match=r"give the Qdrant client with the name of its collection"):
        open_target((client, 3))
    with pytest.raises(UsageError, match="synchronous"):
        open_target((AsyncQdrantClient(":memory:"), "docs"))
    with pytest.raises(UsageError, match="is no QdrantClient"):
        qdrant_target(object(), "docs")
    with pytest.raises(UsageError, match="lives in its own process"):
        open_target("qdrant::memory:#docs")
    with pytest.raises(ContainerMissingError, match="no collection 'nope' in this client; there are: docs"):
        open_target((client, "nope"))


def test_a_client_handed_in_is_used_and_left_open() -> None:
    client = support.memory()
    results = darnel.run((client, "docs"), support.QUESTIONS, ["echo:1"], embedder=support.hashed)
    assert results.target.backend == "qdrant"
    assert results.target.spec == ""
    assert client.count("docs").count == 40
    target = open_target((client, "docs"))
    assert target.injector.describe().capabilities.volatile
    assert target.injector.describe().identity == open_target((client, "docs")).injector.describe().identity
    assert target.injector.describe().identity != open_target((support.memory(), "docs")).injector.describe().identity


def test_a_client_on_a_folder_or_a_server_can_be_reopened_by_its_spec(folder: Path, standin: StandIn) -> None:
    client = QdrantClient(path=str(folder))
    target = qdrant_target(client, "docs", text="page_content", metadata="metadata")
    assert target.spec == f"qdrant:{folder.resolve()}?text=page_content&metadata=metadata#docs"
    identity = target.injector.describe().identity
    client.close()
    again = open_target(target.spec)
    assert again.injector.describe().identity == identity
    again.close()
    remote = QdrantClient(url=standin.url, check_compatibility=False)
    target = qdrant_target(remote, "docs")
    assert target.spec == f"qdrant:{standin.url}#docs"
    again = open_target(target.spec.replace("127.0.0.1", "localhost"))
    assert again.injector.describe().identity == target.injector.describe().identity
    again.close()
    remote.close()


def test_only_local_mode_searches_every_point(folder: Path, standin: StandIn) -> None:
    """A server's index is approximate: what it does not return may have been missed."""
    for spec, exact in ((f"qdrant:{folder}#docs", True), (f"qdrant:{standin.url}#docs", False)):
        target = open_target(spec)
        assert target.injector.describe().capabilities.exact is exact
        target.close()


def test_an_alias_is_resolved_once(standin: StandIn) -> None:
    """Were the alias kept, a switch during the run would hide what was planted."""
    alias = models.CreateAliasOperation(create_alias=models.CreateAlias(collection_name="docs", alias_name="live"))
    standin.client.update_collection_aliases([alias])
    target = open_target(f"qdrant:{standin.url}#live", embedder=support.hashed)
    assert target.injector.describe().container == "docs"
    assert target.spec.endswith("#docs")
    target.close()


def test_an_empty_collection_is_refused() -> None:
    client = QdrantClient(":memory:")
    client.create_collection("docs", vectors_config=models.VectorParams(size=3, distance=models.Distance.DOT))
    with pytest.raises(EmptyCorpusError, match="fill it first"):
        darnel.run((client, "docs"), support.QUESTIONS, ["echo:1"], embedder=support.hashed)
    assert client.count("docs").count == 0


def test_the_wrong_dimension_and_the_wrong_model_are_refused() -> None:
    client = support.memory()
    with pytest.raises(TargetError, match="25 dimensions and the corpus holds 24"):
        darnel.run(
            (client, "docs"), support.QUESTIONS, ["echo:1"], embedder=lambda t: [[*v, 0.0] for v in support.hashed(t)]
        )
    with pytest.raises(TargetError, match=r"0\.99 is the least"):
        darnel.run(
            (client, "docs"), support.QUESTIONS, ["echo:1"], embedder=lambda t: [v[::-1] for v in support.hashed(t)]
        )
    with pytest.raises(TargetError, match="embedder: none given"):
        darnel.run((client, "docs"), support.QUESTIONS, ["echo:1"])


@pytest.mark.parametrize("make", [support.langchain, support.llamaindex])
def test_the_embedder_is_compared_on_the_text_that_was_embedded(make: Any) -> None:
    client = support.memory(make, distance=models.Distance.COSINE)
    target = qdrant_target(client, "docs", support.embedder())
    check = next(c for c in target.checks() if c.name == "embedder")
    assert check.ok is True
    assert "cosine 1.0000 (lowest 1.0000)" in check.detail


# Servers


def test_a_server_that_does_not_answer() -> None:
    with pytest.raises(UnreachableError, match=r"no Qdrant server answers at http://127\.0\.0\.1:9"):
        open_target("qdrant:http://127.0.0.1:9#docs")
    with pytest.raises(UnreachableError, match="no Qdrant server answers"):
        open_target("qdrant:http://127.0.0.1:9?grpc=1&grpc_port=9&timeout=2#docs")
    with pytest.raises(HostNotAllowedError, match=r"--allow-host qdrant\.example"):
        open_target("qdrant:http://qdrant.example:6333#docs")


def test_a_server_that_is_slow_or_ill_is_not_called_absent(standin: StandIn) -> None:
    standin.plan["collection"] = [Fault(apply=None, delay=3.5)]
    with pytest.raises(TargetError, match="no answer within the client's timeout"):
        open_target(f"qdrant:{standin.url}?timeout=3#docs")
    standin.plan["collection"] = [Fault(code=502, error="bad gateway")]
    with pytest.raises(TargetError, match="502: bad gateway"):
        open_target(f"qdrant:{standin.url}#docs")


def test_a_missing_collection_names_those_there_are(standin: StandIn) -> None:
    with pytest.raises(ContainerMissingError, match=r"no collection 'dcos'.*there are: docs"):
        open_target(f"qdrant:{standin.url}#dcos")
    assert [c.name for c in standin.client.get_collections().collections] == ["docs"]


@pytest.mark.parametrize("way", ["env", "wrong", "none"])
def test_the_api_key_comes_from_the_environment_and_goes_nowhere_else(
    way: str, standin: StandIn, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    key = "s3cr3t-key-0123456789abcdef"
    standin.api_key = key
    if way != "none":
        monkeypatch.setenv("DARNEL_QDRANT_API_KEY", key if way == "env" else "wrong-" + key)
    args = (f"qdrant:{standin.url}#docs", support.QUESTIONS, ["echo:1"])
    if way == "env":
        shown = repr(darnel.run(*args, embedder=support.hashed))
    else:
        with pytest.raises(TargetError, match="DARNEL_QDRANT_API_KEY") as caught:
            darnel.run(*args, embedder=support.hashed)
        shown = str(caught.value)
    said = capfd.readouterr()
    shown += said.out + said.err + "".join(p.read_bytes().decode("latin-1") for p in tmp_path.rglob("*") if p.is_file())
    assert key not in shown


def test_secrets_in_a_spec_are_refused(standin: StandIn) -> None:
    with pytest.raises(UsageError, match=r"put it in \$DARNEL_QDRANT_API_KEY"):
        open_target(f"qdrant:{standin.url}?api_key=abc#docs")
    with pytest.raises(UsageError, match=r"takes no password") as caught:
        open_target("qdrant:http://user:hunter22@127.0.0.1:6333#docs")
    assert "hunter22" not in str(caught.value)


def test_parameters_that_nobody_knows_are_refused(standin: StandIn) -> None:
    for parameter, hint in (("vectr=a", "did you mean 'vector'"), ("shapes=a", "did you mean 'shape'")):
        with pytest.raises(UnknownNameError, match=hint):
            open_target(f"qdrant:{standin.url}?{parameter}#docs")
    for parameter in ("timeout=0", "timeout=abc", "grpc_port=-1"):
        with pytest.raises(UsageError, match="whole number above 0"):
            open_target(f"qdrant:{standin.url}?{parameter}#docs")
    with pytest.raises(UsageError, match="http:// or https://"):
        open_target("qdrant:grpc://127.0.0.1:6334#docs")


def test_custom_sharding_needs_its_key(standin: StandIn) -> None:
    standin.config = {"params": {"sharding_method": "custom"}}
    with pytest.raises(TargetError, match=r"\?shard=KEY"):
        darnel.run(f"qdrant:{standin.url}#docs", support.QUESTIONS, ["echo:1"], embedder=support.hashed)
    target = open_target(f"qdrant:{standin.url}?shard=europe#docs", embedder=support.hashed)
    plants = support.make_plants(target.injector)
    target.injector.inject(plants)
    target.injector.remove([p.id for p in plants])
    for request in standin.of("upsert", "delete"):
        assert request.body["shard_key"] == "europe"
    assert all("shard_key" not in r.body for r in standin.of("retrieve", "scroll"))
    target.close()


def test_what_weakens_a_proof_is_a_warning(standin: StandIn) -> None:
    standin.config = {"params": {"replication_factor": 3}, "optimizer_config": {"prevent_unoptimized": True}}
    target = open_target(f"qdrant:{standin.url}#docs", embedder=support.hashed)
    checks = {c.name: c for c in target.checks()}
    assert checks["replicas"].ok is None
    if "prevent_unoptimized" in models.OptimizersConfig.model_fields:  # clients from 1.17
        assert checks["visibility"].ok is None
    target.close()


def test_nothing_of_qdrant_is_imported_before_it_is_used() -> None:
    code = (
        "import sys, darnel, darnel.adapters.registry as r; r.known_adapters(); print('qdrant_client' in sys.modules)"
    )
    package = str(Path(darnel.__file__).parents[1])
    env = {**os.environ, "PYTHONPATH": package}
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=env).stdout
    assert out.strip() == "False"
