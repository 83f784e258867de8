"""The page of the study: what the slides say, where the kernels' cycles go, the six cases."""

import statistics
from collections.abc import Mapping

from hakaru.base import units
from hakaru.base.errors import UserError
from hakaru.studies.conclusions import FAILS, HOLDS, OPEN
from hakaru.studies.result import Section
from hakaru.tell import figure

from . import accounting, rules
from .counters import SHARES
from .loops import NEAR, PARTS
from .places import Caches
from .rules import Finding
from .variants import Times, Variant

SHORT = {HOLDS: "yes", FAILS: "no", OPEN: "open"}
COLORS = ("blue", "orange", "green", "vermillion")


def sections(
    times: Times,
    found: list[Finding],
    way: str,
    shares: Mapping[Variant, Mapping[str, float]],
    caches: Caches,
    failures: Mapping[str, UserError],
) -> list[Section]:
    return [
        rules_section(found),
        kernels_section(times, way, caches),
        cases_section(times),
        events_section(shares, way),
        failures_section(failures),
    ]


def rules_section(found: list[Finding]) -> Section:
    columns = list(dict.fromkeys(one.compiler for one in found))
    section = Section(
        "What the slides say, and whether it holds",
        [
            "Of a kernel: the share of the part of its cycles that it was made to show, less the largest other part; it holds above 0. Of a case: "
            "how many times faster the tuned form is, unless said otherwise; medians over rounds. Open: the interval reaches over the bound.",
            rules.kernel_words(),
            *(f"{rule.name}: {rule.words}" for rule in rules.RULES),
        ],
        columns=["what", "size", "published", *columns],
    )
    lines: dict[tuple[str, str], dict[str, Finding]] = {}
    for one in found:
        lines.setdefault((one.rule, one.size), {})[one.compiler] = one
    for (rule, size), own in lines.items():
        published = next(iter(own.values())).published
        cells = [_cell(own[name]) if name in own else "" for name in columns]
        section.lines.append([rule, size, "" if published is None else units.digits(published), *cells])
    return section


def _cell(one: Finding) -> str:
    low, high = units.digits(one.value.low), units.digits(one.value.high)
    return f"{units.digits(one.value.value)} ({low} to {high}) {SHORT[one.verdict]}"


def kernels_section(times: Times, way: str, caches: Caches) -> Section:
    cycle = statistics.median(times.ceilings["cycle"])
    told = "" if caches.told else " (assumed: the kernel does not tell them)"
    section = Section(
        "Where the cycles of the kernels go",
        [
            way,
            "Parts by ablation, in cycles of an execution of the innermost statement. Commit and what else takes time: data in the first cache, exclusive or "
            "in place of the arithmetic. Floating-point wait: what the arithmetic adds. Cache wait: what data in the second cache add. Memory wait: what data "
            "beyond it add. They add up to the whole. A cycle, measured by additions that wait for each other: "
            f"{units.seconds(cycle)}.",
            f"First cache {units.capacity(caches.first)}, second {units.capacity(caches.second)}, last {units.capacity(caches.last)}{told}; "
            "arrays take half of a cache.",
            "Bound: the arithmetic alone on registers, or the C library's copy of as many numbers in the same place.",
        ],
        columns=["kernel", "compiler", "made for", *PARTS, "whole", "bound", "of the bound"],
    )
    drawn: dict[str, list[float]] = {}
    for kernel, compiler, rounds in accounting.kernels_of(times):
        own = accounting.parts(kernel, rounds)
        medians = [statistics.median(own[part]) for part in PARTS]
        whole, bound = statistics.median(rounds[kernel.place]), accounting.bound(kernel, times)
        cells = [units.digits(value / cycle) for value in (*medians, whole, bound)]
        section.lines.append([kernel.name, compiler, kernel.shows, *cells, f"{bound / whole:.0%}"])
        drawn[f"{kernel.name}, {compiler}"] = [max(0.0, value) / whole for value in medians]
    if drawn:
        section.pictures.append((_picture(drawn), "Shares of the cycles of each kernel, by ablation."))
    return section


def _picture(drawn: Mapping[str, list[float]]) -> str:
    title = "Where the cycles of the kernels go"

    def paint(axes) -> None:
        left = [0.0] * len(drawn)
        for number, part in enumerate(PARTS):
            widths = [100.0 * shares[number] for shares in drawn.values()]
            axes.barh(
                range(len(drawn)),
                widths,
                left=left,
                color=figure.color(COLORS[number]),
                label=part,
                height=0.7,
            )
            left = [one + width for one, width in zip(left, widths, strict=True)]
        axes.set_yticks(range(len(drawn)), list(drawn))
        axes.set_ylim(len(drawn) - 0.5, -0.5)
        axes.set_xlabel("% of the cycles")
        axes.grid(visible=False, axis="y")
        figure.heading(axes, title)
        figure.legend_below(axes, 2)

    return figure.picture("cycles", title, "Stacked shares by kernel", paint, 1.8 + 0.3 * len(drawn))


def cases_section(times: Times) -> Section:
    cycle = statistics.median(times.ceilings["cycle"])
    section = Section(
        "The six cases",
        [
            "Cycles of an execution of the innermost statement; of that, the wait for data: the time less that of the same loop with its data in the first "
            "cache. In brackets of times, 95 % intervals. Barrier: the share of the threads' time that they wait for the last one.",
        ],
        columns=["case", "form", "size", "compiler", "time", "cycles", "waits for data", "barrier"],
    )
    for (case, size, compiler), forms in rules.groups(times).items():
        for form, one in forms.items():
            middle = statistics.median(times.seconds[one])
            share = accounting.wait_share(times, one)
            waited = times.waited.get(one)
            section.lines.append(
                [
                    case,
                    form,
                    size,
                    compiler,
                    units.seconds(middle * one.work),
                    units.digits(middle / cycle),
                    "" if share is None else f"{share.value:.0%}",
                    f"{statistics.median(waited):.0%}" if waited else "",
                ]
            )
    return section


def events_section(shares: Mapping[Variant, Mapping[str, float]], way: str) -> Section:
    section = Section(
        "Slots of the pipeline, by the processor's events",
        [way, "One sample of each program, not in turns."],
        columns=["loop", "form", "data", "compiler", *SHARES],
    )
    for one, own in shares.items():
        if one.size != NEAR:
            cells = [f"{own[name]:.0%}" for name in SHARES]
            section.lines.append([one.loop, one.form, one.size, one.compiler.name, *cells])
    return section


def failures_section(failures: Mapping[str, UserError]) -> Section:
    lines = [[one, str(error)] for one, error in failures.items()]
    return Section("What could not be compiled or run", ["The rest went on."], [], ["program", "why"], lines)
