"""Forecasts beside the runs they foretold, and how wrong they were on the whole."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from hakaru.facts.forecasts import Forecast, Span, distinct
from hakaru.facts.forecasts.forecast import CurvePoint, FittedPoint, Measured
from hakaru.facts.records.groups import plain
from hakaru.facts.records.record import layout_name


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
    size: float
    layout: str
    predicted: Span
    usual: Span | None
    sentence: str
    confidence: float
    measured: Measured | None
    error: float | None
    inside: bool | None
    phases: list[ForecastPhase]
    flag: str
    factor: float | None
    reason: str
    statements: list[str]
    facts: list[str] = field(default_factory=list)
    fitted_on: list[FittedPoint] = field(default_factory=list)
    curve: tuple[CurvePoint, ...] = ()


def comparisons(forecasts: Iterable[Forecast]) -> list[Comparison]:
    """Oldest first; refused forecasts foretell nothing and are left out."""
    kept = [forecast for forecast in forecasts if not forecast.refused]
    return [_comparison(forecast) for forecast in sorted(kept, key=lambda one: (one.created, one.id))]


def distinct_scored(forecasts: Iterable[Forecast]) -> list[Comparison]:
    """Of each question the first that a run has met, oldest first."""
    return [one for one in comparisons(distinct(forecasts)) if one.measured]


def _comparison(forecast: Forecast) -> Comparison:
    score, reach = forecast.score, forecast.extrapolation
    return Comparison(
        forecast.id,
        forecast.created,
        forecast.program,
        _label(forecast),
        forecast.parameters,
        forecast.size,
        layout_name(forecast.layout.ranks, forecast.layout.threads),
        forecast.time_s,
        forecast.usual_s or None,
        forecast.sentence,
        forecast.confidence,
        score.measured if score else None,
        score.error if score else None,
        score.inside if score else None,
        _phases(forecast),
        reach.flag,
        reach.factor,
        reach.reason,
        forecast.statements(),
        list(forecast.facts),
        list(forecast.fitted_on.points),
        forecast.whole_curve,
    )


def _label(forecast: Forecast) -> str:
    """The program and the parameters in which the forecast leaves the runs it was fitted on; without any, its id."""
    points = [point.parameters for point in forecast.fitted_on.points]
    new = [
        name
        for name, value in forecast.parameters.items()
        if not points or any(point.get(name) != value for point in points)
    ]
    text = ", ".join(f"{name}={plain(forecast.parameters[name])}" for name in new[:3])
    return f"{forecast.program} {text}".strip()


def _phases(forecast: Forecast) -> list[ForecastPhase]:
    met = forecast.score.measured.phases if forecast.score else {}
    return [
        ForecastPhase(phase.name, phase.kind, phase.time_s, met.get(phase.name), phase.fitted or phase.model)
        for phase in forecast.phases
    ]
