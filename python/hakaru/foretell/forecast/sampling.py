"""A sample of the wanted run: its size and layout, with as few steps as the program allows, for a time that one is ready to spend.

It turns an extrapolation over sizes into one over steps, which take the same time each.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass

from hakaru.base import topology, units
from hakaru.base.errors import ENVIRONMENT, UserError
from hakaru.facts.records import Record, RecordStore
from hakaru.facts.records.provenance import Provenance
from hakaru.facts.work import Parameters, Work
from hakaru.foretell.forecast.asking import Question
from hakaru.foretell.models.relevance import times_the_work
from hakaru.run.campaign.execute import perform
from hakaru.run.campaign.plan import Layout, Point

CAMPAIGN = "samples"
MOST_LAUNCHES = 5
REPETITIONS, WARMUP = 1, 1
Launcher = Callable[[Point, RecordStore, float, int], Record]


@dataclass(frozen=True)
class Sample:
    """``launches`` of ``parameters``, each with 1 / ``share`` of the work that is wanted."""

    parameters: Parameters
    share: float
    launches: int

    def words(self, wanted: Parameters) -> str:
        changed = [f"{name}={value}" for name, value in self.parameters.items() if value != wanted.get(name)]
        how = f" with {' '.join(changed)}" if changed else ", the whole of it"
        return f"a sample at the wanted size: {self.launches} launch{'es' * (self.launches != 1)}{how}"


def shortened(question: Question) -> tuple[Parameters, float]:
    """The wanted parameters with the one made smallest that multiplies all work, and by how much less work that is; 1 where none does."""
    wanted = question.wanted
    best, share = dict(wanted.parameters), 1.0
    for one in question.found.describe().parameters:
        value = wanted.parameters.get(one.name)
        least = max(int(one.minimum or 1), 1)
        if one.type != "integer" or not isinstance(value, int) or value <= least:
            continue
        theirs = {**wanted.parameters, one.name: least}
        factor = times_the_work(wanted, theirs, question.work_of)
        if factor and factor > share:
            best, share = theirs, factor
    return best, share


def sample(question: Question, budget_s: float, launch: Launcher | None = None) -> Sample:
    """Runs the shortened problem until another launch would not fit into ``budget_s``; its records are kept like any others.

    Raises UserError when not one fits: nothing that ran is lost, and no forecast rests on a launch that was ended.
    """
    parameters, share = shortened(question)
    point = _point(question, question.work_of(parameters))
    launch = launch or _perform
    store = RecordStore(question.folder)
    store.prepare()
    began, longest, good = time.monotonic(), 0.0, 0
    while good < MOST_LAUNCHES and (left := budget_s - (time.monotonic() - began)) > longest:
        started = time.monotonic()
        record = launch(point, store, left, good)
        longest = max(longest, time.monotonic() - started)
        if not record.ok:
            break
        good += 1
    if good == 0:
        raise UserError(
            f"no sample of {question.program} in {units.seconds(budget_s)}",
            record.failure.reason if record.failure else "its launch failed",
            "allow more time, or leave --sample away",
            ENVIRONMENT,
        )
    return Sample(parameters, share, good)


def _point(question: Question, work: Work) -> Point:
    """Raises UserError for a layout or parameters that the program refuses."""
    if work.refused:
        raise UserError(
            f"{question.program} cannot run so", work.refused, "choose other parameters, ranks or threads"
        )
    cores, there = work.ranks * work.threads, topology.usable_cores()
    if cores > there:
        raise UserError(
            f"{question.program} cannot be sampled on {cores} cores",
            f"this machine lends {there}, and ranks that share a core tell nothing",
            "sample fewer ranks, or leave --sample away",
        )
    layout = Layout(work.ranks, work.threads)
    return Point(
        question.program, "run", tuple(sorted(work.parameters.items())), layout, 1, REPETITIONS, WARMUP
    )


def _perform(point: Point, store: RecordStore, timeout_s: float, number: int) -> Record:
    return perform(point, store, CAMPAIGN, Provenance.here(), timeout_s, number)
