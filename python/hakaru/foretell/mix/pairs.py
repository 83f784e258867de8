"""How programs that share a node slow each other: each alone, and beside each other one that runs on and on, in turns."""

import dataclasses
import itertools
import os
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Protocol

from hakaru.base import processes, topology
from hakaru.base.errors import ENVIRONMENT, UserError
from hakaru.base.paths import mpi_flavour
from hakaru.base.statistics import Interval, median_interval
from hakaru.facts import programs
from hakaru.facts.programs import Execution
from hakaru.foretell.mix.file import MixFile
from hakaru.foretell.mix.kinds import Asked
from hakaru.run.launchers.here import launch_here
from hakaru.run.launchers.known import DIRECT
from hakaru.run.launchers.launch import NONE, Launch

TURNS = 5
FOR_EVER = 1_000_000  # repetitions
WARM_S = 1.0  # for a neighbour to begin its repetitions
LIMIT_S = 600.0


class Job(Protocol):
    """What shares a node: its name, its cores, one timed run (s of a repetition), and a run that goes on until it is ended."""

    label: str
    cores: int

    def timed_s(self) -> float: ...

    def endless(self) -> subprocess.Popen: ...


@dataclass(frozen=True)
class Slowed:
    """``slower``: time beside over time alone, its median over turns with an interval."""

    job: str
    beside: str
    slower: Interval

    def toml(self) -> str:
        found = self.slower
        told = f"# {found.low:.3f} to {found.high:.3f}, {found.count} turns"
        return f'[[pairs]]\njob = "{self.job}"\nbeside = "{self.beside}"\nslower = {max(found.value, 1.0):.3f}  {told}\n'


@dataclass(frozen=True)
class Leaf:
    """A program of hakaru, bound to nothing, so that the kernel spreads it and its neighbour over the cores."""

    label: str
    asked: Asked

    @property
    def cores(self) -> int:
        return self.asked.ranks * self.asked.threads

    def timed_s(self) -> float:
        program = programs.named(self.asked.program)
        with tempfile.TemporaryDirectory(prefix="hakaru-beside-") as folder:
            place = Path(folder) / "record.json"
            words = program.recorded(self._execution(self.asked.repetitions or None), place)
            launch = self._launch()
            done = processes.run(launch.command(words), launch.variables(), LIMIT_S)
            if done.status or not place.is_file():
                last = (done.errors or done.output).strip().splitlines()[-1:]
                raise UserError(
                    f"{self.label} ended with {done.status}",
                    last[0] if last else "it said nothing",
                    "run it by hand",
                    ENVIRONMENT,
                )
            return median(one.wall_s for one in program.record(place, done.output).repetitions)

    def endless(self) -> subprocess.Popen:
        launch = self._launch()
        words = programs.named(self.asked.program).line(self._execution(FOR_EVER))
        return subprocess.Popen(
            launch.command(words),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=os.environ | launch.variables(),
            start_new_session=True,
        )

    def _execution(self, repetitions: int | None) -> Execution:
        asked = self.asked
        return Execution("run", dict(asked.given), asked.threads, asked.ranks, repetitions=repetitions)

    def _launch(self) -> Launch:
        name = mpi_flavour() if programs.named(self.asked.program).needs_mpi else DIRECT
        return dataclasses.replace(launch_here(name, self.asked.ranks, self.asked.threads), binding=NONE)


def jobs_of(mix: MixFile) -> list[Leaf]:
    """The first size and layout of each program of the mix. Raises UserError where there is none that can be run beside another."""
    found = []
    for one in mix.jobs:
        if one.program and not programs.named(one.program).brings_launcher:
            given = {
                name: value[0] if isinstance(value, list) else value for name, value in one.parameters.items()
            }
            ranks, threads = map(int, one.layouts[0].split("x"))
            found.append(
                Leaf(one.name or one.program, Asked(one.program, given, ranks, threads, 1, one.repetitions))
            )
    if not found:
        raise UserError(
            f"the mix {mix.name} names no program of hakaru",
            "only those can be run beside each other here",
            "measure by hand",
        )
    return found


def measure(
    jobs: Sequence[Job],
    turns: int,
    say: Callable[[str], None],
    cores: int | None = None,
    warm_s: float = WARM_S,
) -> list[Slowed]:
    """Every ordered pair that fits on ``cores`` (of this host). Raises UserError where none does, or a neighbour ends by itself."""
    cores = cores or topology.usable_cores()
    fitting = [pair for pair in itertools.product(jobs, repeat=2) if pair[0].cores + pair[1].cores <= cores]
    if not fitting:
        least = min(one.cores for one in jobs)
        raise UserError(
            "no two jobs share a node here",
            f"the smallest has {least} cores, and there are {cores}",
            "use smaller layouts",
        )
    found: dict[tuple[str, str], list[float]] = {(one.label, other.label): [] for one, other in fitting}
    for turn in range(turns):
        say(f"turn {turn + 1} of {turns}")
        alone = {label: one.timed_s() for label, one in {one.label: one for one, _ in fitting}.items()}
        for one, other in fitting:
            with _running(other, warm_s):
                found[one.label, other.label].append(one.timed_s() / alone[one.label])
    return [Slowed(one, other, median_interval(ratios)) for (one, other), ratios in found.items()]


@contextmanager
def _running(neighbour: Job, warm_s: float) -> Iterator[None]:
    process = neighbour.endless()
    try:
        time.sleep(warm_s)
        yield
        if process.poll() is not None:
            raise UserError(
                f"{neighbour.label} ended beside the other",
                f"status {process.returncode}",
                "run it by hand",
                ENVIRONMENT,
            )
    finally:
        processes.end(process)
