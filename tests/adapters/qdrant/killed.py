"""A real ``darnel`` command that ends itself, as ``kill -9`` would, before or after a chosen call of the Qdrant adapter.

``python -m tests.adapters.qdrant.killed CALL WHEN TIME ARGS...``: CALL is ``upsert`` or ``delete`` of the client, WHEN
``before`` or ``after``, TIME which of them.
"""

from __future__ import annotations

import os
import signal
import sys
from typing import Any


def install(call: str, when: str, time: int) -> None:
    from qdrant_client.local.qdrant_local import QdrantLocal

    original, left = getattr(QdrantLocal, call), [time]

    def watched(self: Any, *args: Any, **kwargs: Any) -> Any:
        left[0] -= 1
        if not left[0] and when == "before":
            os.kill(os.getpid(), signal.SIGKILL)
        result = original(self, *args, **kwargs)
        if not left[0]:
            os.kill(os.getpid(), signal.SIGKILL)
        return result

    setattr(QdrantLocal, call, watched)


if __name__ == "__main__":
    install(sys.argv[1], sys.argv[2], int(sys.argv[3]))
    from darnel.cli.main import main

    main(sys.argv[4:])
