"""Traces here, runs there, replays between."""

import statistics
import subprocess
from pathlib import Path
from typing import Any

from hakaru.base import processes
from hakaru.base.errors import ENVIRONMENT, UserError
from hakaru.base.paths import mpi_flavour
from hakaru.facts import native
from hakaru.facts.machines.settle import refusal, settle
from hakaru.facts.records import Record
from hakaru.foretell.accuracy.cases import Workload
from hakaru.foretell.replay.document import makespan_s
from hakaru.foretell.replay.engine import engine
from hakaru.foretell.replay.network import network_plan
from hakaru.run.lab import Cluster
from hakaru.run.lab.execute import REAL_TIME
from hakaru.run.launchers.command_line import CommandLine
from hakaru.run.launchers.here import launch_here
from hakaru.run.tracing.convert import convert
from hakaru.run.tracing.inject import inject
from hakaru.run.tracing.run import tracer_for

RANKS = 2
REGION = "repetition"  # the harness marks every timed repetition so in a trace
TIMEOUT_S = 300.0
# Messages of a lab may be slow; its one-sided operations are messages, too (osc pt2pt).
LAB_PROBES = {"messages": ("time_s=36",), "putget": ("samples=5", "maximum_bytes=65536")}


def _done(finished: subprocess.CompletedProcess, what: str) -> subprocess.CompletedProcess:
    if finished.returncode != 0:
        last = (finished.stderr or finished.stdout or "").strip().splitlines()[-1:]
        raise UserError(
            f"{what} ended with {finished.returncode}",
            last[0] if last else "it said nothing",
            "run it by hand",
            ENVIRONMENT,
        )
    return finished


def trace(workload: Workload, folder: Path, real_time: bool) -> Path:
    """OTF2 archive of one launch of the workload on two cores of this machine."""
    words = ["run", *workload.words, "--repetitions", str(workload.repetitions)]
    program = (str(native.program(workload.program).path), *words)
    line = CommandLine(launch_here(mpi_flavour(), RANKS), program)
    (folder / "raw").mkdir(parents=True)
    injected = inject(line, tracer_for(line), folder / "raw")
    ended = processes.run([*(REAL_TIME if real_time else ()), *injected.words], injected.variables, TIMEOUT_S)
    _done(
        subprocess.CompletedProcess(injected.words, ended.status, ended.output, ended.errors),
        f"tracing {workload.name}",
    )
    if problem := convert(folder / "raw", folder / "archive"):
        raise UserError(
            f"the trace of {workload.name} cannot be converted", problem, "trace it by hand", ENVIRONMENT
        )
    return folder / "archive"


def lab_machine(cluster: Cluster, folder: Path, real_time: bool) -> dict[str, Any]:
    """Facts of the lab's network from the probes ``messages`` and ``putget``, run between its two hosts."""

    def probed(names: list[str], attempt: int = 1) -> list[Record]:
        return [_probe_lab(cluster, name, folder / f"{name}-{attempt}.json", real_time) for name in names]

    records = {record.program: record for record in probed(list(LAB_PROBES))}
    machine, refused = settle(records, probed, "lab", lambda _: None)
    if refused:
        raise UserError(
            "the lab's probe was disturbed each time",
            refusal(refused),
            "let the machine rest, or use --real-time",
            ENVIRONMENT,
        )
    # What matters is one rank a host; the processor is this machine's and computes as it did in the trace.
    machine["processor"]["cores"] = {
        "value": 1,
        "unit": "1",
        "source": "the lab: one core a host",
    }
    return machine


def _probe_lab(cluster: Cluster, name: str, record: Path, real_time: bool) -> Record:
    line = [str(native.program(name).path), "run", *LAB_PROBES[name], "--record", str(record)]
    finished = cluster.run(line, RANKS, timeout_s=TIMEOUT_S, real_time=real_time)
    _done(finished, f"probing the lab with {name}")
    return Record.read(record)


def network_of(machine: dict[str, Any]) -> dict[str, Any]:
    """The engine's network document for one rank on each host."""
    return network_plan(machine, "hierarchy", RANKS, 1, ranks_per_node=1).document


def predict(archive: Path, network: dict[str, Any], repetitions: int) -> float:
    """Seconds of one repetition when the traced ranks exchange messages over ``network`` and compute as they did."""
    return makespan_s(engine(None).replay(archive, network, {}, only=REGION)) / repetitions


def run_there(cluster: Cluster, workload: Workload, record: Path, real_time: bool) -> float:
    """Seconds of a repetition of one launch on the lab: the mean, as it is of the trace. Raises UserError unless the launch verified its result."""
    program = native.program(workload.program)
    words = ["run", *workload.words, "--repetitions", str(workload.repetitions), "--record", str(record)]
    finished = cluster.run([str(program.path), *words], RANKS, timeout_s=TIMEOUT_S, real_time=real_time)
    _done(finished, f"{workload.name} on the lab")
    found = Record.read(record)
    if found.verdict == "failed":
        raise UserError(
            f"{workload.name} on the lab gave a wrong result", "its checks failed", "see its record"
        )
    return statistics.fmean(repetition.wall_s for repetition in found.repetitions)
