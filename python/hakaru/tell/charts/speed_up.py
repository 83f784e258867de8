"""Speed-up and efficiency against the smallest layout, with the ideal line and the machine's bound."""

import math

from hakaru.tell import figure
from hakaru.tell.chart_data import ReportData
from hakaru.tell.charts.phase_bars import shown
from hakaru.tell.explain import CaseResult

title = "Speed-up and efficiency"
order = 20
section = "programs"
explanation = (
    "Points on the dashed line would use every added core fully; the dotted line, where it is near, is the "
    "most this machine allows, from its measured peak and memory bandwidth; whiskers are 95 % intervals."
)
missing = "hakaru run with layouts of different core counts gives speed-ups, where launches agree well enough to tell"

FAR = 2.0
WIDE = 1.5  # upper over lower end of a speed-up's interval
STYLES = {
    "flat MPI": ("blue", "o", -1),
    "MPI + OpenMP": ("vermillion", "s", 1),
    "one core": ("ink", "D", 0),
}


def draw(data: ReportData) -> str | None:
    cases = [case for case in shown(data.explanation.cases) if tells(case)]
    return "".join(_case(case, index) for index, case in enumerate(cases)) or None


def tells(case: CaseResult) -> bool:
    """Two core counts with wide whiskers say nothing that the bars of the layouts do not say better."""
    counts = {layout.cores for layout in case.layouts}
    gains = [layout.scaling.speed_up for layout in case.layouts if layout.cores > min(counts)]
    return len(counts) > 2 or bool(gains) and all(gain.high <= WIDE * gain.low for gain in gains)


def bound(case: CaseResult) -> list[tuple[int, float]]:
    """Largest speed-up possible at each core count: measured time of the reference / shortest time the
    machine allows.
    """
    reference = case.layouts[0].wall.value
    best: dict[int, float] = {}
    for layout in case.layouts:
        if layout.shortest_s:
            best[layout.cores] = max(best.get(layout.cores, 0.0), reference / layout.shortest_s)
    return sorted(best.items())


def _case(case: CaseResult, index: int) -> str:
    text = f"{case.label}: speed-up over {case.layouts[0].scaling.reference}"
    spoken = "; ".join(f"{layout.name} {layout.scaling.speed_up.value:.2f}" for layout in case.layouts)
    name = f"speed-up-{index}"
    return figure.picture(name, text, spoken, lambda top, low: _paint(top, low, case, text), 4.9, panels=2)


def _paint(top, low, case: CaseResult, text: str) -> None:
    reference = case.layouts[0].cores
    cores = sorted({layout.cores for layout in case.layouts})
    limits = bound(case)
    ideal = {"color": figure.color("muted"), "linestyle": "--", "linewidth": 1.2, "label": "ideal"}
    top.plot(cores, [count / reference for count in cores], **ideal)
    low.plot(cores, [1.0] * len(cores), **ideal)
    for style in STYLES:
        _points(top, low, case, style, cores)
    _frame(top, case, "speed_up", cores[-1] / reference, limits)
    _frame(low, case, "efficiency", 1.0, [(count, value * reference / count) for count, value in limits])
    for axes in (top, low):
        figure.count_axis(axes.xaxis)
        axes.margins(x=0.12)
    top.set_ylabel("speed-up")
    low.set_ylabel("efficiency")
    low.yaxis.set_major_formatter(lambda value, _: f"{100 * value:.0f} %")
    low.set_xlabel("cores")
    figure.heading(top, text)
    figure.legend_below(low)


def _points(top, low, case: CaseResult, style: str, cores: list[int]) -> None:
    """Layouts of one style, beside their core count so that none hides another."""
    colour, marker, side = STYLES[style]
    layouts = [layout for layout in case.layouts if layout.style == style]
    if not layouts:
        return
    shift = 0.02 * side * (cores[-1] - cores[0])
    look = {"color": figure.color(colour), "fmt": marker, "capsize": 3, "elinewidth": 1.2, "label": style}
    taken = {"marker": marker, "markersize": 9, "linestyle": "none", "fillstyle": "none"}
    for axes, pick in ((top, "speed_up"), (low, "efficiency")):
        spans = [getattr(layout.scaling, pick) for layout in layouts]
        whiskers = [[s.value - s.low for s in spans], [s.high - s.value for s in spans]]
        places = [layout.cores + shift for layout in layouts]
        axes.errorbar(places, [s.value for s in spans], yerr=whiskers, **look)
        for place, span, layout in zip(places, spans, layouts, strict=True):
            if layout.oversubscribed:
                axes.plot([place], [span.value], color=figure.color("ink"), label="oversubscribed", **taken)


def _frame(axes, case: CaseResult, pick: str, ideal: float, limits: list[tuple[int, float]]) -> None:
    """From zero to the data, the ideal and the bound; a bound far above both says nothing and is left out."""
    spans = [getattr(layout.scaling, pick).high for layout in case.layouts]
    most = max([ideal, *(high for high in spans if math.isfinite(high))])
    top = max((value for _, value in limits), default=0.0)
    if limits and top <= FAR * most:
        look = {
            "color": figure.color("ink"),
            "linestyle": ":",
            "linewidth": 1.6,
            "label": "bound of this machine",
        }
        axes.plot([count for count, _ in limits], [value for _, value in limits], **look)
        most = max(most, top)
    axes.set_ylim(0.0, 1.15 * most)
