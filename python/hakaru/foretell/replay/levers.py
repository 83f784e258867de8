"""What if messages began or ran faster, cores computed faster, or less disturbed them: one run, replayed with each combination of factors."""

import functools
import itertools
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median_high

from hakaru.base.errors import UserError
from hakaru.base.units import seconds
from hakaru.facts import programs
from hakaru.facts.machines import Machine
from hakaru.facts.machines.machine import LEVELS
from hakaru.facts.records import Record
from hakaru.foretell.forecast import evaluate
from hakaru.foretell.models import sound
from hakaru.foretell.replay import noise, settable, source, what_if
from hakaru.foretell.replay.calibration import calibrate
from hakaru.foretell.replay.engine import Engine
from hakaru.foretell.replay.levels import Told
from hakaru.foretell.replay.question import Choices, Question

FACTORS = (0.25, 0.5, 1.0, 2.0, 4.0)
AS_IT_IS = FACTORS.index(1.0)
AT_ONCE = ("latency", "send_overhead", "receive_overhead", "gap")  # of a message, whatever its length
MOST_PROGRAMS = 4

Change = Callable[[Machine, float], Machine]
At = tuple[int, ...]  # of each lever the place of its factor in FACTORS


@dataclass(frozen=True)
class Lever:
    """``words``: what its factor multiplies."""

    name: str
    words: str
    change: Change


@dataclass(frozen=True)
class WhatIf:
    """Replays of one run; ``took_s`` is what its launches took, ``times_s`` hold what was replayed, of ``combinations``."""

    program: str
    label: str
    ranks: int
    threads: int
    took_s: float
    levers: tuple[Lever, ...]
    notes: tuple[str, ...]
    times_s: dict[At, float] = field(default_factory=dict)
    combinations: int = 0

    @property
    def as_it_is(self) -> At:
        return (AS_IT_IS,) * len(self.levers)

    @property
    def base_s(self) -> float:
        return self.times_s[self.as_it_is]


def what_ifs(
    records: Sequence[Record], machine: Machine, engine: Engine, limit_s: float
) -> tuple[list[WhatIf], list[str]]:
    """Of each program its run on most ranks, the largest there; and why others have none. All together take ``limit_s``, by equal shares."""
    found, missing = [], []
    runs = chosen_runs(records)
    end_s = time.monotonic() + limit_s
    for index, run in enumerate(runs[:MOST_PROGRAMS]):
        now_s = time.monotonic()
        share_s = (end_s - now_s) / (min(len(runs), MOST_PROGRAMS) - index)
        try:
            found.append(what_if_of(run, records, machine, engine, now_s + share_s))
        except UserError as error:
            missing.append(f"{run.program}: {error}")
    missing += [f"{run.program}: {MOST_PROGRAMS} programs are replayed" for run in runs[MOST_PROGRAMS:]]
    return found, missing


def chosen_runs(records: Sequence[Record]) -> list[Record]:
    """One of each app."""
    best: dict[str, Record] = {}
    for record in sound([one for one in records if one.kind == "app"])[0]:
        known = best.get(record.program)
        if known is None or _rank(record) > _rank(known):
            best[record.program] = record
    return [best[name] for name in sorted(best)]


def _rank(record: Record) -> tuple[int, float, str]:
    return record.ranks, record.work.size or 0.0, record.id


def what_if_of(
    run: Record, records: Sequence[Record], machine: Machine, engine: Engine, end_s: float
) -> WhatIf:
    """Replays until all combinations are done or ``end_s`` has come by the monotonic clock; the run as it is always.

    Raises UserError where its program says no schedule or the machine file lacks a fact."""
    with tempfile.TemporaryDirectory(prefix="hakaru-what-if-") as folder:
        question, took_s = _question(run, records, machine, engine, Path(folder))
        asked, result = question.ask(machine)
        levers, notes = _levers(machine, result.messages)
        points = sorted(itertools.product(range(len(FACTORS)), repeat=len(levers)), key=_moved)
        machines = _machines(machine, levers)
        jobs = [_job(question, machines, point, end_s) for point in points[1:]]
        times_s = [result.makespan_s, *what_if.run_all(jobs, None, what_if.Progress()).times_s]
    label = " ".join([run.program, *programs.assignments(_shown(run, records))])
    return WhatIf(
        run.program,
        label,
        run.ranks,
        run.threads,
        took_s,
        levers,
        notes,
        {point: took for point, took in zip(points, times_s, strict=True) if took is not None},
        len(points),
    )


