"""Target specs: ``<adapter>:<where>[?key=value&...][#<container>]``; a plain ``http(s)://`` URL is one of the http adapter."""

from __future__ import annotations

import ipaddress
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import parse_qsl, urlencode, urlsplit

from darnel.core.errors import HostNotAllowedError, UnknownNameError, UsageError
from darnel.core.secrets import redact


@dataclass(frozen=True, slots=True)
class TargetSpec:
    """A parsed spec. ``query``: what follows the ``?``, as it was written."""

    adapter: str
    where: str
    container: str = ""
    parameters: Mapping[str, str] = field(default_factory=dict)
    query: str = ""

    @property
    def is_url(self) -> bool:
        """Whether ``where`` is a server rather than a path."""
        return "://" in self.where

    @property
    def redacted(self) -> str:
        """The spec for people, without credentials and without the container."""
        return redact(f"{self.adapter}:{self.where}")

    @property
    def absolute(self) -> str:
        """A spec that opens the same corpus from any folder, credentials left out."""
        where = self.where if self.is_url else str(Path(self.where).expanduser().resolve())
        query = f"?{urlencode(self.parameters)}" if self.parameters else ""
        return redact(f"{self.adapter}:{where}{query}") + (f"#{self.container}" if self.container else "")

    def check_parameters(self, known: Collection[str]) -> None:
        """Refuse a ``?key=`` that the adapter does not know: misspelled, it would test another place in silence.

        Raises:
            UnknownNameError: offers the nearest known one.
        """
        for key in self.parameters:
            if key not in known:
                raise UnknownNameError(f"parameter of a {self.adapter} target", key, known)

    def check_host(self, allowed: Collection[str]) -> None:
        """Refuse a host that is not this machine unless it is allowed by name.

        Raises:
            HostNotAllowedError: says how to allow it.
        """
        check_host((urlsplit(self.where).hostname if self.is_url else None) or "", allowed)


def parse_spec(text: str) -> TargetSpec:
    """Read a spec.

    Raises:
        UsageError: it has no adapter or no place.
    """
    plain_url = text.startswith(("http://", "https://"))
    adapter, colon, rest = ("http", ":", text) if plain_url else text.partition(":")
    if not colon or not rest or not adapter.replace("-", "").replace("_", "").isalnum():
        raise UsageError(
            f"cannot read the target '{redact(text)}'; write ADAPTER:WHERE#CONTAINER, for instance chroma:./db#docs"
        )
    rest, _, container = rest.partition("#")
    where, _, query = rest.partition("?")
    if not where:
        raise UsageError(f"the target '{redact(text)}' names no place; write for instance chroma:./db#docs")
    if "://" in where:
        _check_url(where)
    return TargetSpec(adapter, where, container, dict(parse_qsl(query, keep_blank_values=True)), query)


def _check_url(url: str) -> None:
    try:
        good = bool(urlsplit(url).hostname) and urlsplit(url).port != 0
    except ValueError:
        good = False
    if not good:  # not shown: what breaks a URL is often a password
        raise UsageError(
            "cannot read the target's URL; write for instance chroma:http://localhost:8000#docs, and in a user name or "
            "password write : / ? # @ as %3A %2F %3F %23 %40"
        )


def check_host(host: str, allowed: Collection[str]) -> None:
    """Refuse a host that is not this machine unless it is allowed by name; an empty one is this machine.

    Raises:
        HostNotAllowedError: says how to allow it.
    """
    if host and not is_loopback(host) and host not in allowed:
        raise HostNotAllowedError(
            f"{host} is not this machine; darnel writes to systems you own only: if it is yours, add --allow-host {host}"
        )


def is_loopback(host: str) -> bool:
    """Whether a host name or address is this machine by definition."""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
