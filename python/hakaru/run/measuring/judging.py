"""Whether a run gave the right result, as the program's file says; and the times and figures that it printed."""

import shlex
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from hakaru.facts.programs.file import FileCheck, ProgramFile, filled
from hakaru.facts.records.record import Check, Metric
from hakaru.run.measuring.printed import NotFound, Wanted, find, lines_of, seconds

CHECK_LIMIT_S = 120.0


@dataclass(frozen=True)
class Printed:
    """``time_s`` is None where the launch's own time counts."""

    time_s: float | None
    phases: Mapping[str, float] = field(default_factory=dict)
    checks: tuple[Check, ...] = ()
    metrics: tuple[Metric, ...] = ()

    @property
    def verdict(self) -> str:
        if not self.checks:
            return "not verified"
        return "passed" if all(check.passed for check in self.checks) else "failed"


def judge(file: ProgramFile, outputs: tuple[Path, Path], place: Path, texts: Mapping[str, str]) -> Printed:
    """Raises NotFound when the time, or the time of a phase, is not there."""
    wanted = {id(one): one_wanted for one, one_wanted in _wanted(file)}
    written = [place / filled(one, dict(texts)) for one in file.outputs]
    found = find(wanted.values(), lines_of(*outputs, *written))
    values = {key: found[one] for key, one in wanted.items()}
    time_s = seconds(values[id(file.time)], file.time.unit) if file.time.pattern else None
    phases = {one.name: seconds(values[id(one)], one.unit) for one in file.phases}
    checks = tuple(_check(one, values.get(id(one)), place, texts) for one in file.checks)
    metrics = tuple(
        Metric(name=one.name, unit=one.unit, samples=(_finite(values[id(one)]),)) for one in file.metrics
    )
    return Printed(time_s, phases, checks, metrics)


def _wanted(file: ProgramFile) -> Iterator[tuple[object, Wanted]]:
    if file.time.pattern:
        yield file.time, Wanted("time", file.time.pattern, file.time.take)
    for one in file.phases:
        yield one, Wanted(f"time of '{one.name}'", one.pattern, one.take)
    for one in file.metrics:
        yield one, Wanted(f"'{one.name}'", one.pattern, one.take)
    for one in file.checks:
        if one.pattern:
            yield one, Wanted(f"'{one.name}'", one.pattern, one.take, isinstance(one.value, str))


def _finite(value: float | str | NotFound) -> float | None:
    return value if isinstance(value, int | float) else None


def _check(one: FileCheck, value: object, place: Path, texts: Mapping[str, str]) -> Check:
    if one.command:
        return _of_command(one, place, texts)
    if one.file:
        return _of_file(one, place, texts)
    if isinstance(value, NotFound):
        return _judged(one, None, False, str(value))
    if isinstance(one.value, str):
        return _judged(one, None, value == one.value, f"it printed '{value}', wanted is '{one.value}'")
    return _judged(one, value, _within(one, value), "the value that it printed")


def _within(one: FileCheck, value: float) -> bool:
    distance = abs(value - one.value)
    return {
        "relative": distance <= one.tolerance * abs(one.value),
        "absolute": distance <= one.tolerance,
        "equal": value == one.value,
        "at most": value <= one.value,
        "at least": value >= one.value,
    }[one.comparison]


def _judged(one: FileCheck, value: float | None, passed: bool, reason: str) -> Check:
    reference = one.value if isinstance(one.value, int | float) else None
    comparison = "equal" if reference is None else one.comparison
    return Check(
        name=one.name,
        value=value,
        reference=reference,
        tolerance=one.tolerance,
        comparison=comparison,
        passed=passed,
        reason=reason,
    )


def _of_command(one: FileCheck, place: Path, texts: Mapping[str, str]) -> Check:
    words = [filled(word, dict(texts)) for word in shlex.split(one.command)]
    try:
        done = subprocess.run(words, cwd=place, capture_output=True, timeout=CHECK_LIMIT_S, check=False)
        reason = f"'{shlex.join(words)}' ended with status {done.returncode}"
        return _judged(one, float(done.returncode), done.returncode == 0, reason)
    except (OSError, subprocess.TimeoutExpired) as error:
        return _judged(one, None, False, f"'{shlex.join(words)}' could not be run: {error}")


def _of_file(one: FileCheck, place: Path, texts: Mapping[str, str]) -> Check:
    base = Path(texts["folder"])
    made, reference = place / filled(one.file, dict(texts)), base / filled(one.reference, dict(texts))
    try:
        same = made.read_bytes() == reference.read_bytes()
    except OSError as error:
        return _judged(one, None, False, f"{error.filename} cannot be read ({error.strerror})")
    return _judged(one, None, same, f"{made.name} {'equals' if same else 'differs from'} {reference}")
