"""Qdrant's local mode: one client at a time may have a folder open, so darnel's own targets share theirs."""

from __future__ import annotations

import threading
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from darnel.core.errors import ContainerMissingError, TargetError, describe_error

META_FILE = "meta.json"
_open: dict[Path, tuple[Any, int]] = {}
_guard = threading.Lock()


def existing_folder(where: str) -> Path:
    """The folder, once it is known to hold a Qdrant storage: opening any other would make it one.

    Raises:
        ContainerMissingError: it holds none.
    """
    folder = Path(where).expanduser().resolve()
    if not (folder / META_FILE).is_file():
        raise ContainerMissingError(f"no Qdrant storage in {folder} ({META_FILE} is not there); check the path")
    return folder


def open_folder(folder: Path, undo: ExitStack) -> Any:
    """A client on a folder, shared by all targets of this process; ``undo`` gets what lets go of it.

    Raises:
        TargetError: another client has the folder, or it cannot be read.
    """
    with _guard:
        client, users = _open.get(folder, (None, 0))
        if client is None:
            client = _new_client(folder)
        _open[folder] = (client, users + 1)
    undo.callback(_release, folder)
    return client


def _new_client(folder: Path) -> Any:
    from qdrant_client import QdrantClient

    try:
        return QdrantClient(path=str(folder))
    except RuntimeError as error:
        if "already accessed" not in str(error):
            raise TargetError(f"cannot open {folder}: {describe_error(error)}") from error
        raise TargetError(
            f"another client has {folder} open, and Qdrant's local mode lets one in at a time: stop the application, "
            "give its own client from Python (client, 'collection'), or test through a server"
        ) from None
    except Exception as error:  # damaged files, old formats, no permission
        raise TargetError(f"cannot open {folder}: {describe_error(error)}") from error


def _release(folder: Path) -> None:
    with _guard:
        client, users = _open.pop(folder)
        if users > 1:
            _open[folder] = (client, users - 1)
        else:
            client.close()
