"""A program file from a typed line: what its ``{...}`` mean and what is to be found in its output."""

import re
import shlex
from collections.abc import Sequence
from pathlib import Path

from hakaru.base.errors import UserError
from hakaru.facts.programs.file import (
    NAME,
    RESERVED,
    SCHEMA,
    FileCheck,
    FileMeasure,
    FileMetric,
    FileParameter,
    FilePhase,
    FileTime,
    ProgramFile,
    names_in,
)
from hakaru.facts.work import Scalar
from hakaru.run.launchers.command_line import CommandLine

Values = dict[str, list[Scalar]]


def values_of(texts: Sequence[str], option: str) -> Values:
    """{"n": [8, 12]} of ``n=8,12``. Raises UserError for any other form."""
    found: Values = {}
    for text in texts:
        name, equals, values = text.partition("=")
        if not equals or not name.isidentifier() or not values:
            raise UserError(
                f"{option} {text} is not understood",
                "it names a parameter and its values",
                f"for example {option} n=8,12,16",
            )
        found[name] = [scalar(value) for value in values.split(",")]
    return found


def scalar(text: str) -> Scalar:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return {"true": True, "false": False}.get(text, text)


def integers(text: str, option: str) -> list[int]:
    """[1, 2] of ``1,2``. Raises UserError for what are no positive whole numbers."""
    if not re.fullmatch(r"[1-9]\d{0,6}(,[1-9]\d{0,6})*", text):
        raise UserError(
            f"{option} {text} is not understood", "it is a list of whole numbers", f"for example {option} 1,2"
        )
    return [int(one) for one in text.split(",")]


def parameter(values: Sequence[Scalar], role: str) -> FileParameter:
    types = {type(value) for value in values}
    if types == {int}:
        kind = "integer"
    elif types <= {int, float}:
        kind = "real"
    else:
        kind = "boolean" if types == {bool} else "text"
    default = str(values[0]) if kind == "text" else values[0]
    return FileParameter(type=kind, default=default, role=role)


def check(text: str) -> FileCheck:
    """Of ``PATTERN == VALUE`` or ``PATTERN == VALUE +- TOLERANCE``. Raises UserError for any other form."""
    pattern, equals, wanted = text.rpartition(" == ")
    if not equals:
        raise UserError(
            f"--check '{text}' is not understood",
            "it is a pattern and the value that it shall find",
            "for example --check 'Final energy *= *([-0-9.]+) == -3.5 +- 1e-6'",
        )
    value, tolerance_given, tolerance = wanted.partition(" +- ")
    number = scalar(value.strip())
    if isinstance(number, bool | str):
        return FileCheck(name=pattern, pattern=pattern, value=value.strip(), comparison="equal")
    limit = scalar(tolerance.strip()) if tolerance_given else 0.0
    if isinstance(limit, bool | str) or limit < 0.0:
        raise UserError(
            f"--check '{text}' is not understood", f"'{tolerance}' is no tolerance", "write +- 1e-6"
        )
    comparison = "absolute" if limit else "equal"
    return FileCheck(name=pattern, pattern=pattern, value=number, tolerance=limit, comparison=comparison)


def named_pattern(text: str, option: str) -> tuple[str, str]:
    """("solve", pattern) of ``solve=PATTERN``. Raises UserError for any other form."""
    name, equals, pattern = text.partition("=")
    if not equals or not name.strip():
        raise UserError(
            f"{option} '{text}' is not understood",
            "it is NAME=PATTERN",
            f"for example {option} 'solve=Solve time: ([0-9.]+)'",
        )
    return name.strip(), pattern


def program_name(words: Sequence[str], folder: Path) -> str:
    """Of the file that does the work, not of what starts it: ``lulesh2.0`` of ``mpirun -n {ranks} ./lulesh2.0``."""
    plain = [re.sub(r"\{[^{}]*\}", "1", word) for word in words]
    line = CommandLine.read(
        [str(folder / word) if "/" in word and (folder / word).is_file() else word for word in plain]
    )
    path = Path(line.executable.path)
    if re.fullmatch(r"(python|pypy|sh|bash|perl|julia|Rscript)[\d.]*", path.name):
        scripts = [word for word in line.program[1:] if not word.startswith("-") and Path(word).suffix]
        path = Path(Path(scripts[0]).stem) if scripts else path
    name = re.sub(r"[^A-Za-z0-9_.+-]", "_", path.name)
    return name if re.fullmatch(NAME, name) else f"program_{name}"


def file_of(
    words: Sequence[str],
    *,
    name: str | None,
    sizes: Values,
    steps: Values,
    others: Values,
    time: str | None,
    region: str | None,
    phases: Sequence[str],
    checks: Sequence[str],
    metrics: Sequence[str],
    ranks: list[int] | None,
    threads: list[int] | None,
    trace: bool,
    timeout_s: float,
) -> ProgramFile:
    """Raises UserError for what no program file could say, such as ``{n}`` without a value."""
    folder = Path.cwd()
    given = {**sizes, **steps, **others}
    parameters = {one: parameter(values, "size") for one, values in sizes.items()}
    parameters |= {one: parameter(values, "steps") for one, values in steps.items()}
    parameters |= {one: parameter(values, "other") for one, values in others.items()}
    _require_values(words, given)
    _require_used(words, given)
    _require_ranks(words, ranks)
    file = ProgramFile(
        schema=SCHEMA,
        name=name or program_name(words, folder),
        command=shlex.join(words),
        folder=str(folder),
        parameters=parameters,
        time=FileTime(pattern=time or "", region=region or ""),
        phases=tuple(
            FilePhase(name=one, pattern=text) for one, text in (named_pattern(p, "--phase") for p in phases)
        ),
        checks=tuple(check(text) for text in checks),
        metrics=tuple(
            FileMetric(name=one, pattern=text)
            for one, text in (named_pattern(p, "--metric") for p in metrics)
        ),
        trace=trace,
        timeout_s=timeout_s,
        measure=FileMeasure(parameters=given, ranks=tuple(ranks or ()), threads=tuple(threads or ())),
    )
    if not re.fullmatch(NAME, file.name):
        raise UserError(
            f"'{file.name}' is no name", "letters, digits and _ . + - make one", "choose another with --name"
        )
    file.require_sound(f"the line '{file.command}'")
    return file


def _require_values(words: Sequence[str], given: Values) -> None:
    for word in words:
        for one in names_in(word):
            if one not in given and one not in RESERVED:
                raise UserError(
                    f"{{{one}}} in '{word}' has no value",
                    f"values were given for {', '.join(given) or 'nothing'}",
                    f"give them with --size {one}=8,12,16 or --set {one}=VALUE; write {{{{ and }}}} for braces",
                )


def _require_used(words: Sequence[str], given: Values) -> None:
    used = {one for word in words for one in names_in(word)}
    for one in given:
        if one not in used:
            raise UserError(
                f"the parameter {one} is not used",
                f"no {{{one}}} stands in the command",
                f"write {{{one}}} where it belongs",
            )


def _require_ranks(words: Sequence[str], ranks: Sequence[int] | None) -> None:
    if ranks and not any("ranks" in names_in(word) for word in words):
        raise UserError(
            "--ranks is given, but the command would be the same for each of them",
            "no {ranks} stands in it",
            "write it where the number of ranks belongs: mpirun -n {ranks} ./program",
        )
