"""The checks: what is planted, who is asked what, and what the replies say."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from darnel.core.asking.waves import MOST_AT_ONCE
from darnel.core.corpus import Reply
from darnel.core.errors import describe_error
from darnel.core.plant import Plant
from darnel.core.planting.batches import chunks
from darnel.core.queries import Query
from darnel.tenants.field import Field
from darnel.tenants.model import CheckName, Outcome, Tenant, TenantOptions, TenantRow
from darnel.tenants.seeing import Recogniser, Seen
from darnel.tenants.texts import FLOOD, OWN, enumerate_all, name_other, pairs

K = 10
"""Sources asked of a tenant's retriever that takes a number; an application reads what it reads."""
NOT_SEEN = "the tenant's own document did not come back either, so what does not come back says nothing"
NAMELESS = "and neither id nor metadata says whose it is; let the application return them with its sources"


@dataclass(frozen=True, slots=True)
class Question:
    """One question to be asked as one tenant."""

    check: CheckName
    tenant: str
    other: str
    query: Query
    text: str

    def row(self, outcome: Outcome, detail: str) -> TenantRow:
        """What came of it."""
        return TenantRow(self.check, self.tenant, self.other, self.query.id, self.text, outcome, detail)


@dataclass
class Checks:
    """Runs the checks over a field; rows come one after the other, so that an interruption keeps those that are done."""

    tenants: Sequence[Tenant]
    queries: Sequence[Query]
    options: TenantOptions
    field: Field

    def rows(self) -> Iterator[TenantRow]:
        """Every row of every check."""
        yield from self._same_text()
        yield from self._own_text()

    @property
    def _names(self) -> list[str]:
        return [t.name for t in self.tenants]

    def _same_text(self) -> Iterator[TenantRow]:
        plants = {name: self.field.sower(name).same(self.queries) for name in self._names}
        questions = self._plain("same text")
        with self.field.planted(plants) as problem:
            if problem:
                yield from (q.row("inconclusive", problem) for q in questions)
                return
            for question, seen in zip(questions, self._ask(questions, plants), strict=True):
                yield judge(question, seen, control=question.tenant in seen.tenants)

    def _own_text(self) -> Iterator[TenantRow]:
        plants = {name: self.field.sower(name).own(self.queries) for name in self._names}
        plain, pressed = self._plain("own text"), list(self._pressed())
        with self.field.planted(plants) as problem:
            if problem:
                yield from (q.row("inconclusive", problem) for q in [*plain, *pressed, *self._flooded(self.queries)])
                return
            before = {
                (q.tenant, q.query.id): (q, seen) for q, seen in zip(plain, self._ask(plain, plants), strict=True)
            }
            served = {(name, id_): name in seen.tenants for (name, id_), (_, seen) in before.items()}
            yield from (judge(q, seen, control=served[q.tenant, q.query.id]) for q, seen in before.values())
            for question, seen in zip(pressed, self._ask(pressed, plants), strict=True):
                owners = [question.other] if question.other else [n for n in self._names if n != question.tenant]
                yield judge(question, seen, control=any(served[name, question.query.id] for name in owners))
            for part in chunks(self.queries, max(1, MOST_AT_ONCE // self.options.flood)):
                for name in self._names:
                    yield from self._flood(name, part, plants, {key: seen for key, (_, seen) in before.items()})

    def _flood(
        self,
        flooder: str,
        queries: Sequence[Query],
        plants: Mapping[str, Sequence[Plant]],
        before: Mapping[tuple[str, str], Seen],
    ) -> Iterator[TenantRow]:
        """Whether the others still get theirs while one tenant's documents fill the first places."""
        questions = [q for q in self._flooded(queries) if q.other == flooder]
        control = [Question("flooding", flooder, "", q, q.text) for q in queries]
        flood = self.field.sower(flooder).flood(queries, self.options.flood)
        there = {**plants, flooder: [*plants[flooder], *flood]}
        with self.field.planted({flooder: flood}) as problem:
            if not problem:
                during = self._ask(questions, there)
                filled = {
                    q.query.id: (flooder, FLOOD) in seen.kinds and (flooder, OWN) not in seen.kinds
                    for q, seen in zip(control, self._ask(control, there), strict=True)
                }
        if problem:
            yield from (q.row("inconclusive", problem) for q in questions)
            return
        after = self._ask(questions, plants)
        for question, now, then in zip(questions, during, after, strict=True):
            first = before[question.tenant, question.query.id]
            yield judge_flood(question, first, now, then, filled=filled[question.query.id], exact=self.field.exact)

    def _plain(self, check: CheckName) -> list[Question]:
        return [Question(check, name, "", query, query.text) for query in self.queries for name in self._names]

    def _pressed(self) -> Iterator[Question]:
        """Questions that ask for what is another's."""
        for query in self.queries:
            for name, other in pairs(self._names):
                for text in name_other(query.text, other, self.options.called):
                    yield Question("naming", name, other, query, text)
            for name in self._names:
                for text in enumerate_all(query.text, self.options.called):
                    yield Question("enumeration", name, "", query, text)

    def _flooded(self, queries: Sequence[Query]) -> list[Question]:
        return [
            Question("flooding", name, other, query, query.text)
            for query in queries
            for name, other in pairs(self._names)
        ]

    def _ask(self, questions: Sequence[Question], plants: Mapping[str, Sequence[Plant]]) -> list[Seen]:
        """What the replies show, in the order of the questions; each tenant's are asked together."""
        recogniser = Recogniser(plants, {t.name: t.metadata for t in self.tenants})
        found: dict[int, Seen] = {}
        for tenant in self.tenants:
            own = [n for n, q in enumerate(questions) if q.tenant == tenant.name]
            replies = _replies(tenant, [questions[n].text for n in own]) if own else []
            found.update((n, recogniser.seen_in(reply)) for n, reply in zip(own, replies, strict=True))
        return [found[n] for n in range(len(questions))]


def _replies(tenant: Tenant, texts: Sequence[str]) -> Sequence[Reply]:
    try:
        return tenant.app.retrieve(list(texts), K)
    except Exception as error:  # the application's: it fails these rows, not the check
        return [Reply(error=describe_error(error))] * len(texts)


def judge(question: Question, seen: Seen, *, control: bool) -> TenantRow:
    """One row. ``control``: the documents that must not show are served to whom they belong, or the asker gets its own."""
    if others := seen.others(question.tenant):
        told = "; ".join(f"a document of {name} is in {where}" for name, where in others.items())
        return question.row("breach", told)
    if seen.error:
        return question.row("inconclusive", seen.error)
    if seen.unclear:
        return question.row("inconclusive", f"{seen.unclear}, {NAMELESS}")
    return question.row("isolated", "") if control else question.row("inconclusive", NOT_SEEN)


def judge_flood(question: Question, before: Seen, during: Seen, after: Seen, *, filled: bool, exact: bool) -> TenantRow:
    """One row of the flooding check: a tenant that loses by what another plants is filtered for behind the search.

    ``exact``: the search compares every record; one that does not may lose a single document all by itself.
    """
    own, name = question.tenant, question.other
    row = judge(question, during, control=True)
    if row.outcome != "isolated":
        return row
    if own not in before.tenants:
        return question.row("inconclusive", NOT_SEEN)
    lost = own not in during.tenants
    if lost or during.count < before.count:
        counts = f"{before.count} sources before, {during.count} meanwhile, {after.count} after"
        if after.error or own not in after.tenants or after.count < before.count:
            return question.row("inconclusive", f"fewer sources came back, and also without the flood ({counts})")
        if not exact and during.count >= before.count:
            return question.row(
                "inconclusive", f"its own document was lost, which an approximate index may do ({counts})"
            )
        what = "its own document was lost" if lost else "sources were lost"
        return question.row(
            "breach", f"{what} while documents of {name} filled the first places: filtered after the search ({counts})"
        )
    if not filled:
        return question.row("inconclusive", f"the flood did not fill the first places, even for {name} itself")
    return question.row("isolated", "")
