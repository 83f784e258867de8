"""The page of the study: rules, times, options, explicit vectors."""

import statistics
from collections.abc import Mapping

from hakaru.base import units
from hakaru.base.errors import UserError
from hakaru.studies.conclusions import FAILS, HOLDS, LITTLE, MORE, OPEN, geometric_mean
from hakaru.studies.result import Section
from hakaru.tell import figure

from . import rules
from .columns import Column
from .description import KERNELS, flops_of_a_point
from .rules import Rule
from .settings import Size
from .variants import Times, Variant

BLOCKS, COMPONENT_BYTES = 21, 40  # of the publication; of the five components of a point
SYSTEMS = {
    "pc": "PC, pointer",
    "pc_alloc": "PC, allocatable",
    "fx1": "FX1",
    "fx1_impact": "FX1, visIMPACT",
    "fx1_tuned": "FX1, tuned, pointer",
    "fx1_tuned_alloc": "FX1, tuned, allocatable",
}
DRAWN = ("pc", "fx1_tuned")
SHORT = {HOLDS: "yes", FAILS: "no", OPEN: "open"}


def medians(column: Column) -> dict[tuple[str, int], float]:
    return {case: statistics.median(one[case] for one in column.rounds) for case in column.rounds[0]}


def ceiling(parts: Mapping[str, list[float]]) -> float:
    """A step takes at least its arithmetic, and at least its memory traffic."""
    return max(statistics.median(values) for values in parts.values())


def cell(rule: Rule, column: Column) -> str:
    found = rules.found(rule, column.rounds, column.pointer)
    return "" if found is None else f"{found.value:.2f} {SHORT[rule.verdict(found)]}"


def rules_section(stated: Mapping[str, Column], standard: list[Column]) -> Section:
    """What the publication says, asked of its own tables and of ours."""
    section = Section(
        "What the publication concludes, and whether it holds",
        [
            "Ratios of times, ours first: geometric means over layouts or kernels, medians over rounds. Within "
            f"{100 * (MORE - 1):.0f} % nothing is called slower; a difference of less than {100 * (LITTLE - 1):.0f} % is little. "
            "Open: the 95 % interval reaches over the bound.",
            *(f"{rule.name.capitalize()}: {rule.words}" for rule in rules.RULES),
        ],
        columns=["conclusion", *(column.name for column in standard), *(SYSTEMS[name] for name in stated)],
    )
    for rule in rules.RULES:
        cells = [cell(rule, column) for column in (*standard, *stated.values())]
        section.lines.append([rule.name, *cells])
    return section


def times_section(stated: Mapping[str, Column], standard: list[Column], size: Size) -> Section:
    section = Section(
        "Time of a step",
        [
            f"Published: all of its run (21 blocks of 51^3 points). Here: a step of {size.blocks} blocks of {size.points}^3 points, "
            "time of one core, medians over rounds. The picture shows each time over the fastest of its table."
        ],
        columns=["layout", *(column.name for column in standard), *(SYSTEMS[name] for name in stated)],
    )
    here = [medians(column) for column in standard]
    for case in here[0] if here else ():
        line = [units.seconds(column.rounds[0][case]) for column in stated.values()]
        ours = [units.seconds(one[case]) if case in one else "" for one in here]
        section.lines.append([name(case), *ours, *line])
    if here:
        drawn = {SYSTEMS[one]: dict(stated[one].rounds[0]) for one in DRAWN}
        drawn |= {column.name: own for column, own in zip(standard, here, strict=True)}
        section.pictures.append(
            (picture(drawn, list(here[0])), "Left is fast; A0 is layout A with kernel 0.")
        )
    return section


def name(case: tuple[str, int]) -> str:
    return f"{case[0]}{case[1]}"


def picture(drawn: Mapping[str, Mapping[tuple[str, int], float]], cases: list[tuple[str, int]]) -> str:
    def paint(axes) -> None:
        from matplotlib.ticker import FuncFormatter, NullFormatter

        for number, (label, table) in enumerate(drawn.items()):
            fastest = min(table[case] for case in cases)
            axes.plot(
                [table[case] / fastest for case in cases],
                range(len(cases)),
                figure.MARKERS[number % len(figure.MARKERS)],
                color=figure.color(figure.SERIES[number % len(figure.SERIES)]),
                label=label,
                alpha=0.8,
            )
        for edge in range(len(KERNELS), len(cases), len(KERNELS)):
            axes.axhline(edge - 0.5, color=figure.color("rule"), linewidth=0.8)
        axes.set_yticks(range(len(cases)), [name(case) for case in cases])
        axes.set_ylim(len(cases) - 0.5, -0.5)
        axes.set_xscale("log")
        axes.xaxis.set_major_locator(_ticks())
        axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        axes.xaxis.set_minor_formatter(NullFormatter())
        axes.set_xlabel("times the fastest")
        axes.grid(visible=False, axis="y")
        figure.heading(axes, title)
        figure.legend_below(axes)

    title = "Layouts and orders of loops"
    return figure.picture("layouts", title, "Times over the fastest", paint, 1.8 + 0.19 * len(cases))


def _ticks():
    from matplotlib.ticker import LogLocator

    return LogLocator(base=10, subs=(1.0, 2.0, 5.0))


def options_section(own: Mapping[str, list[Column]]) -> Section:
    """Sets of options beside each other."""
    section = Section(
        "Sets of options",
        ["Geometric mean over all layouts and kernels, and the fastest; sets were run one after the other."],
        columns=["compiler and options", "mean", "fastest", "layout"],
    )
    for options, found in own.items():
        for column in found:
            table = medians(column)
            first = min(table, key=table.__getitem__)
            cells = [units.seconds(geometric_mean(table.values())), units.seconds(table[first]), name(first)]
            section.lines.append([f"{column.name}, {options}", *cells])
    return section


def vectors_section(times: Times, both: tuple[Variant, Variant] | None, size: Size) -> Section:
    """The explicit form by set of options, with its ceilings."""
    points = size.blocks * size.points**3
    flops = flops_of_a_point()
    section = Section(
        "Explicit vectors",
        [
            f"One pass over memory a step, {2 * COMPONENT_BYTES} B and {flops} operations a point: what a cell gives to its faces is computed once, "
            "fluxes of a row and a plane are kept. It gives the same bits as the compiled programs under the same options.",
            "Its ceilings, measured in the same turns: the same arithmetic on data in the first cache, and reading and writing its arrays once.",
        ],
        columns=["program", "step", "rate", "arithmetic alone", "memory alone", "of the ceiling"],
    )
    for variant, parts in times.ceilings.items():
        own = statistics.median(times.seconds[variant])
        alone = [units.seconds(statistics.median(parts[one])) for one in ("arithmetic", "stream")]
        rate = units.quantity(flops * points / own, "flop/s")
        section.lines.append([variant.name, units.seconds(own), rate, *alone, f"{ceiling(parts) / own:.0%}"])
    if both:
        compiled = both[0]
        own = statistics.median(times.seconds[compiled])
        section.lines.append([f"fastest compiled: {compiled.name}", units.seconds(own), "", "", "", ""])
    return section


def failures_section(failures: Mapping[str, UserError]) -> Section:
    lines = [[one, str(error)] for one, error in failures.items()]
    return Section("What could not be compiled or run", ["The rest went on."], [], ["program", "why"], lines)
