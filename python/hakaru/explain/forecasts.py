"""Forecasts beside the runs they foretold, and how wrong they were on the whole."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from hakaru.explain.launches import Group, is_sample, launch_value, layout_name, plain, rank_times
from hakaru.statistics import median, median_interval

Span = dict  # {"value", "low", "high"} in s


@dataclass(frozen=True)
class ForecastPhase:
    name: str
    kind: str
    predicted: Span
    measured_s: float | None
    model: str


@dataclass(frozen=True)
class Comparison:
    """One forecast; ``error`` = predicted / measured - 1 and ``inside`` are None until a run has met it."""

    id: str
    created: str
    program: str
    label: str
    parameters: dict
    layout: str
    predicted: Span
    confidence: float
    measured: Span | None
    error: float | None
    inside: bool | None
    phases: list[ForecastPhase]
    flag: str
    factor: float | None
    reason: str
    growth: str | None
    facts: list[str] = field(default_factory=list)
    fitted_on: list[dict] = field(default_factory=list)


@dataclass(frozen=True)
class TrackRecord:
    """All scored forecasts: median of |error|, the worst, and how often the interval held."""

    scored: int
    inside: int
    median_absolute_error: float | None
    worst_error: float | None
    confidence: float | None


def comparisons(forecasts: Iterable[dict], records: Iterable[dict]) -> list[Comparison]:
    """Oldest first. Phase times of the run come from the records that the score names, where they are at
    hand.
    """
    by_id = {record["id"]: record for record in records}
    return [
        _comparison(forecast, by_id)
        for forecast in sorted(forecasts, key=lambda f: (f.get("created", ""), f["id"]))
    ]


def track_record(compared: list[Comparison]) -> TrackRecord:
    scored = [comparison for comparison in compared if comparison.error is not None]
    if not scored:
        return TrackRecord(0, 0, None, None, None)
    errors = [comparison.error for comparison in scored]
    return TrackRecord(
        len(scored),
        sum(bool(comparison.inside) for comparison in scored),
        median([abs(error) for error in errors]),
        max(errors, key=abs),
        min(comparison.confidence for comparison in scored),
    )


def _comparison(forecast: dict, by_id: dict[str, dict]) -> Comparison:
    predicted = forecast["time_s"]
    runs = [r for r in map(by_id.get, _record_ids(forecast.get("score"))) if r and is_sample(r)]
    measured = _measured(forecast.get("score"), runs)
    error = predicted["value"] / measured["value"] - 1.0 if measured else None
    inside = predicted["low"] <= measured["value"] <= predicted["high"] if measured else None
    layout = forecast.get("layout", {})
    extrapolation = forecast.get("extrapolation") or {}
    parameters = forecast.get("parameters", {})
    return Comparison(
        forecast["id"],
        forecast.get("created", ""),
        forecast["program"],
        _label(forecast),
        parameters,
        layout_name(layout.get("ranks", 1), layout.get("threads", 1)),
        predicted,
        forecast.get("confidence", 0.95),
        measured,
        error,
        inside,
        _phases(forecast, runs),
        extrapolation.get("flag", "ok"),
        extrapolation.get("factor"),
        extrapolation.get("reason") or "",
        forecast.get("growth"),
        [str(fact) for fact in forecast.get("facts", [])],
        (forecast.get("fitted_on") or {}).get("points", []),
    )


def _label(forecast: dict) -> str:
    """The program and the parameters in which the forecast leaves the runs it was fitted on; without any,
    its id.
    """
    points = [p.get("parameters", {}) for p in (forecast.get("fitted_on") or {}).get("points", [])]
    parameters = forecast.get("parameters", {})
    new = [
        name
        for name, value in parameters.items()
        if not points or any(point.get(name) != value for point in points)
    ]
    text = ", ".join(f"{name}={plain(parameters[name])}" for name in new[:3])
    return f"{forecast['program']} {text}".strip()


def _record_ids(score: dict | None) -> list[str]:
    for key in ("record_ids", "record ids", "records"):
        if score and key in score:
            return list(score[key])
    return []


def _measured(score: dict | None, runs: list[dict]) -> Span | None:
    """What the score says, else the median over the launches it names."""
    measured = (score or {}).get("measured")
    if isinstance(measured, dict):
        measured = measured.get("time_s", measured)
    if isinstance(measured, dict) and "value" in measured:
        value = measured["value"]
        return {"value": value, "low": measured.get("low", value), "high": measured.get("high", value)}
    if isinstance(measured, int | float):
        return {"value": measured, "low": measured, "high": measured}
    if not runs:
        return None
    wall = median_interval([launch_value(record, lambda repetition: repetition["wall_s"]) for record in runs])
    return {"value": wall.value, "low": wall.low, "high": wall.high}


def _phases(forecast: dict, runs: list[dict]) -> list[ForecastPhase]:
    result = []
    group = Group(runs[0]["layout"]["ranks"], runs[0]["layout"]["threads"], runs) if runs else None
    for phase in forecast.get("phases", []):
        measured_s = None
        if group and phase["name"] in group.phase_kinds:
            measured_s = group.middle(lambda r, name=phase["name"]: max(rank_times(r, name)))
        result.append(
            ForecastPhase(
                phase["name"],
                phase.get("kind", "compute"),
                phase["time_s"],
                measured_s,
                phase.get("model", ""),
            )
        )
    return result
