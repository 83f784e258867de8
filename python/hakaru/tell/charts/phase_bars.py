"""Where the time goes, layout by layout: flat MPI and MPI + OpenMP side by side."""

from hakaru.base import units
from hakaru.facts.records.record import OTHER, WAIT
from hakaru.tell import figure
from hakaru.tell.chart_data import ReportData
from hakaru.tell.explain import CaseResult

title = "Where the time goes"
order = 10
section = "programs"
explanation = (
    "Each bar is the wall time of one layout, cut into its phases (mean over ranks); blue and green "
    "phases compute, orange and red ones communicate, grey is waiting, and the whisker is the 95 % "
    "interval."
)
missing = "hakaru run measures programs on several layouts"

SHADES = {
    "compute": ("blue", "sky", "green", "purple"),
    "communicate": ("vermillion", "orange"),
    "io": ("yellow",),
    "idle": ("grey",),
}
SMALL = 0.015
MOST_CASES = 3


def draw(data: ReportData) -> str | None:
    pictures = [_case(case, index) for index, case in enumerate(shown(data.explanation.cases))]
    return "".join(pictures) or None


def shown(cases: list[CaseResult]) -> list[CaseResult]:
    """The longest cases of each program, those with most layouts first; the tables hold all."""
    result = []
    for program in dict.fromkeys(case.program for case in cases):
        same = [case for case in cases if case.program == program]
        same.sort(key=lambda case: (len(case.layouts) > 1, case.best.wall.value), reverse=True)
        result += same[:MOST_CASES]
    return result


def shades(case: CaseResult) -> dict[str, tuple[str, bool]]:
    """Colour and hatch of each phase: a family of colours for each kind, hatched when it is used up."""
    used = dict.fromkeys(SHADES, 0)
    result = {OTHER: ("pale", False), WAIT: ("grey", True)}
    for layout in case.layouts:
        for phase in layout.phases:
            if phase.name not in result:
                family = SHADES.get(phase.kind, SHADES["compute"])
                turn = used[phase.kind] if phase.kind in used else 0
                result[phase.name] = (family[turn % len(family)], turn >= len(family))
                used[phase.kind] = turn + 1
    return result


def _case(case: CaseResult, index: int) -> str:
    layouts = case.layouts
    text = f"{case.label}: wall time by layout"
    spoken = "; ".join(f"{layout.name} {units.seconds(layout.wall.value)}" for layout in layouts)
    height = 1.55 + 0.46 * len(layouts)
    name = f"phase-bars-{index}"
    return figure.picture(name, text, spoken, lambda axes: _paint(axes, case, text), height)


def _paint(axes, case: CaseResult, text: str) -> None:
    colours = shades(case)
    rows = range(len(case.layouts))
    lefts = [0.0] * len(case.layouts)
    names = list(dict.fromkeys(phase.name for layout in case.layouts for phase in layout.phases))
    times = {n: [_mean_s(layout, n) for layout in case.layouts] for n in names}
    small = [
        n
        for n in names
        if all(t < SMALL * la.wall.value for t, la in zip(times[n], case.layouts, strict=True))
    ]
    for name in [n for n in names if n not in small]:
        colour, hatched = colours[name]
        _bar(axes, rows, times[name], lefts, colour, hatched, name)
        lefts = [left + time for left, time in zip(lefts, times[name], strict=True)]
    if small:
        rest = [sum(times[n][row] for n in small) for row in rows]
        _bar(
            axes,
            rows,
            rest,
            lefts,
            "pale",
            True,
            f"{units.count(len(small), 'phase')} below {units.percent(SMALL)}",
        )
    for row, layout in enumerate(case.layouts):
        wall = layout.wall
        whisker = figure.error_bar(wall.low, wall.value, wall.high)
        axes.errorbar(
            [wall.value],
            [row],
            xerr=whisker,
            fmt="none",
            ecolor=figure.color("ink"),
            capsize=3,
            elinewidth=1.2,
        )
        mark = " oversubscribed" if layout.oversubscribed else ""
        text_look = {"xytext": (7, 0), "textcoords": "offset points", "va": "center", "fontsize": 9}
        axes.annotate(f"{units.seconds(wall.value)}{mark}", (wall.high, row), **text_look)
    axes.set_yticks(rows, [f"{layout.name}\n{layout.style}" for layout in case.layouts])
    axes.set_ylim(
        max(0.6, 1.1 - 0.25 * len(case.layouts)) + len(case.layouts) - 1,
        -max(0.6, 1.1 - 0.25 * len(case.layouts)),
    )
    axes.set_xlim(0.0, 1.24 * max(layout.wall.high for layout in case.layouts))
    axes.grid(visible=False, axis="y")
    axes.tick_params(axis="y", length=0)
    axes.xaxis.set_major_locator(_few_ticks())
    figure.time_axis(axes.xaxis)
    figure.heading(axes, text)
    figure.legend_below(axes)


def _few_ticks():
    from matplotlib.ticker import MaxNLocator

    return MaxNLocator(5)


def _mean_s(layout, name: str) -> float:
    return next((phase.mean_s for phase in layout.phases if phase.name == name), 0.0)


def _bar(axes, rows, widths, lefts, colour: str, hatched: bool, name: str) -> None:
    axes.barh(
        rows,
        widths,
        left=lefts,
        height=0.62,
        color=figure.color(colour),
        edgecolor=figure.color("paper"),
        linewidth=0.8,
        hatch="////" if hatched else None,
        label=name,
    )
