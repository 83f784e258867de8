"""Flat against hybrid on this machine: the program of a study of layouts with one process a core and with threads, launches interleaved."""

from hakaru.base import units
from hakaru.base.errors import UserError
from hakaru.base.statistics import Interval, median_interval
from hakaru.base.topology import usable_cores
from hakaru.run.campaign.plan import Layout
from hakaru.studies.analyses import Context
from hakaru.studies.launches import launched
from hakaru.studies.result import Result, Row, Section
from hakaru.studies.study import Study

from .settings import Settings

TIMEOUT_S = 120.0
REPETITIONS = 1


def run_here(study: Study[Settings], context: Context) -> Result:
    """Rows ``here/N^3/LAYOUT/step`` in s: medians over launches. A layout that cannot run, or fails, has no row and is named."""
    asked = study.settings.here
    cores = min(usable_cores(), 8)
    layouts = [Layout(1, 1)] + ([Layout(cores, 1), Layout(1, cores)] if cores > 1 else [])
    result, lines, refused = Result(), [], []
    for n in asked.n:
        context.say(f"{n}^3 on {units.count(cores, 'core')}: {asked.launches} launches of each layout")
        samples: dict[Layout, list[float]] = {layout: [] for layout in layouts}
        for _ in range(asked.launches):
            for layout in list(samples):
                try:
                    samples[layout].append(_step_s(study, n, layout, context))
                except UserError as error:
                    refused.append(f"{n}^3 on {layout.ranks} x {layout.threads}: {error}")
                    del samples[layout]
        found = {layout: median_interval(values) for layout, values in samples.items()}
        for layout, step in found.items():
            name = f"{layout.ranks}x{layout.threads}"
            result.rows.append(Row(f"here/{n}^3/{name}/step", None, step.value, "s", "measured"))
            lines.append(
                [
                    f"{n}^3",
                    name,
                    units.seconds(step.value),
                    f"{units.seconds(step.low)} to {units.seconds(step.high)}",
                ]
            )
        if cores > 1:
            result.summary += _verdict(n, found.get(layouts[1]), found.get(layouts[2]))
    result.summary += refused
    words = [
        "Median over launches of the time of a step, with its 95 % interval; layouts are processes x threads, launched in turn."
    ]
    section = Section("On this machine", words, [], ["grid", "layout", "a step", "95 %"], lines)
    result.sections.append(section)
    return result


def _verdict(n: int, flat: Interval | None, hybrid: Interval | None) -> list[str]:
    if flat is None or hybrid is None:
        return []
    ratio = hybrid.value / flat.value
    apart = hybrid.low > flat.high or flat.low > hybrid.high
    if not apart:
        return [
            f"{n}^3: flat and hybrid are too close to call (hybrid takes {ratio:.2f} times as long, intervals overlap)."
        ]
    return [
        f"{n}^3: {'flat' if ratio > 1.0 else 'hybrid'} is faster (hybrid takes {ratio:.2f} times as long)."
    ]


def _step_s(study: Study[Settings], n: int, layout: Layout, context: Context) -> float:
    """The metric ``step_s`` of one launch. Raises UserError when it failed."""
    parameters = {"n": n, "steps": study.settings.here.steps}
    _, record = launched(study.programs[0], layout, context, parameters, REPETITIONS, 1, TIMEOUT_S)
    return median_interval(record.metric("step_s").samples).value
