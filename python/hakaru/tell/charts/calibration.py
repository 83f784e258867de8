"""Whether intervals are as wide as they say: the share of forecasts that each level held, over the level."""

from hakaru.facts.forecasts import distinct
from hakaru.facts.forecasts.calibration import Held, calibration
from hakaru.tell import figure
from hakaru.tell.chart_data import ReportData

title = "Calibration"
order = 75
section = "forecasts"
explanation = (
    "How often intervals of each level held what runs usually took, with the 95 % interval of that share. On the diagonal widths are right; "
    "below it intervals are too narrow, above it too wide."
)
missing = "it takes ten scored forecasts: hakaru accuracy --forecasts makes 54"
LEAST = 10


def draw(data: ReportData) -> str | None:
    found = calibration(distinct(data.forecasts))
    if len(found) < 2 or min(one.scored for one in found) < LEAST:
        return None
    spoken = "; ".join(f"{one.level:.0%} intervals held {one.held} of {one.scored}" for one in found)
    return figure.picture("calibration", title, spoken, lambda axes: _paint(axes, found), 3.6)


def _paint(axes, found: list[Held]) -> None:
    axes.plot(
        [0.0, 100.0], [0.0, 100.0], color=figure.color("muted"), linewidth=1.2, label="as wide as they say"
    )
    for number, one in enumerate(found):
        low, high = one.bounds()
        axes.errorbar(
            [100.0 * one.level],
            [100.0 * one.share],
            yerr=[[100.0 * (one.share - low)], [100.0 * (high - one.share)]],
            fmt="o",
            color=figure.color("blue"),
            capsize=3,
            label=None if number else "forecasts",
        )
    axes.set_xlim(40.0, 102.0)
    axes.set_ylim(0.0, 104.0)
    axes.set_xlabel("level of the interval, %")
    axes.set_ylabel("held, %")
    figure.legend_below(axes)
