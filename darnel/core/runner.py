"""Mode A over one target: baseline → craft → waves → baseline again → scores (design section 6)."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from darnel.core.again import ask_again, lost_queries
from darnel.core.assemble import assemble
from darnel.core.batches import check_sizes
from darnel.core.campaign import Campaign
from darnel.core.corpus import CaptureProof, Check, Remarking, Retriever, Target, VectorWriter
from darnel.core.crafting import Ground, craft
from darnel.core.digest import compare_digests, sample_records, take_digest
from darnel.core.errors import (
    EmptyCorpusError,
    InterruptedCampaign,
    PlantError,
    TargetError,
    UnknownNameError,
    UsageError,
    blame_target,
    describe_error,
)
from darnel.core.evidence import PlantIndex
from darnel.core.gate import parse_gate
from darnel.core.ledger import Ledger
from darnel.core.options import RunOptions
from darnel.core.pattern import Dose
from darnel.core.queries import Query
from darnel.core.ranking import Listing, ask
from darnel.core.results import Results
from darnel.core.run import Run
from darnel.core.signals import SignalGuard
from darnel.core.text import storable
from darnel.core.waiting import read_all, steadily
from darnel.core.waves import MOST_AT_ONCE, Wave, WaveResult, failed_wave, plan_waves, run_wave

KNOWN_DOCUMENTS = 5
"""The owner's records that an application is asked for, to prove that its retrievals are seen."""
PASSAGES = 10
"""Baseline records whose texts a pattern may read for a query."""


def prepare(target: Target, queries: Sequence[Query], doses: Sequence[Dose], options: RunOptions) -> Run:
    """Everything that can be refused, before the ledger is opened and before the first write.

    Raises:
        DarnelError: with what to do, where the target, a name or a setting does not hold.
    """
    started, clock = datetime.now(UTC), time.monotonic()
    labels = [d.label for d in doses]
    if not doses or len(set(labels)) != len(labels):
        raise UsageError("give at least one pattern, and each pattern and strength once")
    if target.retriever is None:
        raise TargetError("this target answers no questions; give one that can be searched, or an app to ask")
    gates = [parse_gate(text, options.ks) for text in options.gates]
    with blame_target("describing the corpus"):
        description = steadily(target.injector.describe)
    if description.size == 0:
        raise EmptyCorpusError(
            f"{description.backend} '{description.container}' is empty: fill it first, or plants compete with nothing"
        )
    with blame_target("looking the corpus over"):
        checks = list(target.checks())
    _refuse_failed(checks, options.accept)
    warnings = [f"{c.name}: {c.detail}. {c.mend}".strip() for c in checks if c.ok is not True]
    return Run(
        target, list(queries), list(doses), options, gates, description, checks, started, clock, warnings=warnings
    )


def _refuse_failed(checks: Sequence[Check], accepted: Sequence[str]) -> None:
    for name in accepted:
        if name not in {check.name for check in checks}:
            raise UnknownNameError("check", name, [check.name for check in checks])
    for check in checks:
        if check.ok is False and check.name not in accepted:
            raise TargetError(f"{check.name}: {check.detail}. {check.mend}".strip())


def run_mode_a(
    target: Target, queries: Sequence[Query], doses: Sequence[Dose], options: RunOptions, ledger: Ledger
) -> Results:
    """Run mode A and return its results; plants are gone, or named as leftovers, when it returns or raises.

    Ctrl-C (and SIGTERM, SIGHUP) ends the run early: what was measured is returned, marked as interrupted.

    Raises:
        DarnelError: the target, the queries or the settings do not hold; nothing was left behind.
    """
    run = prepare(target, queries, doses, options)
    run.campaign = campaign = Campaign(
        target.injector,
        ledger,
        spec=target.spec,
        visible_within=options.visible_within,
        gone_within=options.gone_within,
        notify=options.notify,
        description=run.description,
    )
    guard = SignalGuard(options.notify)
    guard.install()  # around the campaign's own, so that there is no moment without one
    try:
        _plant_and_ask(run, campaign)
        _prove(run)
    except InterruptedCampaign:
        run.interrupted = True
    finally:
        campaign.close()
        guard.restore()
    _complete_rows(run)
    asked: object = target.retriever
    if isinstance(asked, Remarking):
        run.warnings.extend(asked.remarks)
    return assemble(run)


def _plant_and_ask(run: Run, campaign: Campaign) -> None:
    try:
        with campaign:
            _measure(run, campaign)
    except InterruptedCampaign:
        run.interrupted = True


def craft_all(run: Run, campaign_id: str) -> None:
    """Craft every plant of the run.

    Raises:
        PlantError: one is no plant, or is over a limit of the store.
    """
    passages = _passages(run) if any(d.pattern.needs_passages for d in run.doses) else {}
    store = run.target.injector
    ground = Ground(
        run.queries,
        passages,
        run.description,
        campaign_id,
        run.options,
        store.query_vectors if isinstance(store, VectorWriter) else None,
    )
    run.crops = []
    for dose in run.doses:
        try:
            run.crops.append(craft(dose, ground))
        except PlantError as error:
            if not dose.optional:
                raise
            run.warnings.append(f"{dose.label} was left out: {error}")
    for crop in run.crops:
        check_sizes(crop.all(), run.description)


def ask_baseline(run: Run) -> list[Listing]:
    """Ask every question; plants of any campaign that happen to be there are left out of the lists."""
    assert run.target.retriever is not None
    deep = run.target.store_search
    depth = run.options.depth if deep else run.options.k - 1
    index, texts = PlantIndex(()), [q.text for q in run.queries]
    return ask(run.target.retriever, texts, index, [lambda _p: False] * len(texts), depth=depth, deepen=deep)


