"""The page of a study of scaling: the kernel by processor, time and efficiency by nodes, and what the publication states."""

from typing import Any

from hakaru.base import units
from hakaru.studies.result import Result, Section
from hakaru.studies.study import Study
from hakaru.tell import figure

from .points import Point
from .settings import Settings

COLOURS = ("vermillion", "blue", "green", "orange", "purple", "sky")


def sections(study: Study[Settings], points: list[Point], result: Result) -> list[Section]:
    return [kernels(study), *scaling(study, points, result), statements(result)]


def kernels(study: Study[Settings], here: list[list[str]] | None = None) -> Section:
    """Published speeds of the kernel; ``here`` adds lines of this machine."""
    peaks, variants = study.settings.peaks, study.settings.variants
    lines = []
    for row in study.published.table(study.settings.kernels).rows:
        rates = [1e9 * row[variant] for variant in variants]
        share = max(rates) / (1e9 * peaks[row["processor"]])
        lines.append(kernel_line(row["case"], row["processor"], rates, rates[-1] / rates[0], share))
    words = ["Speed of one node. The share of the peak is the faster variant's."]
    columns = ["case", "processor", *variants, "gain", "of the peak"]
    return Section("The kernel by processor", words, [], columns, lines + (here or []))


def kernel_line(case: str, processor: str, rates: list[float], gain: float, share: float) -> list[str]:
    shown = [units.quantity(rate, "flop/s") for rate in rates]
    return [case, processor, *shown, f"{gain:.2f}", units.percent(share)]


def scaling(study: Study[Settings], points: list[Point], result: Result) -> list[Section]:
    found = []
    for case in dict.fromkeys(point.case for point in points):
        own = [point for point in points if point.case == case]
        shown = figure.picture(
            f"scaling-{case.lower()}",
            f"Time of a step by nodes, {case}",
            "; ".join(f"{p.system}, {p.nodes} nodes: {units.seconds(p.step_s)}" for p in own),
            lambda axes, own=own, case=case: _paint(axes, own, case),
            3.8,
        )
        section = Section(
            f"Strong scaling, {case}",
            ["Replays; the publication's figures have no numbers in its text."],
            [(shown, "Time of a step; dotted: as the nodes.")],
            ["system", "nodes", "time of a step", "efficiency", "messages and waiting", "threads busy"],
        )
        by_id = {row.id: row.ours for row in result.rows}
        for p in own:
            rate = units.percent(by_id[f"scaling/{case}/{p.system}/{p.nodes}/efficiency"])
            rest, threads = units.percent(p.communicating), units.percent(p.threads_busy)
            section.lines.append([p.system, str(p.nodes), units.seconds(p.step_s), rate, rest, threads])
        found.append(section)
    return found


def _paint(axes: Any, points: list[Point], case: str) -> None:
    systems = list(dict.fromkeys(point.system for point in points))
    for name, colour in zip(systems, COLOURS, strict=False):
        own = [point for point in points if point.system == name]
        nodes, steps = [p.nodes for p in own], [p.step_s for p in own]
        axes.plot(nodes, steps, marker="o", color=figure.color(colour), label=name)
        ideal = [steps[0] * nodes[0] / n for n in nodes]
        axes.plot(nodes, ideal, linestyle=":", linewidth=0.8, color=figure.color(colour))
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    ticks = sorted({p.nodes for p in points})
    axes.set_xticks(ticks, [str(n) for n in ticks])
    axes.minorticks_off()
    axes.set_xlabel("nodes")
    axes.set_ylabel("s")
    figure.heading(axes, f"Time of a step, {case}")
    figure.legend_below(axes, columns=3)


def statements(result: Result) -> Section:
    section = Section(
        "What the publication states of its figures",
        ["Predictions: nothing was fitted to them."],
        [],
        ["what", "stated", "ours", "error"],
    )
    for row in result.of("statements/"):
        stated = "" if row.published is None else units.digits(row.published)
        error = "" if row.error is None else f"{row.error:+.0%}"
        section.lines.append([row.id.removeprefix("statements/"), stated, units.digits(row.ours), error])
    return section


def summary(result: Result) -> list[str]:
    stated = [row for row in result.of("statements/") if row.published is not None]
    texts = [
        f"{row.id.removeprefix('statements/')}: {units.digits(row.ours)} times, stated {units.digits(row.published)}"
        for row in stated
    ]
    return ["Predicted without a fit. " + "; ".join(texts) + "."]
