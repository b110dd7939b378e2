"""Keep credentials out of ledgers, logs and reports: a fingerprint stands in for each."""

from __future__ import annotations

import hashlib
import re

_USERINFO = re.compile(r"(?<=://)([^/@\s]+)@")
_PARAMETER = re.compile(r"(?i)([?&](?:[\w-]*(?:token|key|secret|password|auth)[\w-]*)=)([^&#\s]+)")


def fingerprint(secret: str) -> str:
    """The first 12 hex characters of the SHA-256: tells two secrets apart, gives neither away."""
    return hashlib.sha256(secret.encode()).hexdigest()[:12]


def redact(text: str) -> str:
    """A spec or URL with user names, passwords and tokens replaced by fingerprints."""
    text = _USERINFO.sub(lambda m: f"sha256-{fingerprint(m[1])}@", text)
    return _PARAMETER.sub(lambda m: f"{m[1]}sha256-{fingerprint(m[2])}", text)
