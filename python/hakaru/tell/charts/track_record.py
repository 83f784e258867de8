"""How wrong the forecasts were: error of every scored forecast with its interval."""

from hakaru.base import units
from hakaru.tell import figure
from hakaru.tell.chart_data import ReportData
from hakaru.tell.explain.forecasts import Comparison, distinct_scored

title = "Track record"
order = 70
section = "forecasts"
explanation = (
    "Each point is one forecast that a run has met: how far it was off (above zero: predicted too long) "
    "and the range its interval allowed; open points fell outside, which should happen once in twenty."
)
missing = "hakaru run makes the runs that were foretold, and scores the forecasts"


def draw(data: ReportData) -> str | None:
    scored = distinct_scored(data.forecasts)
    if not scored:
        return None
    track = data.explanation.track_record
    spoken = (
        f"{track.inside} of {track.scored} inside their intervals; "
        f"median error {units.percent(track.median_absolute_error)}"
    )
    return figure.picture("track-record", title, spoken, lambda axes: _paint(axes, scored), 3.2)


def _paint(axes, scored: list[Comparison]) -> None:
    axes.axhline(0.0, color=figure.color("muted"), linewidth=1.2)
    seen = set()
    for index, forecast in enumerate(scored):
        measured = forecast.measured.value
        low, high = (
            100.0 * (end / measured - 1.0) for end in (forecast.predicted.low, forecast.predicted.high)
        )
        error = 100.0 * forecast.error
        name = "inside its interval" if forecast.inside else "outside its interval"
        axes.errorbar(
            [index + 1],
            [error],
            yerr=[[error - low], [high - error]],
            fmt="o" if forecast.inside else "s",
            color=figure.color("blue" if forecast.inside else "vermillion"),
            fillstyle="full" if forecast.inside else "none",
            capsize=3,
            label=None if name in seen else name,
        )
        seen.add(name)
    axes.set_xlim(0.4, len(scored) + 0.6)
    axes.set_xlabel("forecast, oldest first")
    axes.set_ylabel("predicted / measured - 1")
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:+.0f} %" if value else "0")
    figure.count_axis(axes.xaxis)
    figure.legend_below(axes)
