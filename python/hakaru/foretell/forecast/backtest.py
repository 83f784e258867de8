"""Back-test: on runs at hand, fit the small sizes, hold out the largest, and see how wrong the prediction
would have been."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from statistics import median

from hakaru.facts.machines import Machine
from hakaru.facts.records import Record
from hakaru.facts.records.nearness import Usual
from hakaru.facts.work import Parameters, Work
from hakaru.foretell import models
from hakaru.foretell.forecast.make import of_observations, same_setting
from hakaru.foretell.forecast.outcomes import BackTest, HeldOut, HeldOutPhase
from hakaru.foretell.models.usually import usually

DescribeOn = Callable[[str, Parameters, int, int], Work]


def backtest(
    records: Sequence[Record],
    describe: DescribeOn | None = None,
    growth: str | None = None,
    machine: Machine | None = None,
    cold: Sequence[Record] = (),
) -> list[BackTest]:
    """One entry for every program, problem and layout that ran at least two sizes; refused ones say why and
    have no error.

    ``describe(program, parameters, ranks, threads) -> Work``, ``machine`` and ``cold`` as in forecast.make.
    """
    law = models.parse(growth) if growth else None
    usual = Usual.of([*records, *cold])
    results = []
    for program in sorted({record.program for record in records}):
        own = [record for record in records if record.program == program]
        left = models.sound(own)[0]
        while left:
            largest = max(left, key=lambda record: (record.work.size, record.id))
            entry, used = _hold_out(own, largest, describe, law, machine, cold, usual)
            left = [record for record in left if record.id not in used]
            if entry:
                results.append(entry)
    return results


def _hold_out(
    records: Sequence[Record],
    largest: Record,
    describe: DescribeOn | None,
    law: models.Growth | None,
    machine: Machine | None,
    cold: Sequence[Record],
    usual: Usual,
) -> tuple[BackTest | None, set[str]]:
    """(entry or None, ids of the records that it accounts for): the largest size of one layout foretold by
    its smaller sizes."""
    program, wanted = largest.program, largest.work
    ranks, threads = wanted.ranks, wanted.threads
    inner = None if describe is None else (lambda parameters: describe(program, parameters, ranks, threads))
    found = models.relevant(records, wanted, inner, usual)
    own = [one for one in found.observations if (one.point.ranks, one.point.threads) == (ranks, threads)]
    used = {largest.id, *(name for one in own for name in one.record_ids)}
    smaller = tuple(one for one in own if one.point.size < wanted.size)
    held = [one for one in own if one.point.size == wanted.size]
    if not smaller or not held:
        return None, used
    kept = {name for one in smaller for name in one.record_ids}
    sources = tuple(record for record in found.records if record.id in kept)
    found = replace(found, observations=smaller, records=sources)
    below = [one for one in cold if one.program == program and one.work.size < wanted.size]
    emptied = same_setting(below, found, wanted, inner, usual)
    forecast = of_observations(found, program, wanted, law, machine, cold=emptied, usual=usual)
    measured = float(usually(held[0].totals()))  # as scores do
    told = forecast.time_s
    entry = BackTest(
        program=program,
        parameters=forecast.parameters,
        layout=forecast.layout,
        sizes=tuple(sorted(one.point.size for one in smaller)),
        size=wanted.size,
        predicted=told,
        measured=HeldOut(value=measured, launches=len(held[0].launches)),
        error=told.value / measured - 1.0 if told else None,
        inside=told.holds(measured) if told else None,
        flag=forecast.extrapolation.flag,
        reason=forecast.extrapolation.reason,
        phases=tuple(
            HeldOutPhase(
                name=phase.name,
                predicted=phase.time_s,
                model=phase.model,
                measured=median(held[0].values(phase.name)),
            )
            for phase in forecast.phases
        ),
    )
    return entry, used
