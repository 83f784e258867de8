"""Forecast against measurement, with intervals, and phase by phase where a run has met the forecast."""

from hakaru.base import units
from hakaru.facts.forecasts import Span
from hakaru.tell import figure
from hakaru.tell.chart_data import ReportData
from hakaru.tell.explain.forecasts import Comparison

title = "Forecast against measurement"
order = 60
section = "forecasts"
explanation = (
    "The pale bar is where any one run was predicted to fall, the dark one what runs usually take, and the tick the "
    "predicted time; a diamond is the measured time, filled when it fell inside the pale bar."
)
missing = "hakaru predict makes a forecast, and hakaru run checks it"

MOST = 12


def draw(data: ReportData) -> str | None:
    latest = data.explanation.forecasts[-MOST:]
    if not latest:
        return None
    spoken = "; ".join(_words(forecast) for forecast in latest)
    height = 1.35 + 0.42 * len(latest)
    whole = figure.picture("forecasts", title, spoken, lambda axes: _paint(axes, latest), height)
    checked = [f for f in latest if any(phase.measured_s is not None for phase in f.phases)]
    return whole + (_phases(checked[-1]) if checked else "")


def _words(forecast: Comparison) -> str:
    text = f"{forecast.label} on {forecast.layout}: {units.seconds(forecast.predicted.value)} predicted"
    return text + (f", {units.seconds(forecast.measured.value)} measured" if forecast.measured else "")


def _paint(axes, forecasts: list[Comparison]) -> None:
    names = [f"{figure.fold(forecast.label)}\n{forecast.layout}" for forecast in forecasts]
    measured = [f.measured and f.measured.value for f in forecasts]
    _rows(axes, names, [f.predicted for f in forecasts], measured, [f.usual for f in forecasts])
    for row, forecast in enumerate(forecasts):
        figure.tip(axes, forecast.predicted.value, row, f"{forecast.label}: {forecast.sentence}")
        if forecast.measured:
            took_s = forecast.measured.value
            figure.tip(axes, took_s, row, f"{forecast.label}: the run took {units.seconds(took_s)}")
    axes.set_xlabel("time")


def _phases(forecast: Comparison) -> str:
    text = f"{forecast.label} on {forecast.layout}: phase by phase"
    parts = [phase for phase in forecast.phases if phase.predicted.value > 0]

    def paint(axes) -> None:
        _rows(
            axes,
            [figure.fold(part.name) for part in parts],
            [p.predicted for p in parts],
            [p.measured_s for p in parts],
        )
        figure.heading(axes, text)
        axes.set_xlabel("time, mean over ranks")

    return figure.picture("forecast-phases", text, _words(forecast), paint, 1.35 + 0.36 * len(parts))


def _rows(
    axes,
    names: list[str],
    predicted: list[Span],
    measured: list[float | None],
    usual: list[Span | None] | None = None,
) -> None:
    axes.set_xscale("log")
    for row, (span, actual) in enumerate(zip(predicted, measured, strict=True)):
        _bar(axes, row, span, "sky", "any one run" if row == 0 else None)
        if usual and usual[row]:
            label = None if any(usual[:row]) else "usually"
            _bar(axes, row, usual[row], "blue", label, height=0.14)
        axes.plot([span.value] * 2, [row - 0.26, row + 0.26], color=figure.color("blue"), linewidth=2.4)
        if actual:
            inside = span.low <= actual <= span.high
            axes.plot(
                [actual],
                [row],
                marker="D",
                linestyle="none",
                color=figure.color("vermillion"),
                fillstyle="full" if inside else "none",
                markeredgewidth=1.6,
                label="measured, inside" if inside else "measured, outside",
            )
    values = [v for s in predicted for v in (max(s.low, 1e-3 * s.value, 1e-6 * s.high), s.high)] + [
        m for m in measured if m
    ]
    axes.set_xlim(0.7 * min(values), 1.4 * max(values))
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.grid(visible=False, axis="y")
    figure.log_ticks(axes.xaxis)
    figure.time_axis(axes.xaxis)
    figure.legend_below(axes)


def _bar(axes, row: int, span: Span, color: str, label: str | None, height: float = 0.34) -> None:
    low = max(span.low, 1e-3 * span.value, 1e-6 * span.high)
    axes.barh(row, span.high - low, left=low, height=height, color=figure.color(color), label=label)
