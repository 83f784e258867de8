"""Forecasts beside the runs that met them, and how wrong forecasts were on the whole."""

from collections.abc import Sequence
from statistics import median
from typing import Any

from msgspec import UNSET

from hakaru.base.statistics import median_interval
from hakaru.facts.forecasts import Forecast, ForecastStore, Score, distinct
from hakaru.facts.forecasts.forecast import SCORE_SCHEMA, Measured
from hakaru.facts.records import Record
from hakaru.facts.records.provenance import now_text
from hakaru.foretell.models import launch_phases, sound


def score(forecast: Forecast, records: Sequence[Record]) -> Score | None:
    """Score of a forecast against all sound runs that met it: error = predicted / measured - 1; None when no run did."""
    met = sorted((record for record in records if forecast.is_met_by(record)), key=lambda record: record.id)
    if not met:
        return None
    launches = [launch_phases(record) for record in met]
    each_s = [sum(launch.values()) for launch in launches]
    wall = median_interval(each_s)
    alone_s = median([sum(launch_phases(record, left_alone=True).values()) for record in met])
    return Score(
        schema=SCORE_SCHEMA,
        forecast=forecast.id,
        scored=now_text(),
        measured=Measured(
            value=wall.value,
            low=wall.low,
            high=wall.high,
            launches=wall.count,
            phases={name: median([launch.get(name, 0.0) for launch in launches]) for name in launches[0]},
            left_alone_s=alone_s,
        ),
        error=forecast.time_s.value / wall.value - 1.0,
        inside=forecast.time_s.holds(wall.value),
        record_ids=tuple(record.id for record in met),
        usual_inside=forecast.usual_s.holds(alone_s) if forecast.usual_s else UNSET,
        runs_inside=sum(map(forecast.time_s.holds, each_s)),
    )


def score_all(store: ForecastStore, records: Sequence[Record]) -> list[Score]:
    """Scores every forecast that runs have met since it was last scored; returns the new scores."""
    fresh = []
    by_setting: dict[tuple, list[Record]] = {}
    for record in records:
        by_setting.setdefault((record.program, record.setting), []).append(record)
    usable = [record for group in by_setting.values() for record in sound(group)[0]]
    for forecast in store.all():
        found = score(forecast, usable)
        if found and (forecast.score is None or set(found.record_ids) != set(forecast.score.record_ids)):
            store.write_score(found)
            fresh.append(found)
    return fresh


def track_record(store: ForecastStore) -> dict[str, Any]:
    """Distribution of the errors of all scored forecasts, and how often the interval held with a 95 % interval on that rate.

    A forecast made again from the same facts counts once (the first). The interval on the rate is Clopper and Pearson's (1934).
    """
    forecasts = store.all()
    different = distinct(forecasts)
    scored = [forecast for forecast in different if forecast.score]
    flags = sorted({forecast.extrapolation.flag for forecast in scored})
    return {
        "forecasts": len(forecasts),
        "distinct": len(different),
        **_summary(scored),
        "by_flag": {
            flag: _summary([one for one in scored if one.extrapolation.flag == flag]) for flag in flags
        },
        "entries": [_entry(forecast) for forecast in scored],
        "damaged": [{"file": str(path), "reason": reason} for path, reason in store.damaged],
    }


def _summary(scored: Sequence[Forecast]) -> dict[str, Any]:
    if not scored:
        return {"scored": 0, "error": None, "inside": None}
    import numpy as np
    from scipy.stats import binomtest

    errors = [forecast.score.error for forecast in scored]
    lower, middle, upper = (float(value) for value in np.quantile(errors, [0.25, 0.5, 0.75]))
    held = sum(forecast.score.inside for forecast in scored)
    rate = binomtest(held, len(scored)).proportion_ci(confidence_level=0.95, method="exact")
    return {
        "scored": len(scored),
        "error": {
            "median": middle,
            "lower_quartile": lower,
            "upper_quartile": upper,
            "worst": max(errors, key=abs),
            "median_absolute": median([abs(error) for error in errors]),
        },
        "inside": {
            "count": held,
            "rate": held / len(scored),
            "low": float(rate.low),
            "high": float(rate.high),
            "promised": min(forecast.confidence for forecast in scored),
        },
    }


def _entry(forecast: Forecast) -> dict[str, Any]:
    return {
        "id": forecast.id,
        "program": forecast.program,
        "parameters": forecast.parameters,
        "size": forecast.size,
        "layout": forecast.layout.as_dict(),
        "flag": forecast.extrapolation.flag,
        "predicted": forecast.time_s.as_dict(),
        "measured": forecast.score.measured.as_dict(),
        "error": forecast.score.error,
        "inside": forecast.score.inside,
    }
