"""Mode A over one target: baseline → craft → waves → baseline again → scores (design section 6)."""

from __future__ import annotations

import time
from collections.abc import Sequence
from datetime import UTC, date, datetime

from darnel.core.asking.capture import why_unseen
from darnel.core.asking.waves import MOST_AT_ONCE, Wave, WaveResult, failed_wave, is_exact, plan_waves, run_wave
from darnel.core.corpus import Check, Remarking, Target
from darnel.core.errors import (
    EmptyCorpusError,
    InterruptedCampaign,
    TargetError,
    UnknownNameError,
    UsageError,
    blame_target,
    describe_error,
)
from darnel.core.options import RunOptions
from darnel.core.pattern import Dose
from darnel.core.planting.campaign import Campaign
from darnel.core.planting.digest import compare_digests, take_digest
from darnel.core.planting.ledger import Ledger
from darnel.core.planting.signals import SignalGuard
from darnel.core.planting.waiting import steadily
from darnel.core.queries import Query
from darnel.core.results import Results
from darnel.core.running.abstaining import ask_unanswerable
from darnel.core.running.again import ask_again, lost_queries
from darnel.core.running.assemble import assemble
from darnel.core.running.baseline import first_baseline, last_baseline
from darnel.core.running.crops import craft_all
from darnel.core.running.meter import Meter
from darnel.core.running.run import Run
from darnel.core.running.trusting import read_trust
from darnel.core.scoring.gate import check_pattern, parse_gate
from darnel.core.scoring.rising import check_comparable, rise_condition
from darnel.core.suppressions import Suppression, in_force


def prepare(target: Target, queries: Sequence[Query], doses: Sequence[Dose], options: RunOptions) -> Run:
    """Everything that can be refused, before the ledger is opened and before the first write.

    Raises:
        DarnelError: with what to do, where the target, a name or a setting does not hold.
    """
    started, clock = datetime.now(UTC), time.monotonic()
    labels = [d.label for d in doses]
    if not doses or len(set(labels)) != len(labels):
        raise UsageError("give at least one pattern, and each pattern and strength once")
    unanswerable = [q for q in queries if q.unanswerable]
    queries = [q for q in queries if not q.unanswerable]
    if not queries:
        raise UsageError("give at least one question that the corpus can answer, to plant for")
    if target.retriever is None:
        raise TargetError("this target answers no questions; give one that can be searched, or an app to ask")
    if options.transfer:
        _check_paraphrases(target, queries)
    gates = [parse_gate(text, options.ks) for text in options.gates]
    for gate in gates:
        check_pattern(gate, [d.label for d in doses])
    suppressions, warnings = _accepted_failures(queries, doses, options, started.date())
    with blame_target("describing the corpus"):
        description = steadily(target.injector.describe)
    if description.size == 0:
        raise EmptyCorpusError(
            f"{description.backend} '{description.container}' is empty: fill it first, or plants compete with nothing"
        )
    with blame_target("looking the corpus over"):
        checks = list(target.checks())
    refuse_failed(checks, options.accept)
    if unanswerable and target.store_search:
        warnings.append(f"unanswerable questions ({len(unanswerable)}) are not asked: a store gives no answers")
    warnings += [f"{c.name}: {c.detail}. {c.mend}".strip() for c in checks if c.ok is not True]
    return Run(
        target,
        list(queries),
        list(doses),
        options,
        gates,
        description,
        checks,
        started,
        clock,
        suppressions=suppressions,
        warnings=warnings,
        unanswerable=[] if target.store_search else unanswerable,
    )


def _check_paraphrases(target: Target, queries: Sequence[Query]) -> None:
    if not target.store_search:
        raise UsageError("--transfer is measured where a store is searched; leave it away for an application")
    if not any(q.paraphrases for q in queries):
        raise UsageError('--transfer: no question has paraphrases; give them in a JSONL file: "paraphrases": ["..."]')


