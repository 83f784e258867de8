"""A forecast as a plain dictionary (schema/forecast.schema.json), made from records."""

import math
from collections.abc import Sequence
from typing import Any

from hakaru.base.errors import UserError
from hakaru.facts.records import Record, new_id
from hakaru.facts.records.provenance import now_text
from hakaru.facts.records.record import Environment
from hakaru.facts.work import Work
from hakaru.foretell import models
from hakaru.foretell.models.relevance import Describe

SCHEMA = "hakaru/forecast/1"


def make(
    records: Sequence[Record],
    program: str,
    wanted: Work,
    describe: Describe | None = None,
    growth: str | None = None,
) -> dict[str, Any]:
    """Forecast of one repetition of ``program`` as ``wanted`` says, from records.

    ``describe(parameters) -> Work`` on the wanted layout lets runs with another number of steps serve
    (models.relevant). A forecast that the data cannot carry has the flag ``refused`` and no time. Raises
    UserError for a layout that the program refuses and for a growth law that is not understood.
    """
    if wanted.refused:
        raise UserError(
            f"{program} cannot run so", wanted.refused, "choose other parameters, ranks or threads"
        )
    law = models.parse(growth) if growth else None
    found = models.relevant([record for record in records if record.program == program], wanted, describe)
    return of_observations(found, program, wanted, law)


def of_observations(
    found: models.Relevant, program: str, wanted: Work, law: models.Growth | None
) -> dict[str, Any]:
    """Forecast from records already chosen."""
    target = models.point_of(wanted)
    used = models.chosen_layout(found.observations, target)
    environment = found.records[-1].environment if found.records else Environment()
    result = _frame(found, program, wanted, law, used)
    why = models.refusal(used, target, law, environment.memory_bytes)
    if why:
        left_out = f"; left out: {', '.join(found.left_out)}" if found.left_out else ""
        result["extrapolation"] = {
            "factor": None,
            "size_factor": None,
            "flag": "refused",
            "reason": why + left_out,
        }
        return result
    prediction = models.predict(used, target, found.kinds, law)
    verdict = models.judge(prediction, used, target, law, environment.caches, environment.cpus_online)
    result["time_s"] = _span(prediction.time_s)
    result["phases"] = [_phase(phase) for phase in prediction.phases]
    result["extrapolation"] = {
        "factor": verdict.factor,
        "size_factor": verdict.size_factor,
        "flag": verdict.flag,
        "reason": verdict.reason,
    }
    return result


def _frame(
    found: models.Relevant, program: str, wanted: Work, law: models.Growth | None, used
) -> dict[str, Any]:
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
    return {
        "schema": SCHEMA,
        "id": new_id(f"{program}-forecast"),
        "created": now_text(),
        "program": program,
        "parameters": wanted.parameters,
        "size": wanted.size,
        "layout": {"ranks": wanted.ranks, "threads": wanted.threads},
        "setting": found.records[-1].setting.named() if found.records else None,
        "repetition": True,
        "time_s": None,
        "confidence": models.CONFIDENCE,
        "phases": [],
        "facts": facts,
        "fitted_on": {
            "points": [_point(observation) for observation in used],
            "left_out": list(found.left_out),
        },
        "extrapolation": {},
        "growth": str(law) if law else None,
        "score": None,
    }


def _point(observation: models.Observation) -> dict[str, Any]:
    from statistics import median

    point = observation.point
    return {
        "parameters": dict(point.parameters),
        "size": point.size,
        "ranks": point.ranks,
        "threads": point.threads,
        "value": median(observation.totals()),
        "launches": len(observation.launches),
    }


def _span(estimate: models.Estimate) -> dict[str, float]:
    return {"value": estimate.value, "low": estimate.low, "high": estimate.high}


def _phase(phase: models.PhasePrediction) -> dict[str, Any]:
    return {
        "name": phase.name,
        "kind": phase.kind,
        "time_s": _span(phase.time_s),
        "model": phase.model,
        "fitted": phase.fitted,
        "reason": phase.reason,
        "candidates": [
            {"model": name, "cross_validation_error": error if math.isfinite(error) else None}
            for name, error in phase.candidates
        ],
    }
