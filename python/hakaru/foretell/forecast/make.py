"""A forecast from records (growth laws fitted to the times of each phase)."""

import math
from collections.abc import Sequence
from statistics import median

import msgspec

from hakaru.base import units
from hakaru.base.errors import UserError
from hakaru.facts.forecasts import Forecast, Span
from hakaru.facts.forecasts.forecast import (
    EMPTIED,
    SCHEMA,
    Band,
    Candidate,
    Extrapolation,
    FittedOn,
    FittedPoint,
    ForecastLayout,
    ForecastSetting,
    MemoryForecast,
    PhaseForecast,
    SampleOfRun,
    Way,
)
from hakaru.facts.machines import Machine
from hakaru.facts.records import Record, new_id
from hakaru.facts.records.nearness import Usual
from hakaru.facts.records.provenance import now_text
from hakaru.facts.records.record import Environment
from hakaru.facts.work import Work
from hakaru.foretell import models
from hakaru.foretell.energy import forecast as energy
from hakaru.foretell.forecast import memory
from hakaru.foretell.forecast.lacking import lacking
from hakaru.foretell.models.relevance import Describe


def make(
    records: Sequence[Record],
    program: str,
    wanted: Work,
    describe: Describe | None = None,
    growth: str | None = None,
    machine: Machine | None = None,
    notes: Sequence[str] = (),
    cold: Sequence[Record] = (),
) -> Forecast:
    """Forecast of one repetition of ``program`` as ``wanted`` says, from records.

    ``describe(parameters) -> Work`` on the wanted layout lets runs with another number of steps serve
    (models.relevant); ``machine`` has the facts of the host that the records are of; ``notes``: what else to
    say of it; ``cold``: records of runs with empty caches. A forecast that the data cannot carry has the
    flag ``refused`` and no time. Raises UserError for a layout that the program refuses and for a growth law that is not understood.
    """
    if wanted.refused:
        raise UserError(
            f"{program} cannot run so", wanted.refused, "choose other parameters, ranks or threads"
        )
    law = models.parse(growth) if growth else None
    usual = Usual.of([*records, *cold])
    own = [record for record in records if record.program == program]
    found = models.relevant(own, wanted, describe, usual)
    emptied = same_setting(cold, found, wanted, describe, usual)
    return of_observations(found, program, wanted, law, machine, notes, emptied, usual)


def same_setting(
    cold: Sequence[Record],
    found: models.Relevant,
    wanted: Work,
    describe: Describe | None,
    usual: Usual,
) -> models.Relevant | None:
    """What runs with empty caches tell of the same problem, where they were made as the others were."""
    settings = {record.setting for record in found.records}
    same = [record for record in cold if record.setting in settings]
    return models.relevant(same, wanted, describe, usual) if same else None


def of_observations(
    found: models.Relevant,
    program: str,
    wanted: Work,
    law: models.Growth | None,
    machine: Machine | None = None,
    notes: Sequence[str] = (),
    cold: models.Relevant | None = None,
    usual: Usual | None = None,
) -> Forecast:
    """Forecast from records already chosen; ``cold``: those of runs with empty caches; ``usual``: the states by which they were."""
    target = models.point_of(wanted)
    sample = None if law else models.sample_of(found.observations, target)
    used = (sample,) if sample else models.chosen_layout(found.observations, target)
    environment = found.records[-1].environment if found.records else Environment()
    state = usual.at(found.records[-1], wanted.ranks, wanted.threads) if usual and found.records else None
    refused = _refused(found, program, wanted, law, used)
    held = memory.foretell(found.records, wanted)
    why = models.refusal(used, target, law, environment.memory_bytes) or _too_large(held, environment)
    if why:
        left_out = f"; left out: {', '.join(found.left_out)}" if found.left_out else ""
        reason = Extrapolation(factor=None, flag="refused", reason=why + left_out)
        return msgspec.structs.replace(refused, extrapolation=reason)
    if sample:
        prediction = models.predict_sampled(sample, found.kinds)
    else:
        prediction = models.predict(
            used, target, found.kinds, law, machine, cold.observations if cold else ()
        )
    verdict = models.judge(prediction, used, target, law, environment.caches, environment.cpus_online)
    return msgspec.structs.replace(
        refused,
        memory=held or msgspec.UNSET,
        sample=_sample(sample, found.records) if sample else msgspec.UNSET,
        state=state or msgspec.UNSET,
        energy=energy.foretell(found.records, wanted, _span(prediction.time_s), machine),
        time_s=_span(prediction.time_s),
        usual_s=_span(prediction.usual_s),
        ways=tuple(Way(name=way.name, usual_s=_span(way.usual_s)) for way in prediction.ways)
        or msgspec.UNSET,
        facts=(*refused.facts, *_of_whole(prediction), *_of_cold(prediction, cold)),
        bands=tuple(Band(level=level, low=low, high=high) for level, low, high in prediction.bands),
        phases=tuple(_phase(phase) for phase in prediction.phases),
        extrapolation=Extrapolation(
            factor=verdict.factor,
            size_factor=verdict.size_factor,
            flag=verdict.flag,
            reason="; ".join([*lacking(used), *notes, verdict.reason]),
        ),
    )


