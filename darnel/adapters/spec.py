"""Target specs: ``<adapter>:<where>[?key=value&...][#<container>]``."""

from __future__ import annotations

import ipaddress
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import parse_qsl, urlencode, urlsplit

from darnel.core.errors import HostNotAllowedError, UsageError
from darnel.core.secrets import redact


@dataclass(frozen=True, slots=True)
class TargetSpec:
    """A parsed spec."""

    adapter: str
    where: str
    container: str = ""
    parameters: Mapping[str, str] = field(default_factory=dict)

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
        where = redact(self.where) if self.is_url else str(Path(self.where).expanduser().resolve())
        query = f"?{urlencode(self.parameters)}" if self.parameters else ""
        return redact(f"{self.adapter}:{where}{query}") + (f"#{self.container}" if self.container else "")

    def check_host(self, allowed: Collection[str]) -> None:
        """Refuse a host that is not this machine unless it is allowed by name.

        Raises:
            HostNotAllowedError: says how to allow it.
        """
        host = urlsplit(self.where).hostname if self.is_url else None
        if host and not is_loopback(host) and host not in allowed:
            raise HostNotAllowedError(
                f"{host} is not this machine; darnel writes to systems you own only: if it is yours, add --allow-host {host}"
            )


def parse_spec(text: str) -> TargetSpec:
    """Read a spec.

    Raises:
        UsageError: it has no adapter or no place.
    """
    adapter, colon, rest = text.partition(":")
    if not colon or not rest or not adapter.replace("-", "").replace("_", "").isalnum():
        raise UsageError(
            f"cannot read the target '{text}'; write ADAPTER:WHERE#CONTAINER, for instance chroma:./db#docs"
        )
    rest, _, container = rest.partition("#")
    where, _, query = rest.partition("?")
    if not where:
        raise UsageError(f"the target '{text}' names no place; write for instance chroma:./db#docs")
    return TargetSpec(adapter, where, container, dict(parse_qsl(query)))


def is_loopback(host: str) -> bool:
    """Whether a host name or address is this machine by definition."""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
