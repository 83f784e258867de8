"""Traces here, runs there, replays between."""

import os
import statistics
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from hakaru.base.errors import ENVIRONMENT, UserError
from hakaru.base.paths import mpi_flavour
from hakaru.facts import native
from hakaru.facts.machines import distil
from hakaru.facts.records import Record
from hakaru.foretell.accuracy.cases import Workload
from hakaru.foretell.replay.document import makespan_s
from hakaru.foretell.replay.engine import engine
from hakaru.foretell.replay.network import network_plan
from hakaru.run.lab import Cluster
from hakaru.run.lab.execute import REAL_TIME
from hakaru.run.launchers import launch
from hakaru.run.tracing.convert import convert
from hakaru.run.tracing.launch_line import LaunchLine, inject, understand
from hakaru.run.tracing.run import tracer_for

RANKS = 2
REGION = "repetition"  # the harness marks every timed repetition so in a trace
TIMEOUT_S = 300.0
PROBE_S = 36.0  # for the probe of a lab, whose messages may be slow


def done(finished: subprocess.CompletedProcess, what: str) -> subprocess.CompletedProcess:
    if finished.returncode != 0:
        last = (finished.stderr or finished.stdout or "").strip().splitlines()[-1:]
        raise UserError(
            f"{what} ended with {finished.returncode}",
            last[0] if last else "it said nothing",
            "run it by hand",
            ENVIRONMENT,
        )
    return finished


class Measured(Protocol):
    """What is held against a lab: traced here, predicted, run there. ``folder`` of a turn is its own."""

    ranks: int

    @property
    def name(self) -> str: ...

    def trace(self, folder: Path, real_time: bool) -> Path:
        """OTF2 archive of one launch on cores of this machine."""
        ...

    def predict(self, archive: Path, network: dict[str, Any]) -> float:
        """Seconds when the traced ranks exchange messages over ``network`` and compute as they did."""
        ...

    def run_there(self, cluster: Cluster, folder: Path, real_time: bool) -> float:
        """Seconds of one launch on the lab, of what ``predict`` predicts."""
        ...


@dataclass(frozen=True)
class Leaf:
    """A program of hakaru: seconds of a repetition, which the harness marks in a trace and times in a record."""

    workload: Workload
    ranks: int = RANKS

    @property
    def name(self) -> str:
        return self.workload.name

    def _words(self) -> list[str]:
        return ["run", *self.workload.words, "--repetitions", str(self.workload.repetitions)]

    def trace(self, folder: Path, real_time: bool) -> Path:
        program = native.program(self.workload.program).path
        started = launch(mpi_flavour(), program, True, self.ranks, 1)
        line = understand([*started.command, *self._words()])
        return traced(line, started.environment, folder, self.name, real_time)

    def predict(self, archive: Path, network: dict[str, Any]) -> float:
        whole_s = makespan_s(engine(None).replay(archive, network, {}, only=REGION))
        return whole_s / self.workload.repetitions

    def run_there(self, cluster: Cluster, folder: Path, real_time: bool) -> float:
        """The mean over the repetitions, as it is of the trace. Raises UserError unless the launch verified its result."""
        program, record = native.program(self.workload.program), folder / "record.json"
        command = [str(program.path), *self._words(), "--record", str(record)]
        done(
            cluster.run(command, self.ranks, timeout_s=TIMEOUT_S, real_time=real_time),
            f"{self.name} on the lab",
        )
        found = Record.read(record)
        if found.verdict == "failed":
            raise UserError(
                f"{self.name} on the lab gave a wrong result", "its checks failed", "see its record"
            )
        return statistics.fmean(repetition.wall_s for repetition in found.repetitions)


def traced(line: LaunchLine, environment: dict[str, str], folder: Path, name: str, real_time: bool) -> Path:
    """OTF2 archive of one launch of a line here."""
    (folder / "raw").mkdir(parents=True)
    injected = inject(line, tracer_for(line), folder / "raw")
    finished = subprocess.run(
        [*(REAL_TIME if real_time else ()), *injected.command],
        env=os.environ | environment | injected.environment,
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
    )
    done(finished, f"tracing {name}")
    return converted(folder, name)


def converted(folder: Path, name: str) -> Path:
    if problem := convert(folder / "raw", folder / "archive"):
        raise UserError(f"the trace of {name} cannot be converted", problem, "trace it by hand", ENVIRONMENT)
    return folder / "archive"


def lab_machine(cluster: Cluster, record: Path, real_time: bool) -> dict[str, Any]:
    """Facts of the lab's network from the probe ``messages``, run between its two hosts."""
    program = native.program("messages")
    done(
        cluster.run(
            [str(program.path), "run", f"time_s={PROBE_S:g}", "--record", str(record)],
            RANKS,
            timeout_s=TIMEOUT_S,
            real_time=real_time,
        ),
        "probing the lab's messages",
    )
    machine = distil([Record.read(record)], "lab")
    # What matters is one rank a host; the processor is this machine's and computes as it did in the trace.
    machine["processor"]["cores"] = {
        "value": 1,
        "unit": "1",
        "source": "the lab: one core a host",
    }
    return machine


def network_of(machine: dict[str, Any], ranks: int) -> dict[str, Any]:
    """The engine's network document for one rank on each host."""
    return network_plan(machine, "hierarchy", ranks, 1, ranks_per_node=1).document
