"""Whose question it is: resolved from an API key before anything is retrieved, and typed from there on."""

from __future__ import annotations

import hashlib
import logging
import re
import secrets
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from darnel.core.secrets import fingerprint

SECTIONS = ("concepts", "tasks", "tutorials", "setup", "reference")
VISIBLE: Mapping[str, tuple[str, ...]] = {
    "public": SECTIONS,
    "internal": ("concepts", "tasks", "tutorials"),
    "restricted": ("setup", "reference"),
}
"""Tenant → the sections that it may see."""

KEY_PREFIX = "da_"
_KEY = re.compile(rf"\b{KEY_PREFIX}[\w-]{{20,}}")
log = logging.getLogger("docs_assistant")


class UnknownKeyError(Exception):
    """No tenant has this key; the text names its fingerprint, never the key."""


@dataclass(frozen=True, slots=True)
class TenantContext:
    """Who asks. Made by ``Keyring.resolve`` alone; ``key``: the fingerprint of the key that was shown."""

    tenant: str
    sections: tuple[str, ...]
    key: str


@dataclass
class Keyring:
    """API keys, known by their SHA-256 alone: a keyring that leaks holds nothing that opens a door."""

    _tenants: dict[str, str] = field(default_factory=dict, repr=False)

    def issue(self, tenant: str) -> str:
        """A new key of a tenant's; it is shown this once."""
        key = KEY_PREFIX + secrets.token_urlsafe(24)
        self._tenants[_digest(key)] = tenant
        return key

    def resolve(self, key: str) -> TenantContext:
        """The tenant that a key belongs to.

        Raises:
            UnknownKeyError: nobody's.
        """
        tenant = self._tenants.get(_digest(key))
        if tenant is None:
            log.warning("refused key=%s", fingerprint(key))
            raise UnknownKeyError(f"no tenant has the key sha256-{fingerprint(key)}")
        return TenantContext(tenant, VISIBLE[tenant], fingerprint(key))


def without_keys(text: str) -> str:
    """A text as it may be written down: whatever looks like a key is its fingerprint, wherever somebody put it."""
    return _KEY.sub(lambda found: f"sha256-{fingerprint(found[0])}", text)


def seen_by(section: str) -> Iterable[str]:
    """The tenants that may see a section."""
    return (tenant for tenant, sections in VISIBLE.items() if section in sections)


def _digest(key: str) -> str:
    return hashlib.sha256(key.encode()).hexdigest()