def _too_large(held: MemoryForecast | None, environment: Environment) -> str | None:
    """Why a run surely does not fit into the memory of the host that the runs were made on."""
    there = environment.memory_bytes
    if held is None or not there or held.node.low <= there:
        return None
    needed = f"{units.capacity(held.node.value)} (at least {units.capacity(held.node.low)})"
    return f"it needs {needed} of memory, by what smaller runs needed, and this machine has {units.capacity(there)}"


def fitted_point(observation: models.Observation) -> FittedPoint:
    point = observation.point
    return FittedPoint(
        parameters=dict(point.parameters),
        size=point.size,
        ranks=point.ranks,
        threads=point.threads,
        value=median(observation.totals()),
        launches=len(observation.launches),
    )


def _refused(
    found: models.Relevant,
    program: str,
    wanted: Work,
    law: models.Growth | None,
    used: Sequence[models.Observation],
) -> Forecast:
    """The forecast as far as it is known before a time is."""
    return Forecast(
        schema=SCHEMA,
        id=new_id(f"{program}-forecast"),
        created=now_text(),
        program=program,
        parameters=wanted.parameters,
        size=wanted.size,
        layout=ForecastLayout(ranks=wanted.ranks, threads=wanted.threads),
        setting=ForecastSetting(**found.records[-1].setting.named()) if found.records else None,
        repetition=True,
        time_s=None,
        confidence=models.CONFIDENCE,
        phases=(),
        facts=tuple(_facts(found, law, used)),
        fitted_on=FittedOn(points=tuple(map(fitted_point, used)), left_out=tuple(found.left_out)),
        extrapolation=Extrapolation(factor=None, flag="refused", reason="not judged yet"),
        growth=str(law) if law else None,
        score=None,
    )


def _facts(
    found: models.Relevant, law: models.Growth | None, used: Sequence[models.Observation]
) -> list[str]:
    facts = [f"record {name}" for observation in used for name in observation.record_ids]
    if law:
        facts.append(f"growth {law} stated by the user")
    if found.records:
        environment = found.records[-1].environment
        facts += [
            f"cache L{cache.level} {cache.bytes} B of {environment.host}"
            for cache in environment.caches
            if cache.type.lower() != "instruction"
        ]
    return facts


def _of_whole(prediction: models.Prediction) -> list[str]:
    whole = prediction.whole
    return (
        [f"{whole.name}, which tell more than each of them: {whole.fitted} ({whole.reason})"] if whole else []
    )


def _of_cold(prediction: models.Prediction, cold: models.Relevant | None) -> list[str]:
    if not prediction.emptied:
        return []
    return [f"record {record.id} of a run {EMPTIED}" for record in cold.records]


def _sample(sample: models.Observation, records: Sequence[Record]) -> SampleOfRun:
    """What the launches of the wanted size were; parameters are those of the longest."""
    own = [record for record in records if record.id in sample.record_ids]
    longest = max(own, key=lambda record: record.work.amount)
    return SampleOfRun(
        parameters=longest.work.parameters,
        launches=len(own),
        share=min(1.0 / sample.longer, 1.0),
        took_s=sum(record.whole_s or sum(one.wall_s for one in record.repetitions) for record in own),
    )


def _span(estimate: models.Estimate) -> Span:
    return Span(value=estimate.value, low=estimate.low, high=estimate.high)


def _phase(phase: models.PhasePrediction) -> PhaseForecast:
    return PhaseForecast(
        name=phase.name,
        kind=phase.kind,
        time_s=_span(phase.time_s),
        model=phase.model,
        fitted=phase.fitted,
        reason=phase.reason,
        candidates=tuple(
            Candidate(model=name, cross_validation_error=error if math.isfinite(error) else None)
            for name, error in phase.candidates
        ),
    )
