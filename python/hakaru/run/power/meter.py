"""What a meter is: a counter of energy or a gauge of power, what it covers, and how it is read. Energies in J, powers in W, times in s."""

import os
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from hakaru.base import processes
from hakaru.facts.records.power import Scope

COMMAND_LIMIT_S = 5.0


@dataclass(frozen=True)
class Meter:
    """``read`` gives J since some moment (``counts`` energy) or W now (power), and raises OSError or ValueError. ``range_j``: where a counter
    begins at 0 again. ``step_s``: how often it says something new."""

    scope: Scope
    source: str
    counts: Literal["energy", "power"]
    read: Callable[[], float]
    step_s: float
    range_j: float | None = None

    @property
    def kind(self) -> str:
        return self.source.split()[0]


@dataclass(frozen=True)
class Found:
    """``why_not``: why there is none of a kind, or why some of it cannot be read. ``absent``: this node has nothing of the kind."""

    meters: tuple[Meter, ...] = ()
    why_not: str = ""
    absent: bool = False


@dataclass(frozen=True)
class Place:
    """Where meters are looked for: files below ``root``, variables, programs. Tests make up all three."""

    root: Path = Path("/")
    variables: Mapping[str, str] = field(default_factory=lambda: os.environ)

    def glob(self, pattern: str) -> list[Path]:
        return sorted(self.root.glob(pattern))

    def which(self, program: str) -> str | None:
        return shutil.which(program, path=self.variables.get("PATH"))


def number(path: Path, factor: float) -> float:
    """The number in a file of the kernel times ``factor``. Raises OSError, and ValueError for what is none."""
    return int(path.read_text()) * factor


def text(path: Path) -> str:
    """Of a file, without blanks around it; empty where it cannot be read."""
    try:
        return path.read_text(errors="replace").strip()
    except OSError:
        return ""


def printed(words: Sequence[str]) -> str:
    """What a command prints. Raises OSError when it cannot be started, ValueError when it fails or hangs."""
    done = processes.run(words, limit_s=COMMAND_LIMIT_S)
    if done.timed_out:
        raise ValueError(f"{words[0]} did not answer within {COMMAND_LIMIT_S:g} s")
    if done.status != 0:
        said = " ".join((done.errors or done.output).split())[:200]
        raise ValueError(f"{words[0]} ended with status {done.status}{f': {said}' if said else ''}")
    return done.output


def readable(meter: Meter) -> str:
    """Empty where the meter can be read by this user; else why not."""
    try:
        meter.read()
    except (OSError, ValueError) as error:
        return getattr(error, "strerror", None) or str(error)
    return ""


def sorted_out(candidates: Sequence[Meter], advice: str) -> Found:
    """Those of a kind that can be read; ``advice``: what to do about the others."""
    refused = {meter.source: readable(meter) for meter in candidates}
    good = tuple(meter for meter in candidates if not refused[meter.source])
    why = next((f"{source}: {reason}" for source, reason in refused.items() if reason), "")
    return Found(good, f"{why}; {advice}" if why and advice else why)
