"""Traces here, runs there, replays between."""

import statistics
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from hakaru.base import processes
from hakaru.base.errors import ENVIRONMENT, UserError
from hakaru.base.paths import mpi_flavour
from hakaru.facts import programs
from hakaru.facts.machines import Machine
from hakaru.facts.machines.fact import Fact
from hakaru.facts.machines.settle import refusal, settle
from hakaru.facts.programs import Execution
from hakaru.facts.records import Record
from hakaru.facts.traces.trace import TraceFolder
from hakaru.foretell.accuracy.cases import Workload
from hakaru.foretell.replay.documents import Network, Options
from hakaru.foretell.replay.engine import engine
from hakaru.foretell.replay.network import network_plan
from hakaru.run.lab import Cluster
from hakaru.run.lab.execute import REAL_TIME
from hakaru.run.launchers.command_line import CommandLine
from hakaru.run.launchers.here import launch_here
from hakaru.run.tracing.inject import inject
from hakaru.run.tracing.run import tracer_for

RANKS = 2
REGION = "repetition"  # the harness marks every timed repetition so in a trace
TIMEOUT_S = 300.0
AS_ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}  # a lab needs root
# Messages of a lab may be slow; its one-sided operations are messages, too (osc pt2pt).
LAB_PROBES = {"messages": {"time_s": 36}, "putget": {"samples": 5, "maximum_bytes": 65536}}
LATENCIES = 24_000  # that the probe of messages lasts: five rounds of every octave, rendezvous included
MEMORY_PROBE = "memory_bandwidth"  # prices copies to oneself and the sums of reductions


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

    def predict(self, archive: Path, network: Network) -> float:
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

    def trace(self, folder: Path, real_time: bool) -> Path:
        program = programs.named(self.workload.program).line(self.workload.execution)
        line = CommandLine(launch_here(mpi_flavour(), self.ranks), tuple(program))
        return traced(line, folder, self.name, real_time)

    def predict(self, archive: Path, network: Network) -> float:
        whole = engine(None).replay(archive, network, Options(), only=REGION)
        return whole.makespan_s / self.workload.repetitions

    def run_there(self, cluster: Cluster, folder: Path, real_time: bool) -> float:
        """The mean over the repetitions, as it is of the trace. Raises UserError unless the launch verified its result."""
        program, record = programs.named(self.workload.program), folder / "record.json"
        command = program.recorded(self.workload.execution, record)
        finished = done(
            cluster.run(command, self.ranks, timeout_s=TIMEOUT_S, real_time=real_time),
            f"{self.name} on the lab",
        )
        found = program.record(record, finished.stdout)
        if found.verdict == "failed":
            raise UserError(
                f"{self.name} on the lab gave a wrong result", "its checks failed", "see its record"
            )
        return statistics.fmean(repetition.wall_s for repetition in found.repetitions)


def traced(line: CommandLine, folder: Path, name: str, real_time: bool) -> Path:
    """OTF2 archive of one launch of a line here."""
    injected = inject(line, tracer_for(line), TraceFolder(folder).make().raw)
    words = [*(REAL_TIME if real_time else ()), *injected.words]
    run_here(words, injected.variables, f"tracing {name}")
    return converted(folder, name)


def run_here(words: Sequence[str], variables: Mapping[str, str], what: str) -> subprocess.CompletedProcess:
    """One launch on this machine, in our session (measuring.awake). Raises UserError naming ``what`` when it fails."""
    ended = processes.run(words, variables, TIMEOUT_S, own_session=False)
    return done(subprocess.CompletedProcess(words, ended.status, ended.output, ended.errors), what)


def converted(folder: Path, name: str) -> Path:
    """The archive alone is left: a round of 46 programs and nine turns holds 2.4 GB of them."""
    kept = TraceFolder(folder)
    if problem := kept.convert():
        raise UserError(f"the trace of {name} cannot be converted", problem, "trace it by hand", ENVIRONMENT)
    kept.drop_raw()
    return kept.archive


def probe_here(name: str, ranks: int, record: Path, parameters: Mapping[str, Any] | None = None) -> Record:
    """One run of a probe on this machine."""
    program = programs.named(name)
    words = program.recorded(Execution(parameters=dict(parameters or {})), record)
    line = CommandLine(launch_here(mpi_flavour(), ranks), tuple(words))
    finished = run_here(line.words, line.variables | AS_ROOT, f"the probe {name}")
    return program.record(record, finished.stdout)


def lab_machine(cluster: Cluster, memory: Record, folder: Path, real_time: bool) -> Machine:
    """Facts of the lab: of its network from the probes ``messages`` and ``putget``, run between its two hosts, and of its ``memory``,
    which is this machine's."""

    def probed(names: list[str], attempt: int = 1) -> list[Record]:
        return [
            probe_here(name, 1, folder / f"{name}-{attempt}.json")
            if name == MEMORY_PROBE
            else _probe_lab(cluster, name, folder / f"{name}-{attempt}.json", real_time)
            for name in names
        ]

    records = {record.program: record for record in [memory, *probed(list(LAB_PROBES))]}
    machine, refused = settle(records, probed, "lab", lambda _: None)
    if refused:
        raise UserError(
            "the lab's probe was disturbed each time",
            refusal(refused),
            "let the machine rest, or use --real-time",
            ENVIRONMENT,
        )
    # What matters is one rank a host; the processor is this machine's and computes as it did in the trace.
    return machine.with_facts("processor.cores", Fact(value=1, unit="1", source="the lab: one core a host"))


def _probe_lab(cluster: Cluster, name: str, record: Path, real_time: bool) -> Record:
    program = programs.named(name)
    parameters = dict(LAB_PROBES[name])
    if "time_s" in parameters:
        parameters["time_s"] = max(parameters["time_s"], LATENCIES * cluster.state.settings.latency_s)
    line = program.recorded(Execution(parameters=parameters), record)
    finished = done(
        cluster.run(line, RANKS, timeout_s=TIMEOUT_S, real_time=real_time), f"probing the lab with {name}"
    )
    return program.record(record, finished.stdout)


def network_of(machine: Machine, ranks: int) -> Network:
    """For one rank on each host."""
    return network_plan(machine, "hierarchy", ranks, 1, ranks_per_node=1).network
