"""Anybody's program: a command line with parameters in it, as a program file or a typed line says (``file.py``).

Such programs are known by the copies of their files in the results folder (``programs/NAME.toml``), where their records are.
"""

import functools
import hashlib
import math
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import msgspec

from hakaru.base import expressions
from hakaru.base.errors import UserError
from hakaru.base.files import write_atomically
from hakaru.base.paths import results_folder
from hakaru.facts.description import (
    DescribedMetric,
    DescribedPhase,
    Description,
    Limits,
    Parameter,
    Usual,
    Verified,
)
from hakaru.facts.programs import file as files
from hakaru.facts.programs.file import FileParameter, ProgramFile
from hakaru.facts.programs.program import Execution, Given, Program
from hakaru.facts.records import Record
from hakaru.facts.work import Parameters, PhaseWork, Scalar, Work

KIND = "command"
COMPUTING = "computing"  # the phase of what a trace sees outside of MPI
FOLDER = "programs"  # of the results folder


@dataclass(frozen=True)
class Command(Program):
    """``source``: its file. Read when something is asked of it, so that a damaged file troubles nobody else."""

    name: str
    source: Path
    kind: Literal["command"] = KIND
    needs_mpi: bool = False
    brings_launcher: bool = True
    tells_by_output: bool = True

    @property
    def file(self) -> ProgramFile:
        return _read(self.source, self.source.stat().st_mtime_ns)

    def require_ready(self) -> None:
        _ = self.file

    def describe(
        self, given: Given | None = None, ranks: int = 1, threads: int = 1, preset: str | None = None
    ) -> Description:
        if preset is not None:
            raise UserError(f"{self.name} has no presets", "its file names none", "give its parameters")
        return described(self.file, given or {}, ranks, threads)

    def line(self, execution: Execution) -> list[str]:
        return words(self.file, execution.parameters, execution.ranks, execution.threads or 1)

    def recorded(self, execution: Execution, place: Path, context: Path | None = None) -> list[str]:
        return self.line(execution)

    def record(self, place: Path, output: str = "") -> Record:
        return Record.read(place)


def programs() -> list[Command]:
    """Those of the results folder."""
    return [Command(path.stem, path) for path in sorted((results_folder() / FOLDER).glob("*.toml"))]


def keep(file: ProgramFile, results: Path) -> Command:
    """The program of that file, known from now on in the results folder. Raises UserError when it cannot be written there, or when
    hakaru has a program of that name of its own."""
    from hakaru.facts import programs as every

    if any(one.name == file.name and one.kind != KIND for one in every.known(templates=True)):
        raise UserError(
            f"'{file.name}' is the name of a program of hakaru",
            "records of the two would be mixed",
            "give another with --name, or name = ... in its file",
        )
    path = results / FOLDER / f"{file.name}.toml"
    text = file.as_toml().encode()
    if not path.is_file() or path.read_bytes() != text:
        write_atomically(path, lambda out: out.write(text))
    return Command(file.name, path)


@functools.lru_cache(maxsize=256)
def _read(path: Path, changed_ns: int) -> ProgramFile:
    return ProgramFile.read(path)


def described(file: ProgramFile, given: Mapping[str, Scalar], ranks: int, threads: int) -> Description:
    """Raises UserError for parameters that it has not, and values that they cannot have."""
    work = evaluated(file, given, ranks, threads)
    phases = [
        DescribedPhase(name=one.name, kind=one.kind, help="printed by the program") for one in file.phases
    ]
    return Description(
        schema="hakaru/description/1",
        name=file.name,
        kind=KIND,
        title=file.title or file.command,
        needs_mpi=False,
        parameters=tuple(_parameter(name, one) for name, one in file.parameters.items()),
        presets=(),
        verify=Verified(parameters=(), what="nothing of its own: checks are part of every run"),
        limits=Limits(ranks=None, threads=max(file.threads, default=None)),
        usual=Usual(repetitions=1, warmup=0),
        phases=tuple(phases) or (DescribedPhase(name=COMPUTING, kind="compute", help="outside of MPI"),),
        metrics=tuple(
            DescribedMetric(name=one.name, unit=one.unit, better=one.better, help="printed by the program")
            for one in file.metrics
        ),
        tables=(),
        evaluated=work,
    )


def _parameter(name: str, one: FileParameter) -> Parameter:
    return Parameter(
        name=name,
        type=one.type,
        default=one.default,
        unit=one.unit,
        help=one.help
        or {"size": "The problem's size.", "steps": "The time is proportional to it."}.get(one.role, name),
        minimum=one.minimum,
        maximum=one.maximum,
        choices=one.choices,
    )


def evaluated(file: ProgramFile, given: Mapping[str, Scalar], ranks: int, threads: int) -> Work:
    """Size and, where the file says them, work and memory."""
    parameters = values_of(file, given)
    names = dict(parameters) | {"ranks": ranks, "threads": threads, "cores": ranks * threads}
    told = file.work
    counts = {
        name: expressions.number(text, names)
        for name, text in (("flops", told.flops), ("bytes", told.bytes))
        if text
    }
    steps = math.prod(float(parameters[name]) for name in file.with_role("steps"))
    size = _size(file, parameters, names)
    return Work(
        parameters=parameters,
        ranks=ranks,
        threads=threads,
        refused=_refused(file, ranks, threads) or _too_small(size, steps),
        size=size,
        size_meaning=file.size_meaning or " x ".join(file.with_role("size")) or file.size,
        memory_bytes=expressions.number(told.memory_bytes, names) if told.memory_bytes else None,
        phases=(PhaseWork(phase=COMPUTING, **counts),) if counts else (),
        **({"steps": steps} if file.with_role("steps") else {}),
    )


