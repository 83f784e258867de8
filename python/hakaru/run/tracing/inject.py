"""A launch line with the tracer injected."""

import os
from dataclasses import dataclass
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


LEAST_HZ, MOST_HZ = 1.0, 1000.0


@dataclass(frozen=True)
class Watching:
    """What is watched beside the MPI calls: ``rate_hz`` samples for each second of a thread's CPU time, None for none; ``files``."""

    rate_hz: float | None = 100.0
    files: bool = True

    def __post_init__(self):
        if self.rate_hz is not None and not LEAST_HZ <= self.rate_hz <= MOST_HZ:
            raise UserError(
                f"a rate of {self.rate_hz:g} Hz cannot be sampled",
                f"it lies between {LEAST_HZ:g} and {MOST_HZ:g}",
                "choose another --rate",
            )

    def variables(self) -> dict[str, str]:
        found = {"HAKARU_TRACE_FILES": "1"} if self.files else {}
        return found | ({"HAKARU_TRACE_PROFILE": str(round(1e9 / self.rate_hz))} if self.rate_hz else {})


KOKKOS = ("KOKKOS_TOOLS_LIBS", "KOKKOS_PROFILE_LIBRARY")  # the second until version 3.6
KOKKOS_OPTION = "--kokkos-tools-lib"  # how both of its forms begin


def _regions(library: Path, line: CommandLine) -> dict[str, str]:
    """Variables by which Kokkos tells its regions; none where the program is given a tool of its own."""
    taken = any(name in os.environ or name in line.variables for name in KOKKOS)
    if taken or any(word.startswith(KOKKOS_OPTION) for word in line.words):
        return {}
    return dict.fromkeys(KOKKOS, str(library))


def preloading(
    library: Path, folder: Path, line: CommandLine, watching: Watching | None = None
) -> dict[str, str]:
    """Variables of ranks of ``line`` that have the tracer in them, writing into ``folder``."""
    preload = ":".join(filter(None, [str(library), os.environ.get("LD_PRELOAD")]))
    more = watching.variables() if watching else {}
    more |= _regions(library, line)
    return {"LD_PRELOAD": preload, "HAKARU_TRACE_FOLDER": str(folder.resolve()), **more}


def inject(line: CommandLine, library: Path, folder: Path, watching: Watching | None = None) -> CommandLine:
    """The line that runs the same ranks with the tracer, writing into ``folder``."""
    return line.exporting(preloading(library, folder, line, watching))
