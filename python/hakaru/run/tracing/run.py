"""Runs a launch line with the tracer: build, inject, run, convert."""

import itertools
import os
import shutil
import signal
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

from hakaru.base.errors import ENVIRONMENT, UserError
from hakaru.run.tracing.build import find_compiler, library
from hakaru.run.tracing.launch_line import LaunchLine, inject, understand


def trace_folder(output: Path | None, program: str) -> Path:
    """A new folder for the trace. Raises UserError when it exists with something in it or cannot be made."""
    if output is None:
        return _fresh_folder(Path(program).name)
    if output.exists() and (not output.is_dir() or any(output.iterdir())):
        raise UserError(
            f"{output} is there already",
            "a trace is never mixed with other files",
            "name another folder with --output",
        )
    return _with_raw(output, exist_ok=True)


def _fresh_folder(program: str) -> Path:
    """trace-PROGRAM-TIME, with a number where another trace began in the same second."""
    stem = f"trace-{program}-{datetime.now(UTC).strftime('%Y%m%dT%H%M%S')}"
    for number in itertools.count(1):
        try:
            return _with_raw(Path(stem if number == 1 else f"{stem}-{number}"), exist_ok=False)
        except FileExistsError:
            continue


def _with_raw(folder: Path, exist_ok: bool) -> Path:
    try:
        folder.mkdir(parents=True, exist_ok=exist_ok)
        (folder / "raw").mkdir()
    except OSError as error:
        if isinstance(error, FileExistsError) and not exist_ok:
            raise
        raise UserError(
            f"{folder} cannot be made",
            error.strerror or str(error),
            "name another folder with --output",
            ENVIRONMENT,
        ) from None
    return folder


def tracer_for(line: LaunchLine) -> Path:
    """The tracer for the program's MPI library. Raises UserError when it cannot be compiled."""
    beside = None
    if line.kind in ("openmpi", "mpich"):
        beside = Path(shutil.which(line.command[0]) or line.command[0]).resolve().parent
    if line.program.flavour and line.kind in ("openmpi", "mpich") and line.program.flavour != line.kind:
        raise UserError(
            f"{line.program.path} cannot be started by this launcher",
            f"it is linked with {line.program.flavour}, {line.command[0]} belongs to {line.kind}",
            f"use mpirun.{line.program.flavour}",
        )
    return library(find_compiler(line.flavour, beside))


def run(line: LaunchLine) -> int:
    """Exit status of the line; its output goes where ours goes. After Ctrl-C, which the ranks get too, it is waited for."""
    child = subprocess.Popen(line.command, env=os.environ | line.environment)
    signal.signal(signal.SIGTERM, lambda *_: child.terminate())
    interrupts = 0
    while True:
        try:
            status = child.wait()
            return status if status >= 0 else 128 - status
        except KeyboardInterrupt:
            interrupts += 1
            if interrupts >= 3:
                child.send_signal(signal.SIGKILL)


def start(words: list[str], output: Path | None) -> tuple[Path, LaunchLine, int]:
    """Traces a command: (folder, the line that was run, exit status)."""
    line = understand(words)
    if not line.program.mpi and line.program.path and line.kind == "direct":
        print(f"hakaru: {line.program.path} seems to use no MPI; it is run all the same", file=sys.stderr)
    tracer = tracer_for(line)
    folder = trace_folder(output, line.program.path)
    injected = inject(line, tracer, folder / "raw")
    return folder, injected, run(injected)
