"""What is replayed: an OTF2 archive, a schedule file, or the schedule of one of hakaru's programs."""

from dataclasses import dataclass, field
from pathlib import Path

from hakaru.base.errors import UserError
from hakaru.facts import programs
from hakaru.facts.schedules import Head
from hakaru.facts.traces.trace import SUFFIX, Trace
from hakaru.facts.work import Parameters, Work
from hakaru.foretell.replay.documents.answer import Input
from hakaru.run.measuring import by_name

PREFIX = "schedule:"


@dataclass(frozen=True)
class Source:
    """``ranks`` and ``work`` (counts by phase) are None and empty where only the replay engine can read them."""

    kind: str  # "trace" or "schedule"
    path: Path
    name: str
    program: str | None = None
    parameters: Parameters = field(default_factory=dict)
    ranks: int | None = None
    threads: int = 1
    work: dict[str, dict[str, float]] = field(default_factory=dict)
    evaluated: Work | None = None

    @property
    def precision(self) -> str:
        """Of the arithmetic, where the program has such a parameter."""
        return str(self.parameters.get("precision", "double"))

    def told(self, ranks: int, warnings: tuple[str, ...]) -> Input:
        """As an answer says it; only the engine knows the ranks and the warnings of a trace."""
        return Input(
            kind=self.kind,
            name=self.name,
            program=self.program,
            parameters=self.parameters,
            ranks=ranks,
            threads=self.threads,
            warnings=warnings,
        )


def find(text: str, ranks: int | None, threads: int | None, folder: Path) -> Source:
    """The input that a person named. ``folder`` takes the schedule that a program writes. Raises UserError when there is none."""
    if text.startswith(PREFIX):
        return _of_program(text.removeprefix(PREFIX), ranks, threads or 1, folder)
    if text.startswith(by_name.PREFIX):
        return _of_measured(text.removeprefix(by_name.PREFIX), ranks, threads)
    if ranks is not None:
        raise UserError(
            "--ranks is given",
            f"{text} says itself how many ranks it has",
            "leave it away; --ranks is for schedule:PROGRAM",
        )
    path = Path(text)
    if path.is_dir():
        path = Trace.of_archive(path).path
    if not path.is_file():
        example = f"an OTF2 archive, a schedule in JSON, or {PREFIX}PROGRAM,n=128 --ranks 64"
        raise UserError(f"there is no input {text}", "no such file or folder", f"give {example}")
    if path.suffix == SUFFIX:
        return Source("trace", path, text, threads=threads or 1)
    return _of_file(path, text, threads or 1)


def _of_measured(text: str, ranks: int | None, threads: int | None) -> Source:
    """A trace of anybody's program that was measured, which is run when no trace of it is kept."""
    words = [part.strip() for part in text.split(",") if part.strip()]
    found = by_name.named(words, ranks, threads)
    if found is None:
        raise UserError(
            f"'{words[0] if words else ''}' was not measured",
            f"{by_name.PREFIX} is followed by a program of the results folder",
            "measure it first: hakaru measure -- COMMAND",
        )
    return Source("trace", by_name.trace(found), text, threads=found.threads)


def _of_file(path: Path, name: str, threads: int) -> Source:
    head = Head.read(path)
    return Source("schedule", path, name, head.program or None, {}, head.ranks, threads)


def _of_program(text: str, ranks: int | None, threads: int, folder: Path) -> Source:
    name, *words = [part.strip() for part in text.split(",") if part.strip()] or [""]
    if not name:
        raise UserError(
            "no program is named",
            f"{PREFIX} is followed by one",
            f"for example {PREFIX}turbulence,n=128 --ranks 64",
        )
    if ranks is None:
        raise UserError(
            f"how many ranks of {name}",
            "a schedule is made for a number of ranks",
            "give --ranks, such as --ranks 64",
        )
    program = programs.named(name)
    given = programs.parse_assignments(words)
    evaluated = program.work(given, ranks, threads)
    if evaluated.refused:
        raise UserError(
            f"{name} cannot run so", evaluated.refused, "choose other parameters, ranks or threads"
        )
    path = folder / f"{name}-{ranks}.schedule.json"
    program.write_schedule(path, given, ranks, threads)
    return Source(
        "schedule",
        path,
        " ".join([name, *programs.assignments(given)]),
        name,
        evaluated.parameters,
        Head.read(path).ranks,
        threads,
        work_of(evaluated),
        evaluated,
    )


def work_of(work: Work) -> dict[str, dict[str, float]]:
    """Work counts by phase; phases without work are left out."""
    names = ("flops", "bytes", "bytes_write_allocate")
    return {
        phase.phase: {name: getattr(phase, name) for name in names}
        for phase in work.phases
        if phase.flops or phase.bytes
    }
