"""One launch: its place, its words, what watches it; and everything that it left."""

import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from hakaru.base import processes
from hakaru.base.errors import UserError
from hakaru.facts import native
from hakaru.facts.programs import command as commands
from hakaru.facts.programs.file import ProgramFile, filled
from hakaru.facts.records import RecordStore
from hakaru.facts.traces.trace import TraceFolder
from hakaru.facts.work import Scalar
from hakaru.run.launchers.command_line import CommandLine
from hakaru.run.launchers.known import launcher
from hakaru.run.measuring import place, ranks, tracing
from hakaru.run.measuring.ranks import RankReport
from hakaru.run.measuring.tracing import Seen, Tracer
from hakaru.run.tracing.run import require_its_launcher

MODULES = ("bash", "-lc", 'module load $HAKARU_MODULES && exec "$@"', "hakaru")


@dataclass(frozen=True)
class Asked:
    """Parameters and layout of one launch; ``traced``: whether the tracer is to be in it."""

    file: ProgramFile
    parameters: Mapping[str, Scalar]
    ranks: int
    threads: int
    traced: bool = False

    @property
    def texts(self) -> dict[str, str]:
        return commands.texts(self.file, self.parameters, self.ranks, self.threads)

    def line(self) -> CommandLine:
        """The line as somebody would type it. Raises UserError when its launcher or program is missing."""
        words = commands.words(self.file, self.parameters, self.ranks, self.threads)
        words = place.absolute(words, self.file.folder or ".")
        line = CommandLine.read(words)
        if self.ranks > 1:
            require_its_launcher(line)
        own = launcher(line.launch.launcher).environment(line.launch) | {"OMP_NUM_THREADS": str(self.threads)}
        own |= {name: filled(value, self.texts) for name, value in self.file.environment.items()}
        return line.setting(own)


@dataclass(frozen=True)
class Left:
    """What a launch left. ``seen``: inside of it; nothing where nobody looked. ``changed``: files of its place that were there before it."""

    ended: processes.Watched
    reports: list[RankReport]
    outputs: tuple[Path, Path]
    place: Path
    seen: Seen
    changed: tuple[str, ...] = ()


@contextmanager
def scratch(store: RecordStore, name: str) -> Iterator[Path]:
    """A folder for one launch, removed afterwards."""
    path = store.folder.resolve() / ".scratch" / name
    path.mkdir(parents=True)
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)


def launch(asked: Asked, line: CommandLine, folder: Path, limit_s: float) -> Left:
    """Starts the line and waits for its end. A KeyboardInterrupt ends it first. Raises UserError when it cannot be started."""
    where = place.make(asked.file, asked.texts, folder)
    reports = folder / "ranks"
    reports.mkdir()
    tracer = Tracer.of(line) if asked.traced else None
    traced = TraceFolder(folder / "trace").make() if tracer and tracer.library else None
    variables = tracer.variables(traced, line) if traced else {}
    words = _modules(asked.file, _watched(line, reports, variables))
    outputs = (folder / "output", folder / "errors")
    before = place.files(where)
    try:
        modules = {"HAKARU_MODULES": " ".join(asked.file.modules)} if asked.file.modules else {}
        ended = processes.watch(words, line.variables | modules, where, outputs, limit_s)
    except OSError as error:
        raise UserError(
            f"{words[0]} cannot be started", error.strerror or str(error), "check the command"
        ) from None
    seen = tracing.read(traced, tracer.mpi) if traced else Seen(why_not=tracer.why_not if tracer else None)
    return Left(ended, ranks.read(reports), outputs, where, seen, place.changed(before, place.files(where)))


def _watched(line: CommandLine, reports: Path, variables: Mapping[str, str]) -> list[str]:
    """The line with hakaru_rank around each rank, which alone gets the variables. A line of several programs gets them by its launcher."""
    if ":" in line.program:
        return line.exporting(dict(variables)).words
    handed = ["env", *(f"{name}={value}" for name, value in variables.items())] if variables else []
    return line.launch.command([str(native.tool(ranks.TOOL)), str(reports), *handed, *line.program])


def _modules(file: ProgramFile, words: list[str]) -> list[str]:
    return [*MODULES, *words] if file.modules else words
