"""What the preloaded tracer adds to an MPI call, against 120 ns, and the bytes it writes for an event, against 16."""

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from hakaru.base.errors import ENVIRONMENT, UserError
from hakaru.base.paths import mpi_flavour
from hakaru.base.statistics import median_interval
from hakaru.facts.traces.raw import raw_files
from hakaru.own.bench import Interleaved, row
from hakaru.run.tracing.build import Compiler, find_compiler, library
from hakaru.run.tracing.inject import inject, understand

ROUNDS = 101
CALLS = 1000
ADDED_BOUND_S = 120e-9
EVENT_BOUND_BYTES = 16.0
ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
# Events of an item as OTF2 counts them; Enter and Leave are two more for each call.
EVENTS = {"send": 1, "recv": 1, "isend": 1, "irecv": 1, "send_done": 1, "recv_done": 1, "collective": 2}


def compile_calls(compiler: Compiler, folder: Path) -> Path:
    program = folder / "tracer_calls"
    source = Path(__file__).with_name("tracer_calls.c")
    quiet = ["-Wno-nonnull", "-Wno-stringop-overflow"]
    command = [compiler.path, "-O2", "-std=gnu11", *quiet, str(source), "-o", str(program), "-ldl"]
    subprocess.run(command, check=True, capture_output=True)
    return program


def traced_run(compiler: Compiler, program: Path, raw: Path) -> dict[str, Interleaved]:
    """Name of the calls -> seconds a call through the tracer and straight into the library, in turns of one run."""
    launcher = shutil.which(f"mpirun.{mpi_flavour()}") or shutil.which("mpirun")
    if launcher is None:
        raise UserError("mpirun was not found", "the tracer is measured on MPI", "install it", ENVIRONMENT)
    line = inject(
        understand([launcher, "-n", "2", str(program), str(ROUNDS), str(CALLS)]), library(compiler), raw
    )
    done = subprocess.run(
        line.words,
        env=os.environ | line.variables | ROOT,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    if done.returncode != 0 or "not loaded" in done.stderr:
        raise RuntimeError(f"{program.name} ended with {done.returncode}: {done.stderr.strip()[-300:]}")
    results: dict[str, Interleaved] = {}
    for name, traced, plain in (text.split("\t") for text in done.stdout.splitlines()):
        samples = results.setdefault(name, Interleaved({"traced": [], "plain": []})).samples
        samples["traced"].append(float(traced))
        samples["plain"].append(float(plain))
    return results


def bytes_per_event(raw: Path) -> float:
    """Of everything that rank 0 recorded."""
    file = raw_files(raw)[0]
    events = sum(2 + sum(EVENTS.get(item.kind, 0) for item in record.items) for record in file.records())
    return (file.header.records_end - file.header.records_offset) / events


def run() -> list[dict]:
    compiler = find_compiler(mpi_flavour())
    with tempfile.TemporaryDirectory() as folder:
        raw = Path(folder) / "raw"
        results = traced_run(compiler, compile_calls(compiler, Path(folder)), raw)
        size = bytes_per_event(raw)
    rows = []
    for name, result in results.items():
        pairs = zip(result.samples["traced"], result.samples["plain"], strict=True)
        added = median_interval([traced - plain for traced, plain in pairs])
        plain = result.interval("plain").value
        rows.append(
            row("tracer", f"added to a call: {name}, peer: the call", added, "s", ADDED_BOUND_S, plain)
        )
    rows.append(row("tracer", "bytes written for an event", median_interval([size]), "B", EVENT_BOUND_BYTES))
    return rows
