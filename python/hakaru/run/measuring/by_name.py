"""Measured programs by their names, where a launch line or a trace is asked for: ``lulesh2.0 n=16 ranks=2``."""

import os
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from hakaru.base.errors import ENVIRONMENT, UserError
from hakaru.base.paths import results_folder
from hakaru.facts import programs
from hakaru.facts.programs import command as commands
from hakaru.facts.traces.trace import ANCHOR
from hakaru.facts.work import Scalar
from hakaru.run.measuring import place
from hakaru.run.measuring.launching import Asked, launch
from hakaru.run.measuring.tracing import Tracer

LAYOUT = ("ranks", "threads")
PREFIX = "trace:"


@dataclass(frozen=True)
class Named:
    """A measured program with parameters on a layout."""

    program: commands.Command
    given: dict[str, Scalar]
    ranks: int = 1
    threads: int = 1

    @property
    def asked(self) -> Asked:
        return Asked(self.program.file, self.given, self.ranks, self.threads, traced=True)


def named(words: Sequence[str], ranks: int | None = None, threads: int | None = None) -> Named | None:
    """What the words name, None when the first is no measured program. Raises UserError for what such a program cannot take."""
    if not words or not _known(words[0]):
        return None
    program = commands.Command(words[0], results_folder().resolve() / commands.FOLDER / f"{words[0]}.toml")
    given = programs.parse_assignments(words[1:])
    layout = {one: given.pop(one, None) for one in LAYOUT}
    fixed = commands.typed_ranks(program.file)
    found = Named(
        program,
        given,
        _count("ranks", layout["ranks"], ranks or fixed or 1),
        _count("threads", layout["threads"], threads or 1),
    )
    if why := program.work(given, found.ranks, found.threads).refused:
        raise UserError(f"{program.name} cannot run so", why, "choose other ranks or threads")
    return found


def _known(word: str) -> bool:
    return "/" not in word and (results_folder() / commands.FOLDER / f"{word}.toml").is_file()


def _count(name: str, said: str | None, otherwise: int) -> int:
    if said is None:
        return otherwise
    if not said.isdigit() or int(said) < 1:
        raise UserError(
            f"{name}={said} is not understood", "it is a positive whole number", f"write {name}=2"
        )
    return int(said)


def entered(words: Sequence[str]) -> list[str]:
    """The launch line that the words name, from now on in the folder in which it runs; the words themselves when they name no program.

    The folder of a program with inputs is a new one, which is left where it is."""
    found = named(words)
    if found is None:
        return list(words)
    os.environ["HAKARU_RESULTS"] = str(results_folder().resolve())
    line = found.asked.line()
    where = place.make(found.asked.file, found.asked.texts, Path(tempfile.mkdtemp(prefix="hakaru-launch-")))
    os.chdir(where)
    os.environ.update(line.variables)
    return line.words


def trace(found: Named) -> Path:
    """The archive of a traced run, made when the results folder does not keep it. Raises UserError when it cannot be traced."""
    words = [*programs.assignments(commands.values_of(found.asked.file, found.given))]
    build = commands.fingerprint(found.asked.file)
    name = "-".join([found.program.name, build, *words, f"{found.ranks}x{found.threads}"]).replace("/", "_")
    folder = results_folder().resolve() / "traces" / name
    if (folder / "trace" / "archive" / ANCHOR).is_file():
        return folder / "trace" / "archive" / ANCHOR
    line = found.asked.line()
    tracer = Tracer.of(line)
    if why := tracer.why_not or (
        None if tracer.mpi else f"{line.executable.path} uses no shared MPI library"
    ):
        raise UserError(f"{found.program.name} cannot be traced", why, "give a trace of your own")
    return _made(found, line, folder)


def _made(found: Named, line, folder: Path) -> Path:
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{folder.name[:40]}-", dir=folder.parent) as scratch:
        left = launch(found.asked, line, Path(scratch), found.asked.file.timeout_s)
        if left.ended.stopped or left.ended.status != 0 or left.seen.summary is None:
            status = f"it ended with status {left.ended.status}" if left.ended.status else None
            why = left.ended.stopped or status or left.seen.why_not or "nothing was seen"
            raise UserError(
                f"{found.program.name} could not be traced", why, "run it by hand first", ENVIRONMENT
            )
        os.replace(scratch, folder)
        os.mkdir(scratch)
    return folder / "trace" / "archive" / ANCHOR
