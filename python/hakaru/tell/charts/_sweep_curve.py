"""Speed against one fact of a machine (a page of ``hakaru replay --sweep``, no part of the report)."""

from hakaru.base import units
from hakaru.foretell.replay.documents import Sweep
from hakaru.foretell.replay.documents.answer import Axis, SweptPoint
from hakaru.tell import figure
from hakaru.tell.charts._axes import fact_axis, shown_value

title = "Speed by one fact"
explanation = (
    "Speed against the machine as it is (dotted lines: its value and speed 1); the dashed line is the bound: the same run when messages "
    "cost nothing."
)


def draw(sweep: Sweep) -> str | None:
    """Inline SVG of a sweep over one fact; None without points."""
    points = [point for point in sweep.points if point.speed is not None]
    if len(points) < 2:
        return None
    axis = sweep.axes[0]
    first, last = points[0], points[-1]
    spoken = "; ".join(
        f"speed {units.digits(point.speed)} at {shown_value(axis, point.values[0])}"
        for point in (first, last)
    )
    return figure.picture("sweep-curve", title, spoken, lambda axes: _paint(axes, axis, points, sweep), 3.6)


def _paint(axes, axis: Axis, points: list[SweptPoint], sweep: Sweep) -> None:
    figure.heading(axes, f"Speed by {axis.fact}")
    axes.plot(
        [point.values[0] for point in points],
        [point.speed for point in points],
        color=figure.color("blue"),
        marker="o",
        label="replayed",
    )
    axes.axhline(1.0, color=figure.color("muted"), linestyle=":", linewidth=1.0)
    if axis.base is not None and points[0].values[0] <= axis.base <= points[-1].values[0]:
        axes.axvline(
            axis.base,
            color=figure.color("muted"),
            linestyle=":",
            linewidth=1.0,
            label="the machine as it is",
        )
    if sweep.bound:
        axes.axhline(
            sweep.bound,
            color=figure.color("vermillion"),
            linestyle="--",
            linewidth=1.2,
            label="bound: messages cost nothing",
        )
    axes.set_ylim(bottom=0.0)
    axes.set_ylabel("speed, 1: the machine as it is")
    axes.set_xlabel(axis.fact)
    fact_axis(axes, axes.xaxis, axis)
    figure.number_axis(axes.yaxis)
    figure.legend_below(axes, columns=2)
