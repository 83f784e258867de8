"""Forecasts beside the runs they foretold, and how wrong they were on the whole."""

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from statistics import median

from hakaru.facts.records.groups import plain
from hakaru.facts.records.record import layout_name

Span = dict  # {"value", "low", "high"} in s


@dataclass(frozen=True)
class ForecastPhase:
    """Times are means over ranks; with ``other`` and ``wait for others`` they add up to the whole."""

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


def comparisons(forecasts: Iterable[dict]) -> list[Comparison]:
    """Oldest first; refused forecasts foretell nothing and are left out."""
    kept = [forecast for forecast in forecasts if forecast["time_s"]]
    return [_comparison(forecast) for forecast in sorted(kept, key=lambda f: (f["created"], f["id"]))]


def track_record(compared: list[Comparison]) -> TrackRecord:
    """Over all scored forecasts; one that was made again from the same facts counts once."""
    scored = distinct_scored(compared)
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


def distinct_scored(compared: list[Comparison]) -> list[Comparison]:
    """The first scored forecast of each question and set of facts, oldest first."""
    found: dict[str, Comparison] = {}
    for one in compared:
        question = [one.program, one.parameters, one.layout, one.growth, sorted(one.facts)]
        if one.error is not None:
            found.setdefault(json.dumps(question, sort_keys=True), one)
    return list(found.values())


def _comparison(forecast: dict) -> Comparison:
    predicted, measured = forecast["time_s"], _measured(forecast.get("score"))
    layout, extrapolation = forecast["layout"], forecast.get("extrapolation") or {}
    return Comparison(
        forecast["id"],
        forecast["created"],
        forecast["program"],
        _label(forecast),
        forecast["parameters"],
        layout_name(layout["ranks"], layout["threads"]),
        predicted,
        forecast["confidence"],
        measured,
        predicted["value"] / measured["value"] - 1.0 if measured else None,
        predicted["low"] <= measured["value"] <= predicted["high"] if measured else None,
        _phases(forecast),
        extrapolation.get("flag", "ok"),
        extrapolation.get("factor"),
        extrapolation.get("reason") or "",
        forecast.get("growth"),
        [str(fact) for fact in forecast.get("facts", [])],
        forecast["fitted_on"]["points"],
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


def _measured(score: dict | None) -> Span | None:
    if not score:
        return None
    return {key: score["measured"].get(key, score["measured"]["value"]) for key in ("value", "low", "high")}


def _phases(forecast: dict) -> list[ForecastPhase]:
    met = ((forecast.get("score") or {}).get("measured") or {}).get("phases") or {}
    return [
        ForecastPhase(
            phase["name"],
            phase["kind"],
            phase["time_s"],
            met.get(phase["name"]),
            phase.get("fitted") or phase["model"],
        )
        for phase in forecast["phases"]
    ]
