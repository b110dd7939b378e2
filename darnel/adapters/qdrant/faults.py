"""What Qdrant's clients raise, and what a server's answer means, in one line each."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any, TypeVar

from darnel.adapters.qdrant.options import API_KEY_VARIABLE
from darnel.core.errors import ContainerMissingError, DarnelError, TargetError, describe_error

T = TypeVar("T")

_UNINDEXED = re.compile(r'[Ii]ndex required but not found for "?\\?"?([^"\\]+)')
_GRPC_STATUS = {
    "NOT_FOUND": 404,
    "UNAUTHENTICATED": 401,
    "PERMISSION_DENIED": 403,
    "INVALID_ARGUMENT": 400,
    "FAILED_PRECONDITION": 400,
    "OUT_OF_RANGE": 400,
    "RESOURCE_EXHAUSTED": 429,
}


class StoreError(RuntimeError):
    """A call that failed, or whose outcome is unknown until it is read back; the next one may succeed."""

    def __init__(self, text: str, *, reached: bool = True) -> None:
        super().__init__(text)
        self.reached = reached


class RefusedError(TargetError):
    """The server understood the request and refuses it, now and next time."""


def call(function: Callable[..., T], *args: Any, **kwargs: Any) -> T:
    """Call the client; what it raises becomes a ``StoreError`` or a ``TargetError`` of one line."""
    try:
        return function(*args, **kwargs)
    except Exception as error:
        raise translate(error) from error


def require_completed(result: Any, what: str) -> None:
    """Refuse any answer but ``completed``: "acknowledged" and "wait_timeout" mean that it may still happen.

    Raises:
        StoreError: names the status.
    """
    status = getattr(result.status, "value", result.status)
    if status != "completed":
        raise StoreError(f"the server answered '{status}' to {what}, not 'completed': unknown until it is read back")


def translate(error: Exception) -> Exception:
    """The error to raise in place of a client's."""
    if isinstance(error, DarnelError | StoreError):
        return error
    status, detail = _status(error), _detail(error)
    if status is not None:
        return _from_status(status, detail)
    if isinstance(error, ValueError) and re.search(r"Collection .+ not found", str(error)):  # local mode
        return ContainerMissingError(describe_error(error))
    if type(error).__name__ == "ResponseHandlingException" or _grpc_code(error):
        return _from_transport(error, detail)
    return error


def _from_status(status: int, detail: str) -> Exception:
    if status == 404:
        return ContainerMissingError(f"Qdrant: {detail}")
    if status == 401 or (status == 403 and "strict" not in detail.lower()):
        return TargetError(
            f"the server refuses this API key ({detail}); put one that may read and write in ${API_KEY_VARIABLE}"
        )
    if status == 429:
        return StoreError(f"the server limits the rate of requests ({detail}); wait, or raise its limit")
    if status >= 500:
        return StoreError(f"the server failed ({status}: {detail}): unknown until it is read back")
    if found := _UNINDEXED.search(detail):
        return RefusedError(
            f"the collection's strict mode refuses a filter on '{found[1]}', which has no payload index; darnel creates "
            "none: create it, allow unindexed filtering, or ask without that filter"
        )
    if status == 413 or "larger than allowed" in detail:
        return RefusedError(
            f"the request is larger than the server takes ({detail}); lower the strength or the server's load"
        )
    return RefusedError(f"the server refuses the request ({status}: {detail})")


def _from_transport(error: Exception, detail: str) -> StoreError:
    name, code = type(getattr(error, "source", error)).__name__, _grpc_code(error)
    if code == "DEADLINE_EXCEEDED" or name in ("ReadTimeout", "WriteTimeout", "PoolTimeout"):
        return StoreError("no answer within the client's timeout: whether it was done is unknown until it is read back")
    reached = code != "UNAVAILABLE" and "Connect" not in name  # httpx: ConnectError, ConnectTimeout
    return StoreError(f"the call failed ({detail or name}): unknown until it is read back", reached=reached)


def _grpc_code(error: Exception) -> str:
    """The name of a gRPC status, empty for any other error."""
    code = getattr(error, "code", None)
    return str(getattr(code(), "name", "")) if callable(code) else ""


def _status(error: Exception) -> int | None:
    if type(error).__name__ == "ResourceExhaustedResponse":
        return 429
    status = getattr(error, "status_code", None)
    if isinstance(status, int):
        return status
    return _GRPC_STATUS.get(_grpc_code(error))


def _detail(error: Exception) -> str:
    """The server's own words, on one line."""
    content, details = getattr(error, "content", None), getattr(error, "details", None)
    text = str(error)
    if isinstance(content, bytes):
        try:
            text = str(json.loads(content)["status"]["error"])
        except (ValueError, KeyError, TypeError):
            text = content.decode("utf-8", "replace")
    elif callable(details):
        text = str(details() or "")
    return " ".join(text.split())[:300]
