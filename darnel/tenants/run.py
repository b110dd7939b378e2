"""All checks over all tenants: plant, ask as each, judge, remove, prove."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from darnel.core.errors import InterruptedCampaign, UsageError, describe_error
from darnel.core.planting.ledger import Ledger
from darnel.core.planting.signals import SignalGuard
from darnel.core.queries import Query
from darnel.core.results import DigestInfo
from darnel.core.stats import rate
from darnel.core.version import darnel_version
from darnel.tenants.checks import Checks
from darnel.tenants.field import Field, NotRemovedError, container
from darnel.tenants.model import (
    CHECKS,
    SCHEMA_VERSION,
    CheckName,
    Tenant,
    TenantOptions,
    TenantResults,
    TenantRow,
    TenantScore,
)

FURTHER_ATTEMPTS = 3
"""How often a question that could not be told is planted for anew, with markers of its own."""


def run_tenants(
    tenants: Sequence[Tenant], queries: Sequence[Query], options: TenantOptions, ledger: Ledger
) -> TenantResults:
    """Run every check; plants are gone, or named as leftovers, when it returns or raises.

    Ctrl-C (and SIGTERM, SIGHUP) ends it early: what was found is returned, marked as interrupted.

    Raises:
        DarnelError: the tenants, the places or the settings do not hold; nothing was left behind.
    """
    _refuse_alike(tenants)
    field = Field(tenants, ledger, options)
    rows: list[TenantRow] = []
    errors: list[str] = []
    digests: list[DigestInfo] = []
    guard = SignalGuard(options.notify)
    guard.install()  # around the campaigns' own, so that there is no moment without one
    try:
        interrupted = _interrupted(Checks(tenants, queries, options, field), rows, errors)
        digests = _proved(field, errors)
    except InterruptedCampaign:
        interrupted = True
    finally:
        guard.restore()
    scores = [_score(name, summary, rows) for name, summary in CHECKS.items()]
    leftovers = field.leftovers()
    doubtful = (
        interrupted
        or bool(errors)
        or any(s.inconclusive or not s.breaches.n for s in scores)
        or any(d.same is not True for d in digests)
    )
    breached = any(s.breaches.hits for s in scores)
    return TenantResults(
        schema_version=SCHEMA_VERSION,
        darnel=darnel_version(),
        campaigns=[c.id for c in field.campaigns],
        containers=[container(c.description) for c in field.campaigns if c.description],
        tenants=[t.name for t in tenants],
        flood=options.flood,
        scores=scores,
        rows=rows,
        cleanup=field.cleanup(),
        digests=digests,
        leftovers=leftovers,
        warnings=field.warnings,
        errors=errors,
        interrupted=interrupted,
        exit_code=3 if leftovers else 1 if breached else 2 if doubtful else 0,
    )


def _interrupted(checks: Checks, rows: list[TenantRow], errors: list[str]) -> bool:
    """Whether the checks were cut short; nothing is planted after them either way."""
    try:
        with checks.field:
            _check(checks, rows, errors)
    except InterruptedCampaign:
        return True
    return False


def _check(checks: Checks, rows: list[TenantRow], errors: list[str]) -> None:
    """Collect rows one by one: what is done is kept, whatever ends it. An approximate index may lose a plant, so there the
    questions that could not be told are planted for once more, and again; where nothing at all could be told, it is not the
    index."""
    try:
        for row in checks.rows():
            rows.append(row)
        for _ in range(0 if checks.field.exact else FURTHER_ATTEMPTS):
            untold = {row.query for row in rows if row.outcome == "inconclusive"}
            if not untold or all(row.outcome == "inconclusive" for row in rows):
                return
            checks.field.next_attempt()
            again = replace(checks, queries=[q for q in checks.queries if q.id in untold])
            _settle(rows, again.rows())
    except NotRemovedError as error:
        errors.append(str(error))


def _settle(rows: list[TenantRow], later: Iterable[TenantRow]) -> None:
    """Put what a second attempt says in the place of what could not be told, and of what no breach was seen in before."""
    places = {(r.check, r.tenant, r.other, r.query, r.asked): n for n, r in enumerate(rows)}
    for row in later:
        place = places[row.check, row.tenant, row.other, row.query, row.asked]
        if row.outcome == "breach" or (row.outcome == "isolated" and rows[place].outcome == "inconclusive"):
            rows[place] = row


def _proved(field: Field, errors: list[str]) -> list[DigestInfo]:
    try:
        return field.prove()
    except Exception as error:  # the store's
        errors.append(f"could not prove the state afterwards: {describe_error(error)}")
        return []


def _score(name: CheckName, summary: str, rows: Sequence[TenantRow]) -> TenantScore:
    outcomes = [row.outcome for row in rows if row.check == name]
    told = len(outcomes) - outcomes.count("inconclusive")
    return TenantScore(name, summary, rate(outcomes.count("breach"), told), outcomes.count("inconclusive"))


def _refuse_alike(tenants: Sequence[Tenant]) -> None:
    """Two tenants that a record cannot tell apart are one.

    Raises:
        UsageError: fewer than two, one name twice, or one scope twice.
    """
    if len(tenants) < 2 or len({t.name for t in tenants}) != len(tenants):
        raise UsageError("name at least two tenants, each once, for instance --tenants acme,globex")
    scopes = [(id(t.place.injector), sorted(map(repr, t.metadata.items()))) for t in tenants]
    if any(scopes.count(scope) > 1 for scope in scopes):
        raise UsageError(
            "nothing tells one tenant's records from another's; name the metadata key that does with --tenant-key"
        )