def _measure(run: Run, campaign: Campaign) -> None:
    options, reader = run.options, run.target.reader
    options.progress("asking with nothing planted", 0, 1)
    if reader is not None and run.description.capabilities.scan:
        with blame_target("reading the corpus"):
            run.digest = steadily(
                lambda: take_digest(
                    reader, run.target.injector, run.description.size, full=options.full_digest, seed=options.seed
                )
            )
    with blame_target("asking the first questions"):
        if not (unseen := why_unseen(run)):
            run.baseline = ask_baseline(run)
    craft_all(run, campaign.id)
    most = None if run.description.capabilities.exact else MOST_AT_ONCE
    waves = list(plan_waves(run.crops, run.queries, options.isolation, most))
    if unseen:  # nothing it does not return would say anything, so nothing is planted
        run.waves.extend(failed_wave(wave, f"capture failed: {unseen}") for wave in waves)
        return
    for number, wave in enumerate(waves):
        options.progress(_title(wave), number, len(waves))
        run.waves.append(run_wave(wave, run.target, campaign, options))
        try:
            if not _why_stop(run.waves[-1]):
                _ask_again(run, campaign, waves[: number + 1], waves[number + 1 :])
        finally:  # an interruption loses no error
            run.errors.extend(run.waves[-1].errors)
        if why := _why_stop(run.waves[-1]):
            run.waves.extend(failed_wave(later, why) for later in waves[number + 1 :])
            break
    options.progress("asking again", len(waves), len(waves))


def why_unseen(run: Run) -> str | None:
    """Why what the application retrieves cannot be seen, if so; a store that is asked itself needs no proof."""
    asked: object = run.target.retriever
    if not isinstance(asked, CaptureProof):
        return None
    if (reader := run.target.reader) is None:
        return "the corpus cannot be read, so there is no known document to ask for"
    known = steadily(lambda: sample_records(reader, run.target.injector, KNOWN_DOCUMENTS, run.options.seed))
    return asked.prove_capture(known)


def _ask_again(run: Run, campaign: Campaign, done: Sequence[Wave], to_come: Sequence[Wave]) -> None:
    """Once a pattern's last wave is through, ask again what the index lost of all of them together."""
    wave = done[-1]
    if to_come and to_come[0].crops == wave.crops:
        return
    mine = [w for w in done if w.crops == wave.crops]
    results = run.waves[-len(mine) :]
    if lost := lost_queries(mine, results, campaign):
        run.warnings.append(
            f"{_labels(wave)}: {len(lost)} question{'s' * (len(lost) != 1)} could not be told at first, since the store's "
            "search missed plants that belonged in the list or other plants crowded it; planted and asked again"
        )
        ask_again(mine, run.target, campaign, run.options, results)


def _why_stop(result: WaveResult) -> str | None:
    """Why no further wave is planted after this one, if so."""
    if result.not_removed:
        return "not planted: plants of an earlier wave could not be removed"
    if result.nothing_visible:
        return "not visible: not tried, since nothing of an earlier wave became visible"
    return None


def _prove(run: Run) -> None:
    """Prove that all is as before; what goes wrong here is reported, never raised."""
    reader = run.target.reader
    try:
        if (before := run.digest) is not None and reader is not None:
            run.digest_after = steadily(
                lambda: take_digest(reader, run.target.injector, run.description.size, like=before)
            )
            run.difference = compare_digests(before, run.digest_after)
        if run.baseline:
            run.baseline_after = ask_baseline(run)
    except Exception as error:  # the target's
        run.errors.append(f"could not prove the state after the run: {describe_error(error)}")


def _complete_rows(run: Run) -> None:
    """Rows of waves that an interruption cut off."""
    done = {(a.label, a.query.id) for w in run.waves for a in w.answers}
    for crop in run.crops:
        rest = [q for q in run.queries if (crop.dose.label, q.id) not in done]
        if rest:
            run.waves.append(failed_wave(Wave((crop,), tuple(rest)), "interrupted before it was asked"))


def _passages(run: Run) -> Mapping[str, Sequence[str]]:
    """What the corpus returned for each query: texts from the lists, else read by id; where an application returned
    nothing, what its store returns itself."""
    listed = {
        q.id: [e.source for e in listing.entries[:PASSAGES]]
        for q, listing in zip(run.queries, run.baseline, strict=False)
    }
    store = run.target.injector
    if (bare := [q for q in run.queries if not listed.get(q.id)]) and isinstance(store, Retriever):
        with blame_target("asking the store for passages"):
            replies = steadily(lambda: store.retrieve([q.text for q in bare], PASSAGES))
        listed.update((q.id, list(reply.sources)) for q, reply in zip(bare, replies, strict=True))
    wanted = {s.id for sources in listed.values() for s in sources if s.text is None and s.id}
    found = read_all(store, sorted(wanted)) if wanted else {}
    texts = {id_: record.text for id_, record in found.items()}
    return {
        query: [storable(text) for s in sources if (text := s.text or texts.get(s.id or ""))]
        for query, sources in listed.items()
    }


def _title(wave: Wave) -> str:
    return _labels(wave) if len(wave.queries) != 1 else f"{_labels(wave)} · {wave.queries[0].id}"


def _labels(wave: Wave) -> str:
    return ", ".join(c.dose.label for c in wave.crops[:3]) + (", ..." if len(wave.crops) > 3 else "")
