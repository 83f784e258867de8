"""Launches of the app himeno: alone, with threads, and with ranks along the outermost or the innermost loop."""

from collections.abc import Callable

from hakaru.base.errors import UserError
from hakaru.facts.work import Parameters
from hakaru.run.campaign.plan import Layout
from hakaru.studies.analyses import Context
from hakaru.studies.launches import launched
from hakaru.studies.study import Study

from . import exact
from .settings import Run, Settings
from .variants import INNER, OPENMP, OUTER, SCALAR, cores

COLUMN = "hakaru"
ASSUMED = 2e9  # flop/s, to choose how many iterations a launch takes
MOST = 20_000  # iterations


def modes(run: Run) -> dict[str, tuple[Layout, Parameters]]:
    """(layout, parameters) by mode. x is the innermost loop and the unit stride, z the outermost."""
    many = cores(run)
    found: dict[str, tuple[Layout, Parameters]] = {SCALAR: (Layout(1, 1), {})}
    if many > 1:
        found[OPENMP] = (Layout(1, many), {})
        found[OUTER] = (Layout(many, 1), {"ranks_z": many})
        found[INNER] = (Layout(many, 1), {"ranks_x": many})
    return found


def iterations(settings: Settings, size: str, launch_s: float) -> int:
    wanted = ASSUMED * launch_s / (exact.FLOPS * exact.interior(exact.grid_of(settings, size)))
    return max(5, min(MOST, int(wanted)))


def launches(
    study: Study[Settings], run: Run, context: Context
) -> tuple[dict[str, Callable[[], float]], dict[str, UserError]]:
    """(what gives the flop/s of a launch, why the others cannot run), by MODE/SIZE/COLUMN. Each mode is tried once, with the first size."""
    found, failed = {}, {}
    for mode, (layout, parameters) in modes(run).items():
        for size in run.sizes:
            more = {"size": size, "iterations": iterations(study.settings, size, run.launch_s), **parameters}

            def launch(layout=layout, more=more) -> float:
                return rate(study, layout, more, context)

            try:
                if size == run.sizes[0]:
                    launch()
                found[f"{mode}/{size}/{COLUMN}"] = launch
            except UserError as error:
                failed[f"{mode}/{COLUMN}"] = error
                break
    return found, failed


def rate(study: Study[Settings], layout: Layout, parameters: Parameters, context: Context) -> float:
    """Flop/s of the second repetition of a launch. Raises UserError when it fails or tells none."""
    _, record = launched(study.programs[0], layout, context, parameters, repetitions=1, warmup=1)
    metric = record.metric("rate")
    if metric is None or not metric.samples or metric.samples[-1] is None:
        raise UserError("the app himeno told no rate", f"record {record.id}", "see its record")
    return metric.samples[-1]
