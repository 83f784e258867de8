"""Time over size: what was measured, what runs of each size usually take and what any one of them may take, and the run that was made."""

from hakaru.base import units
from hakaru.facts.forecasts import Span
from hakaru.facts.records.record import layout_name
from hakaru.tell import figure
from hakaru.tell.chart_data import ReportData
from hakaru.tell.explain.forecasts import Comparison

title = "How long a larger run takes"
order = 5
section = "forecasts"
explanation = (
    "Points are measured sizes, medians over launches; the line is what runs usually take, the dark band and bar its 95 % interval, "
    "the pale ones what any one run may take, and the diamond the run that was made, filled when the pale bar holds it."
)
missing = "hakaru predict makes a forecast from runs of three sizes or more"

MOST = 6
LEAST = 1e-3  # of the foretold time: where an interval that reaches down to nothing ends


def draw(data: ReportData) -> str | None:
    """Of each program and layout the latest forecast that a run has met, or the latest."""
    latest: dict[tuple, Comparison] = {}
    for one in data.explanation.forecasts:
        known = latest.get((one.program, one.layout))
        if len(_points(one)) > 1 and (one.measured or not (known and known.measured)):
            latest[one.program, one.layout] = one
    chosen = list(latest.values())[-MOST:]
    return "".join(_picture(one, index) for index, one in enumerate(chosen)) or None


def _points(one: Comparison) -> list[tuple[float, float]]:
    """(size, s) of the forecast's own layout."""
    return sorted(
        (point.size, point.value)
        for point in one.fitted_on
        if point.size and point.value > 0.0 and layout_name(point.ranks, point.threads) == one.layout
    )


def _picture(one: Comparison, index: int) -> str:
    text = f"{one.label} on {one.layout}"
    return figure.picture(
        f"time-over-size-{index}", text, f"{text}: {one.sentence}", lambda axes: _paint(axes, one, text)
    )


def _paint(axes, one: Comparison, text: str) -> None:
    points = _points(one)
    axes.set_xscale("log")
    axes.set_yscale("log")
    _band(axes, one, one.predicted, "sky", 11.0, "any one run")
    if one.usual:
        _band(axes, one, one.usual, "blue", 5.0, "usually")
    _paint_curve(axes, one)
    axes.plot(
        *zip(*points, strict=True), color=figure.color("ink"), marker="o", linestyle="none", label="measured"
    )
    axes.plot(
        [one.size],
        [one.predicted.value],
        color=figure.color("ink"),
        marker="_",
        markersize=16,
        linestyle="none",
    )
    if one.measured:
        axes.plot(
            [one.size],
            [one.measured.value],
            marker="D",
            linestyle="none",
            color=figure.color("vermillion"),
            fillstyle="full" if one.inside else "none",
            markeredgewidth=1.6,
            label="the run",
        )
    _smaller_tips(axes, one, dict(points))
    figure.tip(axes, one.size, one.predicted.value, f"N = {one.size:g}: {one.sentence}")
    if one.measured:
        took_s = one.measured.value
        figure.tip(axes, one.size, took_s, f"N = {one.size:g}: the run took {units.seconds(took_s)}")
    sizes = [size for size, _ in points] + [one.size]
    axes.set_xlim(0.88 * min(sizes), 1.14 * max(sizes))
    axes.set_xticks(sizes, [f"{size:.4g}" if _is_apart(size, sizes) else "" for size in sizes])
    axes.minorticks_off()
    axes.set_xlabel("size N")
    axes.set_ylabel("time of a repetition")
    figure.log_ticks(axes.yaxis)
    figure.time_axis(axes.yaxis)
    figure.heading(axes, text)
    figure.legend_below(axes)


def _paint_curve(axes, one: Comparison) -> None:
    if not one.curve:
        return
    sizes = [at.size for at in one.curve]
    for color, alpha, spans in (
        ("sky", 0.4, [at.time_s for at in one.curve]),
        ("blue", 0.6, [at.usual_s for at in one.curve]),
    ):
        lows = [max(span.low, LEAST * span.value) for span in spans]
        axes.fill_between(
            sizes, lows, [span.high for span in spans], color=figure.color(color), alpha=alpha, linewidth=0
        )
    usual_s = [at.usual_s.value for at in one.curve]
    axes.plot(sizes, usual_s, color=figure.color("ink"), linewidth=1.0)


def _smaller_tips(axes, one: Comparison, measured: dict[float, float]) -> None:
    usual = {at.size: at.usual_s for at in one.curve[:-1]}
    for size in sorted(measured.keys() | usual.keys()):
        said = [f"{units.seconds(measured[size])} measured"] if size in measured else []
        said += [f"usually {units.seconds_interval(usual[size])}"] if size in usual else []
        time_s = measured[size] if size in measured else usual[size].value
        figure.tip(axes, size, time_s, f"N = {size:g}: {', '.join(said)}")


def _is_apart(size: float, sizes: list[float]) -> bool:
    """Whether the name of a size has room beside those of larger ones."""
    return all(other <= size or other / size > 1.12 for other in sizes)


def _band(axes, one: Comparison, span: Span, color: str, width: float, label: str) -> None:
    low = max(span.low, LEAST * one.predicted.value)
    spoken = f"{label}, {units.seconds_range(span.low, span.high)}"
    axes.plot(
        [one.size] * 2,
        [low, span.high],
        color=figure.color(color),
        linewidth=width,
        solid_capstyle="butt",
        label=spoken,
    )
