from __future__ import annotations

import hashlib
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from darnel.core.errors import TargetError, describe_error
from darnel.core.secrets import fingerprint, is_redacted, redact


def test_a_fingerprint_is_12_hex_digits_of_the_sha256() -> None:
    assert fingerprint("hunter2") == hashlib.sha256(b"hunter2").hexdigest()[:12]


secret = st.text(alphabet=string.ascii_letters + string.digits + "@:%!$.~+", min_size=6, max_size=20).map(
    lambda s: f"S3{s}X"
)


@given(secret, secret)
def test_user_and_password_go_wherever_they_stand(user: str, password: str) -> None:
    said = redact(f"cannot open chroma:http://{user}:{password}@db.example:8000/x?tenant=a#docs now")
    assert user not in said
    assert password not in said
    assert said.startswith("cannot open chroma:http://sha256-")
    assert said.endswith("@db.example:8000/x?tenant=a#docs now")
    assert redact(said) == said
    assert is_redacted(said)


@pytest.mark.parametrize(
    "key",
    ["token", "api_key", "apikey", "API-KEY", "access_token", "client_secret", "password", "auth", "sig_signature"],
)
@given(value=secret)
def test_token_parameters_go(key: str, value: str) -> None:
    said = redact(f"http://h:1?tenant=a&{key}={value}&x=1#docs")
    assert value not in said
    assert "tenant=a" in said and "x=1#docs" in said
    assert redact(said) == said


def test_authorization_headers_go() -> None:
    assert "eyJhbGciOiJIUzI1NiJ9" not in redact("401 for Authorization: Bearer eyJhbGciOiJIUzI1NiJ9.e30")


def test_what_carries_no_secret_stays() -> None:
    for text in (
        "chroma:./db#docs",
        "chroma:http://localhost:8000?tenant=a&database=b#docs",
        "mail me@example.com",
        "basic auth",
    ):
        assert redact(text) == text
        assert not is_redacted(text)


def test_errors_of_others_are_told_in_one_line_without_secrets() -> None:
    said = describe_error(RuntimeError("no answer\n from http://me:hunter2@h  \x1b[31m" + "x" * 5_000))
    assert said.startswith("RuntimeError: no answer from http://sha256-")
    assert "hunter2" not in said
    assert "\n" not in said
    assert len(said) < 400
    assert describe_error(TargetError("start it")) == "start it"
