"""The tracer in launches of anybody's program: put in, and what it saw read afterwards."""

import os
from dataclasses import dataclass
from pathlib import Path

from hakaru.base.errors import UserError
from hakaru.facts.traces.summary import TraceSummary
from hakaru.facts.traces.trace import TraceFolder
from hakaru.run.launchers.command_line import CommandLine
from hakaru.run.tracing.run import tracer_for

SHARE = 5  # one launch of so many is traced, the first among them


@dataclass(frozen=True)
class Tracer:
    """``why_not``: in words, where there is none."""

    library: Path | None = None
    why_not: str | None = None

    @classmethod
    def of(cls, line: CommandLine) -> "Tracer":
        program = line.executable
        if program.static:
            return cls(why_not=f"{program.path} has MPI linked into it statically")
        if not program.mpi:
            return cls(why_not=f"{program.path} uses no shared MPI library")
        try:
            return cls(tracer_for(line))
        except UserError as error:
            return cls(why_not=str(error))

    def variables(self, folder: TraceFolder) -> dict[str, str]:
        preload = ":".join(filter(None, [str(self.library), os.environ.get("LD_PRELOAD")]))
        return {"LD_PRELOAD": preload, "HAKARU_TRACE_FOLDER": str(folder.raw.resolve())}


def read(folder: TraceFolder) -> TraceSummary | str:
    """What the tracer saw, or why that is not known."""
    if not folder.raw_files():
        return "no rank came through MPI_Init"
    if problem := folder.convert():
        return problem
    try:
        return folder.trace.summary()
    except UserError as error:
        return str(error)
