"""A person's own program against a lab: the same command traced here and there, from MPI_Init to MPI_Finalize."""

import shlex
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from hakaru.base.errors import ENVIRONMENT, UserError
from hakaru.base.topology import usable_cores
from hakaru.facts.traces.trace import Trace, TraceFolder
from hakaru.foretell.accuracy.measure import AS_ROOT, TIMEOUT_S, converted, done, traced
from hakaru.foretell.replay.documents import Network, Options
from hakaru.foretell.replay.engine import engine
from hakaru.run.lab import Cluster
from hakaru.run.launchers.command_line import CommandLine
from hakaru.run.tracing.inject import understand
from hakaru.run.tracing.run import tracer_for

EXAMPLE = "mpirun -n 2 ./mycode"
ENDS_ALONE = {
    "HAKARU_TRACE_CALLS": "0"
}  # the tracer records MPI_Init and MPI_Finalize and costs nothing between them


@dataclass(frozen=True)
class Own:
    """``words`` start the program alone; ``line`` is what the person wrote."""

    line: CommandLine
    words: tuple[str, ...]
    ranks: int
    called: str = ""  # the name by which it is shown; the line's words where there is none

    @property
    def name(self) -> str:
        return self.called or " ".join([Path(self.words[0]).name, *self.words[1:]])

    def trace(self, folder: Path, real_time: bool) -> Path:
        return traced(self.line.setting(AS_ROOT), folder, self.name, real_time)

    def time(self, folder: Path) -> float:
        """Seconds of one launch here without the cost of tracing."""
        return run_s(traced(self.line.setting(AS_ROOT | ENDS_ALONE), folder, self.name, False))

    def predict(self, archive: Path, network: Network) -> float:
        return engine(None).replay(archive, network, Options()).makespan_s

    def run_there(self, cluster: Cluster, folder: Path, real_time: bool) -> float:
        """The tracer takes the time there, too, of the same part of the run."""
        there = folder / "there"
        raw = TraceFolder(there).make().raw
        variables = {"LD_PRELOAD": str(tracer_for(self.line)), "HAKARU_TRACE_FOLDER": str(raw)} | ENDS_ALONE
        command = ["env", "-C", str(Path.cwd()), *self.words]
        finished: subprocess.CompletedProcess = cluster.run(
            command, self.ranks, environment=variables, timeout_s=TIMEOUT_S, real_time=real_time
        )
        done(finished, f"{self.name} on the lab")
        return run_s(converted(there, self.name))


def run_s(archive: Path) -> float:
    """Length of the critical path of a trace: from the last return of MPI_Init to the call of MPI_Finalize of the last rank."""
    return Trace.of_archive(archive).summary().critical_path.seconds


def lines(file: Path) -> list[Own]:
    """The programs of a file of launch lines, one a line; empty lines and those that begin with # say nothing. Raises UserError."""
    try:
        text = file.read_text()
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(
            f"cannot read {file}", str(error), "name a file of launch lines", ENVIRONMENT
        ) from None
    found = []
    for number, line in enumerate(text.splitlines(), start=1):
        try:
            if words := _words(line):
                found.append(own(words))
        except UserError as error:
            raise UserError(
                f"line {number} of {file}: {error.problem}", error.why, error.what_to_do
            ) from None
    if not found:
        raise UserError(f"{file} names no program", "it has no launch line", f"for example {EXAMPLE}")
    return found


def _words(line: str) -> list[str]:
    try:
        return shlex.split(line, comments=True)
    except ValueError as error:
        raise UserError("it cannot be read", str(error), f"for example {EXAMPLE}") from None


def own(words: Sequence[str]) -> Own:
    """The program of a launch line. Raises UserError for lines that a lab cannot repeat."""
    line = understand(list(words))
    if line.launch.launcher != "openmpi" or ":" in words:
        raise UserError(
            "this line cannot be repeated on a lab",
            "a lab starts one program with Open MPI's mpirun",
            f"for example {EXAMPLE}",
        )
    program = line.program
    ranks = line.launch.ranks
    if ranks is None:
        raise UserError("the number of ranks is not said", "no option -n N", f"for example {EXAMPLE}")
    if not 2 <= ranks <= usable_cores():
        raise UserError(
            f"{ranks} ranks cannot be held against a lab",
            f"each rank gets a host with a core, and {usable_cores()} can be used",
            f"for example {EXAMPLE}",
        )
    return Own(line, (shutil.which(program[0]) or program[0], *program[1:]), ranks)
