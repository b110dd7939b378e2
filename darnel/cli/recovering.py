"""What ``status`` and ``sweep`` share: find campaigns by target, or by everything the ledger knows."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from darnel.core.corpus import Target
from darnel.core.errors import UsageError
from darnel.core.planting.ledger import CampaignRow, Ledger, ledger_path
from darnel.core.planting.recovery import Found, find_by_ledger, find_in_target
from darnel.core.secrets import is_redacted


@contextmanager
def found_campaigns(
    target: str | None, ledger_file: str | None, allow_hosts: tuple[str, ...], *, writes: bool
) -> Iterator[tuple[list[tuple[Found, Target | None]], Ledger | None]]:
    """Campaigns with plants, each with its corpus open where it could be opened; everything is closed on exit."""
    from darnel.api import open_target

    with ExitStack() as stack:
        path = ledger_path(ledger_file)
        ledger = None
        if path.exists() or target is None:
            ledger = stack.enter_context(Ledger(path, create=False))
        if target is not None:
            opened = open_target(target, allow_hosts=allow_hosts, writes=writes)
            stack.callback(opened.close)
            yield [(found, opened) for found in find_in_target(opened, ledger, flush=writes)], ledger
            return
        assert ledger is not None
        cache: dict[str, Target] = {}

        def reopen(row: CampaignRow) -> Target:
            if not row.spec:
                raise UsageError("it was opened by a program of yours; name it: darnel sweep TARGET")
            if is_redacted(row.spec):
                raise UsageError("its URL carried credentials, which no ledger keeps; name it: darnel sweep TARGET")
            if row.spec not in cache:
                cache[row.spec] = open_target(row.spec, allow_hosts=allow_hosts, writes=writes)
                stack.callback(cache[row.spec].close)
            return cache[row.spec]

        yield find_by_ledger(ledger, reopen), ledger
