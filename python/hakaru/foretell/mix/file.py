"""What a mix is: programs and jobs of known times, how many and when they come, and the machine that takes them (schema/mix.schema.json)."""

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from hakaru.base.errors import UserError
from hakaru.base.files import read_toml
from hakaru.facts.forecasts import Span
from hakaru.facts.strict import Strict
from hakaru.facts.values import AtLeastOne, Count, Name, Positive, Seconds
from hakaru.facts.work import Scalar

SCHEMA = "hakaru/mix/1"
DRAWS, LEAST_DRAWS = 200, 10
JOBS_DRAWN, SHARED_JOBS_DRAWN = 2_000_000, 20_000  # over all draws of a mix that does not say its draws
GUIDE = "docs/how-to/many-jobs.md says what may be written"
Shape = Annotated[str, Meta(pattern=r"^[1-9]\d{0,6}x[1-9]\d{0,3}$")]
Factor = Annotated[float, Meta(ge=1)]


class Arrival(Strict):
    """When jobs come: all at once; ``per_hour`` at random (Poisson); one ``every_s``; or as in a ``log`` (Standard Workload Format).

    ``order``: as written, or drawn anew in each draw."""

    per_hour: Positive | None = None
    every_s: Positive | None = None
    log: str = ""
    order: Literal["written", "shuffled"] = "written"

    @property
    def ways(self) -> int:
        return sum((self.per_hour is not None, self.every_s is not None, bool(self.log)))


class JobsOf(Strict):
    """``count`` jobs of each size and layout of a program, or of one that takes ``usual_s`` (any one of them ``time_s``).

    ``nodes`` 0: as few as hold the layout. ``cores`` of each node, where nodes are shared and no layout says them. ``instead``: the other
    layout that a what-if tries. ``limit_s`` 0: what hakaru would ask the batch system for."""

    program: str = ""
    name: str = ""
    parameters: dict[str, Scalar | list[Scalar]] = {}
    layouts: Annotated[tuple[Shape, ...], Meta(min_length=1)] = ("1x1",)
    instead: Shape | None = None
    usual_s: Positive | Span | None = None
    time_s: Span | None = None
    nodes: Count = 0
    cores: Count = 0
    count: AtLeastOne = 1
    repetitions: Count = 0
    limit_s: Seconds = 0.0


class Pair(Strict):
    """Jobs called ``job`` take ``slower`` times as long while one called ``beside`` is on their node."""

    job: str
    beside: str
    slower: Factor


class Power(Strict):
    """Of a node that computes and of one that waits, in W."""

    busy_w: Span | Positive
    idle_w: Span | Seconds = 0.0


class MixFile(Strict):
    """``nodes`` and ``cores`` (of a node) 0: what the log or the machine says. ``overhead_s``: what the batch system adds to each job.

    ``limits``: whether jobs are ended at their limit. ``draws`` of all run times and arrivals make the intervals, the same for a ``seed``;
    0: as many as ``drawn`` says."""

    name: Name
    schema: Literal["hakaru/mix/1"] = SCHEMA
    nodes: Count = 0
    cores: Count = 0
    machine: str = ""
    policy: Literal["fcfs", "easy", "conservative"] = "easy"
    depth: AtLeastOne = 100
    shared: bool = False
    limits: Literal["end", "exceed"] = "end"
    overhead_s: Seconds | Span = 0.0
    power: Power | None = None
    arrival: Arrival = Arrival()
    jobs: tuple[JobsOf, ...] = ()
    pairs: tuple[Pair, ...] = ()
    draws: Annotated[int, Meta(ge=0, le=10_000)] = 0
    seed: Count = 1

    def drawn(self, jobs: int) -> int:
        """How often ``jobs`` jobs are drawn: 200 times, fewer where that would take minutes, 10 times at least."""
        most = SHARED_JOBS_DRAWN if self.shared else JOBS_DRAWN
        return self.draws or max(min(DRAWS, most // jobs), LEAST_DRAWS)


def read(path: Path) -> MixFile:
    """Raises UserError for what is no mix, naming the field."""
    tree = read_toml(path, "mix", GUIDE)
    try:
        found = msgspec.convert(tree, MixFile)
    except msgspec.ValidationError as error:
        raise UserError(f"{path} is no mix", str(error), GUIDE) from None
    for problem, why, todo in _faults(found):
        raise UserError(f"{path}: {problem}", why, todo)
    return found


def span(value: float | Span) -> Span:
    return value if isinstance(value, Span) else Span(value=value, low=value, high=value)


def _faults(mix: MixFile) -> Iterator[tuple[str, str, str]]:
    if mix.arrival.ways > 1:
        yield "[arrival] says two things", "per_hour, every_s and log exclude each other", "keep one of them"
    if not mix.jobs and not mix.arrival.log:
        yield "it has no jobs", "neither [[jobs]] nor a log is named", GUIDE
    for number, one in enumerate(mix.jobs, 1):
        where = f"[[jobs]] {number}"
        if bool(one.program) == (one.usual_s is not None):
            why = "a job is a program, whose time is forecast, or has a time of its own (usual_s)"
            yield f"{where} has {'both' if one.program else 'neither'} program and usual_s", why, "write one"
        if not one.program and (one.parameters or one.instead or one.repetitions):
            yield f"{where} has no program", "parameters, repetitions and instead are of a program", "name it"
        if one.time_s is not None and one.program:
            yield f"{where} has time_s and a program", "its forecast says both times", "leave time_s away"
        for name, found in (("usual_s", one.usual_s), ("time_s", one.time_s)):
            if isinstance(found, Span):
                yield from _span_faults(f"{where}: {name}", found)
    if isinstance(mix.overhead_s, Span):
        yield from _span_faults("overhead_s", mix.overhead_s)
    if mix.power:
        for name, found in (("busy_w", mix.power.busy_w), ("idle_w", mix.power.idle_w)):
            yield from _span_faults(f"power.{name}", span(found))
    if mix.pairs and not mix.shared:
        yield "it has [[pairs]]", "jobs slow each other on shared nodes only", "write shared = true"


def _span_faults(where: str, found: Span) -> Iterator[tuple[str, str, str]]:
    if not math.isfinite(found.high) or not found.low <= found.value <= found.high:
        told = f"{found.low:g}, {found.value:g}, {found.high:g}"
        yield f"{where} is no interval", f"low, value, high are {told}", "write low <= value <= high"
