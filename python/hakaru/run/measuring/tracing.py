"""What looks into launches of anybody's program: the tracer of MPI calls, or the watcher alone where there is no MPI."""

from dataclasses import dataclass
from pathlib import Path

from hakaru.base.errors import UserError
from hakaru.facts.traces.file_use import FileUse
from hakaru.facts.traces.profile import Profile
from hakaru.facts.traces.summary import TraceSummary
from hakaru.facts.traces.trace import TraceFolder
from hakaru.run.launchers.command_line import CommandLine
from hakaru.run.tracing.build import watcher
from hakaru.run.tracing.file_use import file_use
from hakaru.run.tracing.inject import Watching, preloading
from hakaru.run.tracing.profile import profile
from hakaru.run.tracing.run import tracer_for

SHARE = 5  # one launch of so many is traced, the first among them
LAYERS = ("posix", "stdio")  # of file calls; those of MPI-IO are MPI calls


@dataclass(frozen=True)
class Tracer:
    """``why_not``: in words, why nothing looks into the program. ``mpi``: whether its MPI calls are seen."""

    library: Path | None = None
    mpi: bool = False
    why_not: str | None = None

    @classmethod
    def of(cls, line: CommandLine) -> "Tracer":
        program = line.executable
        if program.static:
            return cls(why_not=f"{program.path} has MPI linked into it statically")
        try:
            return cls(tracer_for(line), True) if program.mpi else cls(watcher())
        except UserError as error:
            return cls(why_not=str(error))

    def variables(self, folder: TraceFolder, line: CommandLine) -> dict[str, str]:
        return preloading(self.library, folder.raw, line, Watching())


@dataclass(frozen=True)
class Seen:
    """What was seen inside of a launch; ``summary`` None for a program without MPI. ``why_not``: why not more."""

    summary: TraceSummary | None = None
    profile: Profile | None = None
    files: FileUse | None = None
    why_not: str | None = None

    @property
    def anything(self) -> bool:
        return any((self.summary, self.profile, self.files))

    @property
    def files_s(self) -> float:
        """Time in calls that use files, beside MPI-IO, over all processes."""
        uses = (use for file in self.files.files for use in file.uses) if self.files else ()
        return sum(use.seconds for use in uses if use.layer in LAYERS)


def read(folder: TraceFolder, mpi: bool) -> Seen:
    """Of a traced launch; what cannot be read is left out, with the reason."""
    problems: list[str] = []
    summary = _summary(folder, problems) if mpi else None
    found: dict[str, Profile | FileUse | None] = {"profile": None, "files": None}
    for what, make in (("profile", profile), ("files", file_use)):
        try:
            found[what] = make(folder.raw)
        except UserError as error:
            problems.append(str(error))
    return Seen(summary, **found, why_not="; ".join(problems) or None)


def _summary(folder: TraceFolder, problems: list[str]) -> TraceSummary | None:
    if not folder.raw_files():
        problems.append("no rank came through MPI_Init")
        return None
    if problem := folder.convert():
        problems.append(problem)
        return None
    try:
        return folder.trace.summary()
    except UserError as error:
        problems.append(str(error))
        return None