def _accepted_failures(
    queries: Sequence[Query], doses: Sequence[Dose], options: RunOptions, today: date
) -> tuple[list[Suppression], list[str]]:
    """The suppressions in force, with warnings, once the baseline, if any, is one that can be compared."""
    conditions = list(options.gates)
    if (baseline := options.baseline) is not None:
        asked = ((q.id, q.text) for q in queries)
        check_comparable(baseline, asked, [d.label for d in doses if not d.pattern.is_control])
        conditions.append(rise_condition(min(options.k, baseline.target.k), options.allowed_rise))
    return in_force(options.suppressions, conditions, [d.label for d in doses], today)


def refuse_failed(checks: Sequence[Check], accepted: Sequence[str]) -> None:
    """Refuse a target whose preflight fails, but for the checks that are accepted.

    Raises:
        TargetError: says which check, and how to mend it.
        UnknownNameError: a check of that name was not made.
    """
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
    _look_at_trust(run)
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


def _measure(run: Run, campaign: Campaign) -> None:
    options, reader = run.options, run.target.reader
    meter = Meter(options, len(run.queries), len(run.doses))
    meter.begin("asking with nothing planted", len(run.queries))
    if reader is not None and run.description.capabilities.scan:
        with blame_target("reading the corpus"):
            run.digest = steadily(
                lambda: take_digest(
                    reader, run.target.injector, run.description.size, full=options.full_digest, seed=options.seed
                )
            )
    with blame_target("asking the first questions"):
        if not (unseen := why_unseen(run.target, options.seed)):
            meter.watch(run.target.retriever)
            run.baseline = first_baseline(run)
            run.abstention = ask_unanswerable(run)
    craft_all(run, campaign.id)
    most = None if is_exact(run.target, run.description) else MOST_AT_ONCE
    waves = list(plan_waves(run.crops, run.queries, options.isolation, most))
    if unseen:  # nothing it does not return would say anything, so nothing is planted
        run.waves.extend(failed_wave(wave, f"capture failed: {unseen}") for wave in waves)
        return
    for number, wave in enumerate(waves):
        meter.begin(_title(wave), len(wave.queries))
        run.waves.append(run_wave(wave, run.target, campaign, options))
        try:
            if not _why_stop(run.waves[-1]):
                _ask_again(run, campaign, waves[: number + 1], waves[number + 1 :])
        finally:  # an interruption loses no error
            run.errors.extend(run.waves[-1].errors)
        if why := _why_stop(run.waves[-1]):
            run.waves.extend(failed_wave(later, why) for later in waves[number + 1 :])
            break
    meter.begin("asking again", len(run.queries))


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
        # a store is asked once more even on the way out; an application takes its time, and somebody is waiting
        if run.baseline and not (run.interrupted and not run.target.store_search):
            run.baseline_after = last_baseline(run)
    except Exception as error:  # the target's
        run.errors.append(f"could not prove the state after the run: {describe_error(error)}")


def _look_at_trust(run: Run) -> None:
    try:
        run.trusts = read_trust(run)
    except Exception as error:  # the target's; the run stands without this figure
        run.warnings.append(f"the average trust of what came back is left out: {describe_error(error)}")


def _complete_rows(run: Run) -> None:
    """Rows of waves that an interruption cut off."""
    done = {(a.label, a.query.id) for w in run.waves for a in w.answers}
    for crop in run.crops:
        rest = [q for q in run.queries if (crop.dose.label, q.id) not in done]
        if rest:
            run.waves.append(failed_wave(Wave((crop,), tuple(rest)), "interrupted before it was asked"))


def _title(wave: Wave) -> str:
    return _labels(wave) if len(wave.queries) != 1 else f"{_labels(wave)} · {wave.queries[0].id}"


def _labels(wave: Wave) -> str:
    return ", ".join(c.dose.label for c in wave.crops[:3]) + (", ..." if len(wave.crops) > 3 else "")