def _size(file: ProgramFile, parameters: Parameters, names: Mapping[str, Scalar]) -> float:
    if file.size:
        return expressions.number(file.size, names)
    sizes = [float(parameters[name]) for name in file.with_role("size")]
    return math.prod(sizes) if sizes else 1.0


def _too_small(size: float, steps: float) -> str | None:
    for value, what in ((size, "size"), (steps, "number of steps")):
        if not value > 0.0:
            return f"its {what} is {value:g}, and must be above zero"
    return None


def _refused(file: ProgramFile, ranks: int, threads: int) -> str | None:
    rule = files.RANK_RULES.get(file.ranks, file.ranks)
    if not expressions.evaluate(rule, {"ranks": ranks, "threads": threads, "cores": ranks * threads}):
        return f"its ranks are to be: {file.ranks}"
    if file.threads and threads not in file.threads:
        return f"its threads are to be one of {', '.join(map(str, file.threads))}"
    if "{ranks}" not in file.command.replace(" ", "") and (fixed := typed_ranks(file)) not in (None, ranks):
        return f"its command always starts {fixed} ranks; write {{ranks}} in it"
    return None


def typed_ranks(file: ProgramFile) -> int | None:
    """As many as the command says in digits after -n or -np; None where it says none."""
    line = shlex.split(file.command)
    for word, value in zip(line, [*line[1:], ""], strict=True):
        if word in ("-n", "-np", "--np", "--ntasks") and value.isdigit():
            return int(value)
    return None


def values_of(file: ProgramFile, given: Mapping[str, Scalar]) -> Parameters:
    """All parameters with their types. Raises UserError for unknown names, wrong types and values out of range."""
    for name in given:
        if name not in file.parameters:
            known = ", ".join(file.parameters) or "none"
            raise UserError(
                f"{file.name} has no parameter '{name}'",
                f"it has {known}",
                "choose one of them, or add it to its file",
            )
    return {
        name: _value(file, name, one, given.get(name, one.default)) for name, one in file.parameters.items()
    }


def _value(file: ProgramFile, name: str, one: FileParameter, value: Scalar) -> Scalar:
    def wrong(why: str) -> UserError:
        return UserError(f"{file.name} cannot take {name}={value}", why, f"{name} is {one.type}")

    text = str(value).lower() if isinstance(value, bool) else str(value)
    if one.type == "boolean":
        if text not in ("true", "false"):
            raise wrong("it is neither true nor false")
        return text == "true"
    if one.type in ("text", "choice"):
        if one.type == "choice" and text not in one.choices:
            raise wrong(f"it is one of {', '.join(one.choices)}")
        return text
    try:
        found = int(text) if one.type == "integer" else float(text)
    except ValueError:
        raise wrong("it is no number" if one.type == "real" else "it is no whole number") from None
    if not math.isfinite(found):
        raise wrong("it is not finite")
    if (one.minimum is not None and found < one.minimum) or (one.maximum is not None and found > one.maximum):
        low, high = ("..." if end is None else f"{end:g}" for end in (one.minimum, one.maximum))
        raise wrong(f"it is outside {low} to {high}")
    return found


def texts(file: ProgramFile, given: Mapping[str, Scalar], ranks: int, threads: int) -> dict[str, str]:
    """What stands for each ``{name}``."""
    values = {
        **values_of(file, given),
        "ranks": ranks,
        "threads": threads,
        "cores": ranks * threads,
        "folder": file.folder,
    }
    return {
        name: str(value).lower() if isinstance(value, bool) else str(value) for name, value in values.items()
    }


SHELLS = ("sh", "bash", "dash", "zsh", "ksh")


def words(file: ProgramFile, given: Mapping[str, Scalar], ranks: int, threads: int) -> list[str]:
    """The command with its values, a word each; a value stays one word, and is quoted inside of a shell's ``-c``."""
    values = texts(file, given, ranks, threads)
    quoted = {name: shlex.quote(value) for name, value in values.items()}
    line = shlex.split(file.command)
    return [files.filled(word, quoted if _is_script(line, at) else values) for at, word in enumerate(line)]


def _is_script(line: list[str], at: int) -> bool:
    """Whether a shell will read this word."""
    return (
        at >= 2
        and line[at - 1].startswith("-")
        and "c" in line[at - 1][1:]
        and Path(line[at - 2]).name in SHELLS
    )


def fingerprint(file: ProgramFile) -> str:
    """Short name of what decides what is run and timed: records of another must not be mixed with these."""
    deciding = [
        file.command,
        file.folder,
        file.time,
        file.inputs,
        file.outputs,
        file.environment,
        file.modules,
    ]
    return _short(deciding)


def asked_of_output(file: ProgramFile) -> str:
    """Short name of what is sought in what a launch prints: a launch tells nothing that was not asked of it then."""
    return _short([file.checks, file.metrics, file.phases])


def _short(deciding: object) -> str:
    return hashlib.sha256(msgspec.json.encode(deciding)).hexdigest()[:10]
