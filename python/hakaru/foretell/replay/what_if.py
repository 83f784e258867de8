"""Many replays that differ in a fact or two: sweeps, grids, and which fact, improved by a tenth, buys most."""

import itertools
import os
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field

from hakaru.base.errors import UserError
from hakaru.facts.machines import Machine
from hakaru.foretell.replay import settable
from hakaru.foretell.replay.documents.answer import Axis, Basis, Gain
from hakaru.foretell.replay.ranges import TIMES, Sweep

IMPROVEMENT = 0.1
TASK, TASK_VARIABLE = "task", "HAKARU_TASK"  # the number of a task of an array, from 0
MOST_POINTS = 2500
# Parameters that cost time; a rate is improved by costing a tenth less time too.
_COSTS = {
    "latency",
    "latency_without_overheads",
    "send_overhead",
    "receive_overhead",
    "gap",
    "gap_per_byte",
    "hop_latency",
}
_RATES = {"fma_peak", "dgemm", "peak"}

Time = Callable[[Machine], float]  # machine -> replayed time in s


@dataclass
class Progress:
    """What a person sees while many replays run; ``step`` is called after each."""

    total: int = 0
    done: int = 0
    step: Callable[["Progress"], None] = field(default=lambda progress: None)


@dataclass(frozen=True)
class Share:
    """Part ``number`` (from 1) of ``parts`` that several hosts make of one sweep, each where its replays are kept."""

    number: int
    parts: int

    @classmethod
    def of(cls, text: str) -> "Share":
        """``3/10``, or ``task/10`` in a task of an array. Raises UserError."""
        number, _, parts = text.partition("/")
        if number == TASK and os.environ.get(TASK_VARIABLE, "").isdecimal():
            number = str(int(os.environ[TASK_VARIABLE]) + 1)
        if number.isdecimal() and parts.isdecimal() and 1 <= int(number) <= int(parts):
            return cls(int(number), int(parts))
        raise UserError(f"--share {text} is not understood", "it says which part of how many", "write 3/10")

    def holds(self, index: int) -> bool:
        return index % self.parts == self.number - 1


WHOLE = Share(1, 1)


@dataclass(frozen=True)
class Finished:
    """Times of jobs in their order, None where not run; ``complete`` is False after an interruption."""

    times_s: list[float | None]
    complete: bool


def run_all(
    jobs: Sequence[Callable[[], float | None]], workers: int | None, progress: Progress, share: Share = WHOLE
) -> Finished:
    """Runs jobs on so many threads (each waits for a process of its own). Ctrl-C ends it with what is done; an error ends it."""
    times: list[float | None] = [None] * len(jobs)
    mine = [index for index in range(len(jobs)) if share.holds(index)]
    progress.total += len(mine)
    pool = ThreadPoolExecutor(max_workers=workers or len(os.sched_getaffinity(0)))
    running: dict[Future, int] = {}
    try:
        running = {pool.submit(jobs[index]): index for index in mine}
        while running:
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                times[running.pop(future)] = future.result()
                progress.done += 1
                progress.step(progress)
        return Finished(times, True)
    except KeyboardInterrupt:
        for future, index in running.items():
            if future.done() and not future.cancelled() and future.exception() is None:
                times[index] = future.result()
        return Finished(times, False)
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


Values = tuple[float, ...]


def grid(
    machine: Machine,
    sweeps: Sequence[Sweep],
    time: Time,
    workers: int | None,
    progress: Progress,
    share: Share = WHOLE,
) -> tuple[list[Values], Finished]:
    """All combinations of the swept values, and their times."""
    if len(sweeps) > 2:
        raise UserError(f"{len(sweeps)} sweeps", "a picture shows one fact or two", "give one or two --sweep")
    if len({sweep.path for sweep in sweeps}) < len(sweeps):
        raise UserError(
            f"{sweeps[0].path} is swept twice", "two sweeps make a grid of two facts", "sweep another fact"
        )
    values = list(itertools.product(*[sweep.values for sweep in sweeps]))
    if len(values) > MOST_POINTS:
        raise UserError(f"{len(values)} replays", f"a grid has at most {MOST_POINTS}", "ask for fewer values")

    def job(point: Values) -> Callable[[], float]:
        def run() -> float:
            changed = machine
            for sweep, value in zip(sweeps, point, strict=True):
                change = settable.scale if sweep.unit == TIMES else settable.put
                changed = change(changed, sweep.path, value)
            return time(changed)

        return run

    return values, run_all([job(point) for point in values], workers, progress, share)


def axis(machine: Machine, sweep: Sweep) -> Axis:
    return Axis(
        fact=sweep.path,
        unit=sweep.unit,
        values=sweep.values,
        logarithmic=sweep.logarithmic,
        base=1.0 if sweep.unit == TIMES else base_value(machine, sweep.path),
    )


def base_value(machine: Machine, path: str) -> float | None:
    """The value that the machine itself has; a compute factor is 1 unless set."""
    value = settable.current(machine, path)
    return 1.0 if value is None and path == settable.COMPUTE else value


def candidates(told_facts: Sequence[Basis], machine: Machine) -> list[str]:
    """Facts that can be improved: costs and rates that the replay rested on, and computing."""
    found = [settable.COMPUTE]
    for path in dict.fromkeys(fact.fact for fact in told_facts):
        name = path.rpartition(".")[2]
        wanted = name in _COSTS or "bandwidth" in name or name in _RATES
        if wanted and settable.current(machine, path):
            found.append(path)
    for path in [path for path in found if path.endswith(".gap_per_byte")]:
        if "network.topology.link_bandwidth" in found and path.split(".")[1] in ("node", "switch"):
            found.append(path.replace("gap_per_byte", "bandwidth"))  # of a stream and of the links together
    if settable.current(machine, settable.NOISE):
        found.append(settable.NOISE)
    return found


def improved(machine: Machine, path: str) -> Machine:
    """The machine on which this fact costs a tenth less time."""
    less = 1.0 - IMPROVEMENT
    costs = path in settable.REPLAY_UNITS or path.rpartition(".")[2] in _COSTS
    if path == settable.COMPUTE:
        return settable.put(machine, path, base_value(machine, path) * less)
    return settable.scale(machine, path, less if costs else 1.0 / less)


def sensitivity(
    machine: Machine,
    paths: Sequence[str],
    base_s: float,
    time: Time,
    workers: int | None,
    progress: Progress,
    share: Share = WHOLE,
) -> tuple[list[Gain], bool]:
    """What each fact buys when it costs a tenth less time: gain = 1 - time / base, the largest first; and whether all were replayed."""

    def job(path: str) -> Callable[[], float]:
        return lambda: time(improved(machine, path))

    finished = run_all([job(path) for path in paths], workers, progress, share)

    def gain(took: float | None) -> float | None:
        return None if took is None else (1.0 - took / base_s if base_s else 0.0)

    rows = [
        Gain(fact=path, time_s=took, gain=gain(took))
        for path, took in zip(paths, finished.times_s, strict=True)
    ]
    return sorted(rows, key=lambda row: (row.gain is None, -(row.gain or 0.0))), finished.complete
