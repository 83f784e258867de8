"""One launch of a program in the user's terminal, without a record."""

from dataclasses import dataclass

from hakaru.base import processes
from hakaru.base.paths import mpi_flavour
from hakaru.facts import programs
from hakaru.run.launchers.here import launch_here
from hakaru.run.launchers.known import DIRECT
from hakaru.run.measuring.launching import Asked


@dataclass(frozen=True)
class Once:
    """``words``: parameters as ``name=value``."""

    program: str
    words: tuple[str, ...] = ()
    ranks: int = 1
    threads: int = 1
    preset: str | None = None
    repetitions: int | None = None
    warmup: int | None = None
    verify: bool = False
    dry_run: bool = False
    cold: bool = False


def start(once: Once) -> int:
    """The exit status; output and input are the terminal's. Raises UserError when it cannot be started."""
    command, variables, line, place = _prepared(once)
    if once.dry_run:
        print(line)
        return 0
    return processes.attend(command, variables, place)


def _prepared(once: Once) -> tuple[list[str], dict[str, str], str, str | None]:
    program = programs.named(once.program)
    given = programs.parse_assignments(once.words)
    command = "verify" if once.verify else "run"
    if once.cold:
        program.require_cold(command)
    if program.brings_launcher:
        typed = Asked(program.file, given, once.ranks, once.threads).line()
        return typed.words, typed.variables, typed.launch.line(typed.program), program.file.folder or None
    program.describe(given, once.ranks, once.threads, once.preset)
    execution = programs.Execution(
        command,
        given,
        once.threads,
        once.ranks,
        once.preset,
        once.repetitions,
        once.warmup,
        cold=once.cold,
    )
    launch = launch_here(mpi_flavour() if program.needs_mpi else DIRECT, once.ranks, once.threads)
    words = program.line(execution)
    return launch.command(words), launch.variables(), launch.line(words), None
