"""Keep credentials out of ledgers, logs and reports: a fingerprint stands in for each."""

from __future__ import annotations

import hashlib
import re

# up to the last @ before the path, for a password may hold one
_DONE = r"(?!sha256-[0-9a-f]{12}\b)"
"""Not once more what was replaced before."""
_USERINFO = re.compile(rf"(?<=://){_DONE}([^/?#\s]+)@")
_PARAMETER = re.compile(
    rf"(?i)([?&](?:[\w-]*(?:token|key|secret|password|passwd|pwd|auth|credential|signature)[\w-]*)=){_DONE}([^&#\s]+)"
)
_HEADER = re.compile(r"(?i)(\b(?:bearer|basic)[ ]+)([\w.~+/=-]{16,})")


def fingerprint(secret: str) -> str:
    """The first 12 hex characters of the SHA-256: tells two secrets apart, gives neither away."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()[:12]


def is_redacted(spec: str) -> bool:
    """Whether ``redact`` took something out of it, so that it opens nothing any more."""
    return re.search(r"(?:://|=)sha256-[0-9a-f]{12}\b", spec) is not None


def redact(text: str) -> str:
    """A text, spec or URL with user names, passwords and tokens replaced by fingerprints; twice is the same as once."""
    text = _USERINFO.sub(lambda m: f"sha256-{fingerprint(m[1])}@", text)
    for pattern in (_PARAMETER, _HEADER):
        text = pattern.sub(lambda m: f"{m[1]}sha256-{fingerprint(m[2])}", text)
    return text
