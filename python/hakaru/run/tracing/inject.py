"""A launch line with the tracer injected."""

import os
from pathlib import Path

from hakaru.base.errors import UserError
from hakaru.run.launchers.command_line import CommandLine


def understand(words: list[str]) -> CommandLine:
    """A line to be traced. Raises UserError when the launcher or the program is missing, or when MPI is linked statically."""
    if not words:
        raise UserError("nothing to trace", "no command was given", "hakaru trace -- mpirun -n 8 ./program")
    line = CommandLine.read(words)
    if line.executable.static:
        raise UserError(
            f"{line.executable.path} cannot be traced",
            "MPI is linked into it statically, and a preloaded library replaces only shared ones",
            "link the program with the shared MPI library",
        )
    return line


def inject(line: CommandLine, library: Path, folder: Path) -> CommandLine:
    """The line that runs the same ranks with the tracer, writing into ``folder``."""
    preload = ":".join(filter(None, [str(library), os.environ.get("LD_PRELOAD")]))
    return line.exporting({"LD_PRELOAD": preload, "HAKARU_TRACE_FOLDER": str(folder.resolve())})
