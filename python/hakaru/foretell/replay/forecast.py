"""A replay as a forecast that a later run can score: a program, its parameters and layout, here, from measured runs and measured facts.

The interval has two sources: the facts of the machine (their 95 % intervals, all at once on their good or their bad side) and the
launches that say how long computing takes. Its ends are replays, so it widens where the program depends on an uncertain fact.
"""

import dataclasses
from collections.abc import Sequence

from hakaru.facts.forecasts import Forecast, Span
from hakaru.facts.forecasts.forecast import (
    SCHEMA,
    Extrapolation,
    FittedOn,
    ForecastLayout,
    ForecastSetting,
    PhaseForecast,
)
from hakaru.facts.machines import Machine
from hakaru.facts.machines.fact import Fact
from hakaru.facts.records import new_id
from hakaru.facts.records.provenance import now_text
from hakaru.facts.records.record import KINDS, WAIT
from hakaru.foretell import models
from hakaru.foretell.forecast.make import fitted_point
from hakaru.foretell.replay.basis import fact_lines
from hakaru.foretell.replay.documents.answer import Answer, Setting
from hakaru.foretell.replay.question import Question

FAR = 4.0  # times the work of the run it rests on


def why_not(question: Question, machine: Machine, told: Sequence[Setting], here: bool) -> str | None:
    """Why this replay is no forecast, or None when it is one."""
    if question.source.evaluated is None or question.source.kind != "schedule":
        return "a forecast is of a program with its parameters and layout: replay schedule:PROGRAM"
    if question.choices.calibration is None:
        return "computing is priced by a bound: add --compute measured"
    if not here or not machine.is_measured:
        return (
            f"no run on '{machine.name}' can be recorded here: forecasts are of the machine that was probed"
        )
    if question.choices.sends:
        return "the program sends otherwise"
    if told or question.choices.noise:
        return "facts were set, so no machine is like that"
    return None


def forecast(question: Question, machine: Machine, base: Answer) -> Forecast:
    """The forecast of the answer ``base``; two more replays give the interval."""
    calibration = question.choices.calibration
    ends = []
    for bound, good in (("low", True), ("high", False)):
        choices = dataclasses.replace(question.choices, bound=bound)
        ends.append(dataclasses.replace(question, choices=choices).time_s(at_ends(machine, good)))
    value = base.time_s
    low, high = min(*ends, value), max(*ends, value)
    evaluated, point = question.source.evaluated, calibration.observation.point
    factor = _work(models.point_of(evaluated)) / _work(point)
    return Forecast(
        schema=SCHEMA,
        id=new_id(f"{question.source.program}-forecast"),
        created=now_text(),
        program=question.source.program,
        parameters=evaluated.parameters,
        size=evaluated.size,
        layout=ForecastLayout(ranks=evaluated.ranks, threads=evaluated.threads),
        setting=ForecastSetting(**calibration.setting),
        repetition=True,
        time_s=Span(value=value, low=low, high=high),
        confidence=0.95,
        phases=_phases(base, low / value, high / value),
        facts=(
            *(f"record {name}" for name in calibration.observation.record_ids),
            *fact_lines(base.facts),
            *(f"assumed: {text}" for text in base.assumed),
        ),
        fitted_on=FittedOn(
            points=(fitted_point(calibration.observation),), left_out=tuple(calibration.left_out)
        ),
        extrapolation=Extrapolation(
            factor=factor,
            size_factor=evaluated.size / point.size,
            flag="ok" if factor <= FAR else "far",
            reason=f"replayed on '{base.machine}'; {factor:.3g} times the work of {calibration.text}",
        ),
        growth=None,
        score=None,
    )


def at_ends(machine: Machine, good: bool) -> Machine:
    """The machine with every fact at the good or the bad end of its interval: times at one, rates at the other."""

    def end(fact: Fact) -> Fact:
        if not (fact.is_rate or fact.is_cost):
            return fact
        return fact.with_value(fact.highest if fact.is_rate == good else fact.lowest)

    return machine.mapped(end)


def _phases(base: Answer, low: float, high: float) -> tuple[PhaseForecast, ...]:
    """Mean over ranks of each phase; what is left of the time is waiting for the last rank."""
    spans = {
        phase.name: (phase.kind if phase.kind in KINDS else "compute", phase.mean_s)
        for phase in base.phases
        if phase.mean_s > 0.0 and phase.name != WAIT
    }
    rest = base.time_s - sum(mean for _, mean in spans.values())
    if rest > 0.0:
        spans[WAIT] = ("idle", rest)
    return tuple(
        PhaseForecast(
            name=name,
            kind=kind,
            time_s=Span(value=mean, low=mean * low, high=mean * high),
            model="replay",
            reason=base.compute.text if kind == "compute" else f"network {base.network}",
            candidates=(),
        )
        for name, (kind, mean) in spans.items()
    )


def _work(point: models.Point) -> float:
    """Bytes moved, else flops, of one repetition."""
    return point.count(None, "bytes") or point.count(None, "flops") or 1.0
