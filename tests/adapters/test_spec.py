from __future__ import annotations

import string
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from darnel.adapters.spec import is_loopback, parse_spec
from darnel.core.errors import HostNotAllowedError, UnknownNameError, UsageError


def test_a_spec_has_adapter_place_parameters_and_container() -> None:
    spec = parse_spec("chroma:http://localhost:8000?tenant=a&database=b#docs")
    assert (spec.adapter, spec.where, spec.container) == ("chroma", "http://localhost:8000", "docs")
    assert spec.parameters == {"tenant": "a", "database": "b"}
    assert spec.is_url
    assert not parse_spec("memory:./corpus.jsonl").is_url
    assert parse_spec("memory:./corpus.jsonl").container == ""


def test_an_absolute_spec_opens_the_same_from_anywhere(tmp_path: Path) -> None:
    assert parse_spec("chroma:./db#docs").absolute == f"chroma:{tmp_path}/db#docs"
    assert parse_spec("chroma:~/db#docs").absolute == f"chroma:{Path.home()}/db#docs"
    url = "chroma:http://localhost:8000?tenant=a%26b&database=c#docs"
    assert parse_spec(url).absolute == url
    assert parse_spec(parse_spec(url).absolute) == parse_spec(url)


names = st.text(alphabet=string.ascii_letters + string.digits + "._-", min_size=1)


@given(names, st.dictionaries(st.sampled_from(["tenant", "database"]), st.text(min_size=1)), names)
def test_absolute_specs_read_back(path: str, parameters: dict[str, str], container: str) -> None:
    from urllib.parse import urlencode

    query = f"?{urlencode(parameters)}" if parameters else ""
    spec = parse_spec(f"chroma:./{path}{query}#{container}")
    assert spec.parameters == parameters
    again = parse_spec(spec.absolute)
    assert (again.parameters, again.container, again.absolute) == (parameters, container, spec.absolute)


@pytest.mark.parametrize(
    "text", ["", "chroma", "chroma:", ":./db", "chr oma:./db", "./db#docs", "chroma:#docs", "chroma:?tenant=a#docs"]
)
def test_what_cannot_be_read_says_how_to_write_it(text: str) -> None:
    with pytest.raises(UsageError, match=r"chroma:\./db#docs"):
        parse_spec(text)


SECRETS = [
    "chr oma:http://me:hunter2@host:8000#docs",
    "chroma:http://me:hun/ter2@host:8000#docs",
    "chroma:http://me:hun#ter2@host:8000#docs",
    "chroma:http://me:hun?ter2@host:8000#docs",
    "chroma:http://me:hunter2:x@host:80a#docs",
    "chroma:http://me:hunter2@#docs",
]


@pytest.mark.parametrize("text", SECRETS)
def test_no_message_repeats_a_password(text: str) -> None:
    with pytest.raises(UsageError) as error:
        parse_spec(text)
    assert "ter2" not in str(error.value)


def test_secrets_are_in_no_form_that_is_kept() -> None:
    spec = parse_spec("chroma:http://me:hun@ter2@localhost:8000?token=s3cret#docs")
    for form in (spec.redacted, spec.absolute):
        assert "ter2" not in form
        assert "s3cret" not in form
        assert "sha256-" in form


def test_hosts() -> None:
    parse_spec("chroma:./db#docs").check_host(())
    parse_spec("chroma:http://127.0.0.1:1#docs").check_host(())
    parse_spec("chroma:http://db.example:1#docs").check_host(["db.example"])
    for allowed in ((), ["example"], ["db.example.org"]):
        with pytest.raises(HostNotAllowedError, match="add --allow-host db.example"):
            parse_spec("chroma:http://db.example:1#docs").check_host(allowed)
    with pytest.raises(HostNotAllowedError):
        parse_spec("chroma:http://127.0.0.1@db.example:1#docs").check_host(())


@pytest.mark.parametrize(
    ("host", "here"),
    [
        ("localhost", True),
        ("app.localhost", True),
        ("127.0.0.1", True),
        ("127.8.8.8", True),
        ("::1", True),
        ("localhost.example", False),
        ("notlocalhost", False),
        ("10.0.0.1", False),
        ("0.0.0.0", False),
        ("::ffff:8.8.8.8", False),
        ("127.0.0.1.example", False),
    ],
)
def test_loopback(host: str, here: bool) -> None:
    assert is_loopback(host) is here


def test_parameters_are_known_or_refused() -> None:
    spec = parse_spec("chroma:./db?tennant=a#docs")
    with pytest.raises(UnknownNameError, match="'tennant'; did you mean 'tenant'"):
        spec.check_parameters(("tenant", "database"))
