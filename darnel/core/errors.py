"""One exception tree; every error a user can cause says in one line what to do about it.

* ``DarnelError`` (exit code 2, unless said otherwise)
    * ``UsageError``: arguments, settings, names
        * ``UnknownNameError``: a name nobody knows; offers the nearest known one
        * ``QueryFileError``: a query or judgment file that cannot be read; names the line
    * ``TargetError``: the corpus cannot be opened, read or searched
        * ``ContainerMissingError``: no such collection; darnel never creates one
        * ``EmptyCorpusError``: nothing to sample, so nothing to imitate or to compete with
        * ``UnreachableError``: the server does not answer
        * ``HostNotAllowedError``: a write to a host nobody allowed
    * ``EmbedderError``: the vectors would not be the application's own
    * ``PlantError``: a plant that must not be written
        * ``CollisionError``: the planned id already belongs to another record
    * ``LedgerError``: the journal cannot be written or read
    * ``LeftoversError`` (exit code 3): plants may be left in the corpus
* ``InterruptedCampaign`` (a ``KeyboardInterrupt``): a signal arrived; the plants were removed on the way out
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from difflib import get_close_matches

from darnel.core.secrets import redact

__all__ = [
    "CollisionError",
    "ContainerMissingError",
    "DarnelError",
    "EmbedderError",
    "EmptyCorpusError",
    "HostNotAllowedError",
    "InterruptedCampaign",
    "LedgerError",
    "LeftoversError",
    "PlantError",
    "QueryFileError",
    "TargetError",
    "UnknownNameError",
    "UnreachableError",
    "UsageError",
    "blame_target",
    "describe_error",
]


class DarnelError(Exception):
    """Anything darnel refuses or cannot do; its text is one line that says what to do."""

    exit_code = 2


class UsageError(DarnelError):
    """The call is wrong: arguments, settings or names."""


class UnknownNameError(UsageError):
    """A name that is not known; the text offers the nearest that is."""

    def __init__(self, kind: str, name: str, known: Iterable[str]) -> None:
        names = sorted(known)
        near = get_close_matches(name, names, n=1, cutoff=0.5)
        hint = f"did you mean '{near[0]}'?" if near else f"known: {', '.join(names) or 'none'}"
        super().__init__(f"unknown {kind} '{name}'; {hint}")


class QueryFileError(UsageError):
    """A query or judgment file that cannot be read; the text names the file and the line."""


class TargetError(DarnelError):
    """The corpus cannot be opened, read or searched."""


class ContainerMissingError(TargetError):
    """The named collection does not exist, and darnel never creates one."""


class EmptyCorpusError(TargetError):
    """The corpus holds no record to imitate or to compete with."""


class UnreachableError(TargetError):
    """The server does not answer."""


class HostNotAllowedError(TargetError):
    """A write to a host that is not this machine and was not allowed by name."""


class EmbedderError(DarnelError):
    """The embedder's vectors are not those of the application."""


class PlantError(DarnelError):
    """A plant that must not be written as it stands."""


class CollisionError(PlantError):
    """A planned id already belongs to a record that this campaign did not write."""


class LedgerError(DarnelError):
    """The ledger cannot be opened, written or read."""


class LeftoversError(DarnelError):
    """Something went wrong and plants may be left in the corpus; ``ids`` names them, ``darnel sweep`` takes them out."""

    exit_code = 3

    def __init__(self, ids: Sequence[str], cause: BaseException) -> None:
        named = ", ".join(ids[:10]) + (f" and {len(ids) - 10} more" if len(ids) > 10 else "")
        super().__init__(
            f"{len(ids)} plants may be left in the corpus ({named}); run: darnel sweep. {describe_error(cause)}"
        )
        self.ids = tuple(ids)


class InterruptedCampaign(KeyboardInterrupt):
    """SIGINT, SIGTERM or SIGHUP arrived during a campaign; ``signum`` says which."""

    def __init__(self, signum: int) -> None:
        super().__init__(f"interrupted by signal {signum}")
        self.signum = signum


def describe_error(error: BaseException) -> str:
    """One line about an exception of somebody else's code; the kit's own errors speak for themselves."""
    text = redact(" ".join(str(error)[:2_000].split()))[:300]
    return text if isinstance(error, DarnelError) else f"{type(error).__name__}: {text}"


@contextmanager
def blame_target(what: str) -> Iterator[None]:
    """What somebody else's store or application raises while ``what`` goes on becomes a TargetError of one line."""
    try:
        yield
    except DarnelError:
        raise
    except Exception as error:
        raise TargetError(f"{what} failed: {describe_error(error)}") from error
