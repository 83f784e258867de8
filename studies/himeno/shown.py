"""The page of the study: conclusions asked of every column, and speeds."""

from collections.abc import Mapping

from hakaru.base import units
from hakaru.base.errors import UserError
from hakaru.studies.conclusions import FAILS, HOLDS, LITTLE, OPEN
from hakaru.studies.result import Section
from hakaru.tell import figure

from . import rules
from .columns import Column
from .variants import OPENMP, SCALAR

SHORT = {HOLDS: "yes", FAILS: "no", OPEN: "open"}
DRAWN = ("M9000", "Core i7 940, intel")  # published columns of the picture


def rules_section(own: list[Column], stated: list[Column]) -> Section:
    section = Section(
        "What the publication concludes, and whether it holds",
        [
            f"Ratios of speeds, ours first, then the publication's own tables; a difference of less than {100 * (LITTLE - 1):.0f} % is little. Of ours "
            "medians over rounds; open: the 95 % interval reaches over the bound. Empty: the table lacks what is asked.",
            *(f"{rule.name.capitalize()}: {rule.words}" for rule in rules.RULES),
        ],
        columns=["machine and compiler", "cores", *(rule.name for rule in rules.RULES)],
    )
    for column in (*own, *stated):
        cells = []
        for rule in rules.RULES:
            value = rules.found(rule, column)
            told = "" if value is None else f"{value.value:.2f} {SHORT[rule.bounds.verdict(value)]}"
            cells.append(told)
        section.lines.append([column.name, str(column.cores), *cells])
    return section


def speeds_section(own: list[Column], stated: list[Column]) -> Section:
    """Every mode and size that we ran, beside the fastest published one."""
    section = Section(
        "Speeds",
        [
            "By the benchmark's count of 34 operations a point and iteration; medians over rounds. Copies: one of them while all run. "
            "Published: the fastest of all tables, and where."
        ],
        columns=["mode", "size", *(column.name for column in own), "fastest published"],
    )
    middles = [column.middle for column in own]
    cases = dict.fromkeys(case for middle in middles for case in middle)
    for case in cases:
        beside = {one.name: one.rounds[0][case] for one in stated if case in one.rounds[0]}
        first = max(beside, key=beside.__getitem__, default="")
        told = f"{units.quantity(beside[first], 'flop/s')} ({first})" if first else ""
        ours = [units.quantity(one[case], "flop/s") if case in one else "" for one in middles]
        section.lines.append([*case, *ours, told])
    if cases:
        section.pictures.append(
            (_picture(own, stated), "One core, and all with OpenMP; both axes by factors.")
        )
    return section


def _picture(own: list[Column], stated: list[Column]) -> str:
    title = "Speed by grid, one core and OpenMP"
    chosen = [*own, *(one for one in stated if one.name in DRAWN)]

    def paint(axes) -> None:
        sizes = list(dict.fromkeys(size for one in own for size in one.sizes))
        for number, column in enumerate(chosen):
            color = figure.color(figure.SERIES[number % len(figure.SERIES)])
            for mode, style in ((SCALAR, "-"), (OPENMP, "--")):
                points = [
                    (size, column.middle[mode, size]) for size in sizes if (mode, size) in column.middle
                ]
                if points:
                    axes.plot(
                        [sizes.index(size) for size, _ in points],
                        [speed for _, speed in points],
                        style,
                        marker=figure.MARKERS[number % len(figure.MARKERS)],
                        color=color,
                        label=f"{column.name}{', OpenMP' if mode == OPENMP else ''}",
                    )
        axes.set_xticks(range(len(sizes)), sizes)
        axes.set_yscale("log")
        figure.log_ticks(axes.yaxis)
        figure.quantity_axis(axes.yaxis, "flop/s")
        figure.heading(axes, title)
        figure.legend_below(axes, 2)

    return figure.picture("speeds", title, "Speed by grid", paint, 4.4)


def failures_section(failures: Mapping[str, UserError]) -> Section:
    lines = [[one, str(error)] for one, error in failures.items()]
    return Section("What could not be compiled or run", ["The rest went on."], [], ["program", "why"], lines)
