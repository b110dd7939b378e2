"""Live stores: read as any other source, with the corpus digest taken before and after to prove that nothing changed."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from darnel.audit.engine import AuditOptions, judged
from darnel.audit.readers.base import Reader
from darnel.audit.readers.corpus import StoreReader
from darnel.audit.results import AuditResults
from darnel.core.corpus import Target
from darnel.core.errors import TargetError, describe_error
from darnel.core.planting.digest import CorpusDigest, compare_digests, take_digest

Run = Callable[[Sequence[Reader], AuditOptions], AuditResults]


def digests_around(sources: Sequence[Reader | Target], options: AuditOptions, run: Run) -> AuditResults:
    """Run an audit over readers and opened targets; a target that is not the same afterwards is an error in the results.

    Raises:
        TargetError: a target cannot be read whole.
    """
    readers: list[Reader] = []
    before: dict[int, tuple[Target, CorpusDigest]] = {}
    for number, source in enumerate(sources):
        if not isinstance(source, Target):
            readers.append(source)
            continue
        readers.append(reader_of(source, options))
        before[number] = (source, _digest(source))
    results = run(readers, options)
    infos, errors = list(results.sources), list(results.errors)
    for number, (target, first) in before.items():
        name = infos[number].name
        infos[number] = msgspec.structs.replace(infos[number], digest_before=first.value)
        try:
            second = _digest(target, like=first)
        except (Exception, KeyboardInterrupt) as error:  # what was found still counts
            errors.append(f"the digest of {name} was not taken again: {describe_error(error)}")
            continue
        infos[number] = msgspec.structs.replace(infos[number], digest_after=second.value)
        if first.value != second.value or compare_digests(first, second):
            errors.append(f"{name} changed during the audit: something else writes to it; audit it again")
    results = msgspec.structs.replace(results, sources=infos, errors=errors)
    return judged(results, allow_unreadable=options.allow_unreadable)


def reader_of(target: Target, options: AuditOptions) -> Reader:
    """A reader over an opened target.

    Raises:
        TargetError: its adapter cannot read it whole.
    """
    where = target.injector.describe()
    if target.reader is None or not where.capabilities.scan:
        raise TargetError(
            f"the {where.backend} target cannot be read whole, so it cannot be audited; export it as JSONL"
        )
    name = f"{where.backend} {where.container}"
    return StoreReader(target.reader, name, total=where.size, vectors=options.context.embed is not None)


def _digest(target: Target, like: CorpusDigest | None = None) -> CorpusDigest:
    assert target.reader is not None
    return take_digest(target.reader, target.injector, target.injector.describe().size, like=like)
