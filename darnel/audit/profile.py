"""What a known-good corpus taught the detectors, to be carried to its next release."""

from __future__ import annotations

import base64
import hashlib
import os
from array import array
from collections.abc import Iterable, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from darnel.audit.batch import Entry
from darnel.audit.detector import Calibrated, Detector
from darnel.core.errors import UsageError
from darnel.core.version import darnel_version

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SCHEMA_VERSION = 1


class Settings(msgspec.Struct, frozen=True):
    """With what it was made: a hash of the questions, and the share of clean records that could be flagged."""

    questions: str
    alert_budget: float


class _Content(msgspec.Struct, frozen=True):
    """``records``: how many were read; ``known``: their hashes (8 bytes each, sorted, base64), for ids, texts and metadata."""

    darnel: str
    settings: Settings
    records: int
    known: str
    detectors: dict[str, Any]


class _Document(msgspec.Struct, frozen=True):
    schema_version: int
    digest: str
    content: msgspec.Raw


class Profile:
    """Thresholds and known records; about 11 bytes a record as a file, 8 in memory, and what each detector has learned."""

    def __init__(self, content: _Content) -> None:
        self.content = content

    @classmethod
    def of(cls, detectors: Iterable[Detector], known: Sequence[int], settings: Settings) -> Profile:
        """What detectors have learned from records of these hashes."""
        kept = array("Q", sorted(set(known)))
        states = {d.name: dict(d.calibration()) for d in detectors if isinstance(d, Calibrated)}
        held = base64.b64encode(_little(kept)).decode()
        return cls(_Content(darnel_version(), settings, len(known), held, states))

    @cached_property
    def _known(self) -> NDArray[np.uint64]:
        import numpy as np

        return np.frombuffer(base64.b64decode(self.content.known), dtype="<u8")

    def knows(self, hashes: Sequence[int]) -> list[bool]:
        """Which records (see ``record_hash``) it was made of."""
        import numpy as np

        found: list[bool] = np.isin(np.array(hashes, dtype=np.uint64), self._known).tolist()
        return found

    def parted(self, entries: Sequence[Entry]) -> tuple[list[Entry], list[Entry]]:
        """The records that it knows, and the others."""
        marks = self.knows([e.hash for e in entries])
        known = [e for e, mark in zip(entries, marks, strict=True) if mark]
        return known, [e for e, mark in zip(entries, marks, strict=True) if not mark]

    def hand_to(self, detector: Detector) -> None:
        """Let a detector judge by what it learned; one that the profile has nothing of learns anew.

        Raises:
            UsageError: what it learned is not of the form that this darnel reads.
        """
        state = self.content.detectors.get(detector.name)
        if state is None or not isinstance(detector, Calibrated):
            return
        try:
            detector.carry(state)
        except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
            raise UsageError(
                f"the profile's part for {detector.name} is broken ({error!r:.80}); calibrate again"
            ) from None

    def save(self, path: Path) -> None:
        """Write it as JSON, whole or not at all.

        Raises:
            UsageError: the place cannot be written to.
        """
        content = msgspec.json.encode(self.content)
        document = _Document(SCHEMA_VERSION, hashlib.sha256(content).hexdigest(), msgspec.Raw(content))
        beside = path.with_name(f".{path.name}.{os.getpid()}")
        try:
            beside.write_bytes(msgspec.json.encode(document) + b"\n")
            beside.replace(path)
        except OSError as error:
            beside.unlink(missing_ok=True)
            raise UsageError(f"cannot write the profile {path}: {error.strerror}") from None


def load_profile(path: Path) -> Profile:
    """Read a profile that ``Profile.save`` has written.

    Raises:
        UsageError: there is none, it is of another version, or it was changed since.
    """
    try:
        document = msgspec.json.decode(path.read_bytes(), type=_Document)
        content = msgspec.json.decode(document.content, type=_Content)
        known = base64.b64decode(content.known, validate=True)
    except OSError as error:
        raise UsageError(f"cannot read the profile {path}: {error.strerror}") from None
    except (msgspec.MsgspecError, ValueError, RecursionError):
        raise UsageError(f"{path} is no profile of darnel audit; make one with --calibrate") from None
    if document.schema_version != SCHEMA_VERSION:
        raise UsageError(f"{path} is a profile of version {document.schema_version}; calibrate again with this darnel")
    if document.digest != hashlib.sha256(document.content).hexdigest() or len(known) % 8:
        raise UsageError(f"{path} was changed after it was written; calibrate again")
    return Profile(content)


def _little(numbers: array[int]) -> bytes:
    import sys

    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers.tobytes()


def hash_of_questions(texts: Iterable[str]) -> str:
    """16 hexadecimal digits of all questions in their order."""
    return hashlib.sha256("\0".join(texts).encode("utf-8", "replace")).hexdigest()[:16]
