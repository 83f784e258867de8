"""Runs a launch line with the tracer: build, inject, run, convert."""

import itertools
import shutil
import sys
from datetime import UTC, datetime
from pathlib import Path

from hakaru.base import processes
from hakaru.base.errors import ENVIRONMENT, UserError
from hakaru.facts.traces.trace import TraceFolder
from hakaru.run.launchers.command_line import CommandLine
from hakaru.run.launchers.known import DIRECT, launcher
from hakaru.run.tracing.build import find_compiler, library, watcher
from hakaru.run.tracing.inject import Watching, inject, understand


def trace_folder(output: Path | None, program: str) -> TraceFolder:
    """A new folder for the trace. Raises UserError when it exists with something in it or cannot be made."""
    if output is None:
        return _fresh_folder(Path(program).name)
    if output.exists() and (not output.is_dir() or any(output.iterdir())):
        raise UserError(
            f"{output} is there already",
            "a trace is never mixed with other files",
            "name another folder with --output",
        )
    return _made(output, exist_ok=True)


def _fresh_folder(program: str) -> TraceFolder:
    """trace-PROGRAM-TIME, with a number where another trace began in the same second."""
    stem = f"trace-{program}-{datetime.now(UTC).strftime('%Y%m%dT%H%M%S')}"
    for number in itertools.count(1):
        try:
            return _made(Path(stem if number == 1 else f"{stem}-{number}"), exist_ok=False)
        except FileExistsError:
            continue


def _made(folder: Path, exist_ok: bool) -> TraceFolder:
    try:
        return TraceFolder(folder).make(exist_ok)
    except OSError as error:
        if isinstance(error, FileExistsError) and not exist_ok:
            raise
        raise UserError(
            f"{folder} cannot be made",
            error.strerror or str(error),
            "name another folder with --output",
            ENVIRONMENT,
        ) from None


def tracer_for(line: CommandLine) -> Path:
    """The tracer for the program's MPI library; of a program without MPI that is started directly, the watcher alone. Raises UserError
    when it cannot be compiled."""
    if _is_alone(line):
        return watcher()
    beside = None
    if launcher(line.launch.launcher).library:
        require_its_launcher(line)
        beside = Path(shutil.which(line.words[0]) or line.words[0]).resolve().parent
    return library(find_compiler(line.flavour, beside))


def require_its_launcher(line: CommandLine) -> None:
    """Raises UserError where the launcher belongs to another MPI library than the program: each rank would be a world of its own."""
    own, linked = line.launch.launcher, line.executable.flavour
    if launcher(own).library and linked and linked != own:
        raise UserError(
            f"{line.executable.path} cannot be started by this launcher",
            f"it is linked with {linked}, {line.words[0]} belongs to {own}",
            f"use mpirun.{linked}",
        )


def _is_alone(line: CommandLine) -> bool:
    """A binary without MPI, started without a launcher. A script may start MPI programs."""
    if line.launch.launcher != DIRECT or line.executable.mpi:
        return False
    try:
        with open(line.executable.path, "rb") as file:
            return file.read(4) == b"\x7fELF"
    except OSError:
        return False


def run(line: CommandLine) -> int:
    """Exit status of the line; its output goes where ours goes. After Ctrl-C, which the ranks get too, it is waited for."""
    return processes.attend(line.words, line.variables)


def start(
    words: list[str], output: Path | None, watching: Watching | None = None
) -> tuple[TraceFolder, CommandLine, int]:
    """Traces a command: (folder, the line that was run, exit status)."""
    line = understand(words)
    program = line.executable
    if not program.mpi and program.path and line.launch.launcher == DIRECT:
        print(f"hakaru: {program.path} seems to use no MPI; it is run all the same", file=sys.stderr)
    tracer = tracer_for(line)
    folder = trace_folder(output, program.path)
    injected = inject(line, tracer, folder.raw, watching)
    return folder, injected, run(injected)
