"""Speed against two facts of a machine as a map (a page of ``hakaru replay --sweep``, no part of the report)."""

import math

from hakaru.base import units
from hakaru.foretell.replay.documents import Sweep
from hakaru.foretell.replay.documents.answer import Axis
from hakaru.tell import figure
from hakaru.tell.charts._axes import shown_value

title = "Speed by two facts"
explanation = (
    "Each field is one replay: its number is the speed against the machine as it is, darker is faster; a ring marks the field nearest to "
    "the machine's own values. Fields that were not replayed are empty."
)
MOST_LABELLED = 15
_DARK_FROM = 0.55


def draw(sweep: Sweep) -> str | None:
    """Inline SVG of a grid: across the first fact, upward the second; None without points."""
    speeds = {point.values: point.speed for point in sweep.points if point.speed is not None}
    if len(speeds) < 2:
        return None
    best = max(speeds, key=speeds.__getitem__)
    where = ", ".join(
        f"{axis.fact} {shown_value(axis, value)}" for axis, value in zip(sweep.axes, best, strict=True)
    )
    spoken = (
        f"fastest: {units.digits(speeds[best])} at {where}; slowest: {units.digits(min(speeds.values()))}"
    )
    height = 1.6 + 0.34 * len(sweep.axes[1].values)
    return figure.picture(
        "sweep-map",
        title,
        spoken,
        lambda axes: _paint(axes, sweep, speeds),
        min(max(height, 3.4), 9.0),
        width_inch=6.6,
    )


def _paint(axes, sweep: Sweep, speeds: dict[tuple, float]) -> None:
    from matplotlib.patches import Rectangle

    across, upward = sweep.axes
    figure.heading(axes, f"Speed by {across.fact} and {upward.fact}")
    low, high = min(speeds.values()), max(speeds.values())
    labelled = len(across.values) <= MOST_LABELLED
    for column, x in enumerate(across.values):
        for row, y in enumerate(upward.values):
            speed = speeds.get((x, y))
            if speed is None:
                continue
            share = math.log(speed / low) / math.log(high / low) if high > low else 0.0
            fill = figure.RAMP[round(share * (len(figure.RAMP) - 1))]
            axes.add_patch(Rectangle((column - 0.5, row - 0.5), 1.0, 1.0, facecolor=fill, edgecolor="none"))
            if labelled:
                ink = "#ffffff" if share >= _DARK_FROM else "#16181a"
                axes.text(column, row, units.digits(speed), ha="center", va="center", fontsize=8.5, color=ink)
    _mark(axes, across, upward)
    for axis, values, spec, limits in (
        (axes.xaxis, across.values, across, axes.set_xlim),
        (axes.yaxis, upward.values, upward, axes.set_ylim),
    ):
        step = max(1, -(-len(values) // 10))
        axis.set_ticks(range(0, len(values), step), [shown_value(spec, value) for value in values[::step]])
        limits(-0.5, len(values) - 0.5)
    axes.tick_params(axis="x", rotation=40)
    axes.grid(False)
    axes.set_xlabel(across.fact)
    axes.set_ylabel(upward.fact)


def _mark(axes, across: Axis, upward: Axis) -> None:
    """A ring around the field nearest to the machine as it is, when it lies within the map."""
    place = []
    for axis in (across, upward):
        if axis.base is None or not axis.values[0] <= axis.base <= axis.values[-1]:
            return
        place.append(_nearest(axis))
    axes.plot(
        *place,
        marker="o",
        markersize=20,
        markerfacecolor="none",
        markeredgecolor=figure.color("vermillion"),
        markeredgewidth=1.6,
    )


def _nearest(axis: Axis) -> int:
    """Index of the value nearest to the machine's own, in the logarithm where the axis is so."""
    scale = math.log if axis.logarithmic else float
    return min(range(len(axis.values)), key=lambda i: abs(scale(axis.values[i]) - scale(axis.base)))
