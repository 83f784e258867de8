"""A sample of the wanted run: its size and layout, with as few steps as the program allows, for a time that one is ready to spend.

It turns an extrapolation over sizes into one over steps, which take the same time each: so it has enough of them to hide what a run
does once. With t(v) = a + b v at v steps and at f v,

    a = (f t(v) - t(f v)) / (f - 1)
"""

import math
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from hakaru.base import topology, units
from hakaru.base.errors import ENVIRONMENT, UserError
from hakaru.facts.forecasts.forecast import SampleOfRun
from hakaru.facts.records import Record, RecordStore
from hakaru.facts.records.provenance import Provenance
from hakaru.facts.work import Parameters, Work
from hakaru.foretell.forecast.asking import Question
from hakaru.foretell.models.relevance import times_the_work
from hakaru.run.campaign.execute import perform
from hakaru.run.campaign.plan import Layout, Point

CAMPAIGN = "samples"
MOST_LAUNCHES = 12
ONCE = 0.05  # of a launch of the sample: the most that it may do once
LONGER = 4
REPETITIONS, WARMUP = 1, 1
WARM_S = 0.3  # of work before what is timed: on shared hosts repetitions of 0.1 s take 5 % longer until then
MOST_WARMUP = 10
Launcher = Callable[[Point, RecordStore, float, int], Record]


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


def sample(question: Question, budget_s: float, launch: Launcher | None = None) -> SampleOfRun:
    """Runs the shortened problem until another launch would not fit into ``budget_s``; its records are kept like any others.

    Raises UserError when not one fits: nothing that ran is lost, and no forecast rests on a launch that was ended.
    """
    launch, began = launch or _perform, time.monotonic()
    _point(question, question.wanted)
    parameters, share, repetition_s = lengthened(
        question, *shortened(question), budget_s, began + budget_s, launch
    )
    point = _point(question, question.work_of(parameters), _warmup(repetition_s))
    store = RecordStore(question.folder)
    store.prepare()
    longest, good, record = 0.0, 0, None
    while good < MOST_LAUNCHES and (left := budget_s - (time.monotonic() - began)) > longest:
        time.sleep(_rest_s(left, longest, MOST_LAUNCHES - good) if good else 0.0)
        started = time.monotonic()
        left = budget_s - (started - began)
        record = launch(point, store, left, good)
        longest = max(longest, time.monotonic() - started)
        if not record.ok:
            break
        good += 1
    if good == 0:
        raise _none(question, budget_s, _why(record))
    took_s = time.monotonic() - began
    return SampleOfRun(parameters=parameters, launches=good, share=min(1.0 / share, 1.0), took_s=took_s)


def _rest_s(left_s: float, longest_s: float, to_come: int) -> float:
    """Before the next of the launches ``to_come``, so that they spread over the time that is left: a state of the machine lasts for seconds."""
    return max((left_s - 2.0 * to_come * longest_s) / to_come, 0.0)


def _warmup(repetition_s: float) -> int:
    """Repetitions before the one that is timed; ``repetition_s`` 0: not known."""
    return WARMUP if repetition_s <= 0.0 else min(max(math.ceil(WARM_S / repetition_s), WARMUP), MOST_WARMUP)


def lengthened(
    question: Question, least: Parameters, share: float, budget_s: float, end_s: float, launch: Launcher
) -> tuple[Parameters, float, float]:
    """The shortened run, made longer until what it does once is small; by how much less work it is, and its time in s (0: not known). Tried
    in a folder that is not kept, since times of runs that are too short are no times of steps. Raises UserError where the time ends
    before."""
    wanted = question.wanted.parameters
    names = [name for name, value in least.items() if value != wanted.get(name)]
    if not names:
        return least, share, 0.0
    name, tried, before, took_s = names[0], least, 0, 0.0
    with tempfile.TemporaryDirectory(prefix="hakaru-sample-") as folder:
        store = RecordStore(Path(folder))
        store.prepare()
        while True:
            point = _point(question, question.work_of(tried))
            record = launch(point, store, max(end_s - time.monotonic(), 0.1), 0)
            if not record.ok:
                raise _none(question, budget_s, _why(record))
            before_s, took_s = took_s, record.middle(lambda one: one.wall_s)
            if before and _once_s(before_s, took_s, tried[name] / before) < ONCE * took_s:
                break
            if tried[name] == wanted[name]:
                break
            before = tried[name]
            tried = tried | {name: min(LONGER * before, wanted[name])}
    return tried, times_the_work(question.wanted, tried, question.work_of) or 1.0, took_s


def _once_s(before_s: float, took_s: float, factor: float) -> float:
    return (factor * before_s - took_s) / (factor - 1.0)


def _none(question: Question, budget_s: float, why: str) -> UserError:
    what = f"no sample of {question.program} in {units.seconds(budget_s)}"
    return UserError(what, why, "allow more time, or leave --sample away", ENVIRONMENT)


def _why(record: Record | None) -> str:
    if record is None:
        return "finding how many steps hide what a run does once took it all"
    return record.failure.reason if record.failure else "its launch failed"


def _point(question: Question, work: Work, warmup: int = WARMUP) -> Point:
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
        question.program, "run", tuple(sorted(work.parameters.items())), layout, 1, REPETITIONS, warmup
    )


def _perform(point: Point, store: RecordStore, timeout_s: float, number: int) -> Record:
    return perform(point, store, CAMPAIGN, Provenance.here(), timeout_s, number)