def _shown(run: Record, records: Sequence[Record]) -> dict:
    """Parameters in which the runs of the program differ."""
    others = [one.parameters for one in records if one.program == run.program]
    return {k: v for k, v in run.parameters.items() if any(one.get(k) != v for one in others)}


def _moved(point: At) -> tuple[int, At]:
    """The run as it is, then one lever at a time, then two."""
    return sum(place != AS_IT_IS for place in point), point


def _machines(machine: Machine, levers: Sequence[Lever]) -> Callable[[At], Machine]:
    """The machine with the first levers at these places; each made once, since changing a large machine file costs as much as a replay."""

    @functools.cache
    def changed(at: At) -> Machine:
        if not at:
            return machine
        before, place = changed(at[:-1]), at[-1]
        return before if place == AS_IT_IS else levers[len(at) - 1].change(before, FACTORS[place])

    return changed


def _job(question: Question, machines: Callable[[At], Machine], point: At, end_s: float):
    def run() -> float | None:
        return None if time.monotonic() > end_s else question.time_s(machines(point))

    return run


def _question(
    run: Record, records: Sequence[Record], machine: Machine, engine: Engine, folder: Path
) -> tuple[Question, float]:
    words = programs.assignments(dict(run.parameters))
    given = source.find(f"{source.PREFIX}{','.join([run.program, *words])}", run.ranks, run.threads, folder)
    of_program = [one for one in records if one.program == run.program]
    calibration = calibrate(
        of_program,
        given.evaluated,
        lambda parameters: evaluate(run.program, parameters, run.ranks, run.threads),
        machine,
        Told(),
    )
    heard = noise.MACHINE if machine.values("noise", "detours") else None
    choices = Choices(way="measured", calibration=calibration, noise=heard)
    return Question(given, choices, engine), median_high(calibration.observation.totals())


def _levers(machine: Machine, messages: int) -> tuple[tuple[Lever, ...], tuple[str, ...]]:
    found, notes = [], []
    if messages:
        found.append(Lever("message start", "latency, overheads and gap of each message", _started))
        found.append(Lever("bandwidth", "bytes a second of messages", _transported))
    else:
        notes.append("It sends no message, so the network changes nothing.")
    found.append(Lever("computing speed", "the pace of all computing, memory included", _computed))
    if machine.values("noise", "detours"):
        found.append(Lever("noise", "how often the system interrupts computing", _disturbed))
    else:
        notes.append("The noise of this machine was not measured: hakaru probe noise does.")
    return tuple(found), tuple(notes)


def _started(machine: Machine, factor: float) -> Machine:
    for path in (f"network.{level}.{name}" for level in LEVELS for name in AT_ONCE):
        if machine.facts(path) or machine.facts(f"{path}_without_overheads"):
            machine = _scaled(machine, path, factor)
    return machine


def _scaled(machine: Machine, path: str, factor: float) -> Machine:
    bare = f"{path}_without_overheads"
    return settable.scale(machine, path if machine.facts(path) else bare, factor)


def _transported(machine: Machine, factor: float) -> Machine:
    for level in LEVELS:
        if machine.facts(f"network.{level}.gap_per_byte"):
            machine = settable.scale(machine, f"network.{level}.bandwidth", factor)
    return machine


def _computed(machine: Machine, factor: float) -> Machine:
    return settable.put(machine, settable.COMPUTE, what_if.base_value(machine, settable.COMPUTE) / factor)


def _disturbed(machine: Machine, factor: float) -> Machine:
    return settable.scale(machine, "noise.detours", factor)


def factor(place: int) -> str:
    return f"× {FACTORS[place]:g}"


def told(one: WhatIf, at: At) -> str:
    """The answer in words."""
    took_s = one.times_s.get(at)
    moved = [
        f"{lever.name} {factor(place)}"
        for lever, place in zip(one.levers, at, strict=True)
        if place != AS_IT_IS
    ]
    if took_s is None:
        return f"With {', '.join(moved)}: not replayed in the time that a report takes."
    if not moved:
        return f"As it is: {seconds(took_s)} by replay; its launches took {seconds(one.took_s)}."
    return f"With {', '.join(moved)}: {seconds(took_s)}, {one.base_s / took_s:.3g} times as fast as {seconds(one.base_s)}."
