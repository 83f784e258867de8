"""What a program that a study compiled prints: lines of a name and a value."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from hakaru.base import processes
from hakaru.base.errors import UserError

LIMIT_S = 300.0


@dataclass(frozen=True)
class Told:
    """``values`` by name, as they were printed."""

    program: str
    values: dict[str, list[str]]

    def text(self, name: str) -> str:
        """The last one of that name. Raises UserError when there is none."""
        if name not in self.values:
            raise UserError(f"{self.program} failed", f"it printed no {name}", "report it")
        return self.values[name][-1]

    def number(self, name: str) -> float:
        return self.numbers(name)[-1]

    def numbers(self, name: str) -> list[float]:
        self.text(name)
        return [float(value) for value in self.values[name]]


def told(program: Path, arguments: Sequence[object] = (), limit_s: float = LIMIT_S) -> Told:
    """Raises UserError when the program fails, does not end, or prints something else."""
    try:
        done = processes.run([str(program), *map(str, arguments)], limit_s=limit_s)
    except OSError as error:
        raise UserError(f"{program.name} cannot be started", str(error.strerror), "report it") from None
    if done.status != 0:
        why = f"it took longer than {limit_s:g} s" if done.timed_out else done.errors.strip()
        raise UserError(f"{program.name} failed", why[-200:] or f"it ended with {done.status}", "report it")
    values: dict[str, list[str]] = {}
    for line in done.output.splitlines():
        name, _, value = line.strip().partition(" ")
        if not value:
            raise UserError(f"{program.name} failed", f"it printed '{line[:80]}'", "report it")
        values.setdefault(name, []).append(value.strip())
    return Told(program.name, values)


def require_close(found: dict[str, float], tolerance: float) -> None:
    """Numbers by the name of the program that found them are one, relatively. Raises UserError naming who differs."""
    if not found:
        return
    first, reference = next(iter(found.items()))
    for name, value in found.items():
        if not math.isclose(value, reference, rel_tol=tolerance):
            raise _other(
                name, first, f"{value:.15g} and {reference:.15g}, which differ by more than {tolerance:g}"
            )


def require_same(found: dict[str, str]) -> None:
    """The same of texts: bits."""
    if not found:
        return
    first, reference = next(iter(found.items()))
    for name, value in found.items():
        if value != reference:
            raise _other(name, first, f"the bits of their results are {value} and {reference}")


def _other(name: str, first: str, why: str) -> UserError:
    return UserError(f"{name} computes something else than {first}", why, "report it")
