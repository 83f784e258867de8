"""The noun ``Program``: what can be run. A kind of program is one file beside this one, found by scanning."""

import abc
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from hakaru.base.errors import UserError
from hakaru.facts.description import Description
from hakaru.facts.records import Record
from hakaru.facts.work import Scalar, Work

Given = Mapping[str, Scalar]


@dataclass(frozen=True)
class Execution:
    """What one execution is to do. ``threads``: of a rank; ``ranks``: for what starts its ranks itself.
    ``repetitions``, ``warmup``: None for what the program does untold. ``cold``: caches are emptied before every phase."""

    command: Literal["run", "verify"] = "run"
    parameters: Given = field(default_factory=dict)
    threads: int | None = None
    ranks: int = 1
    preset: str | None = None
    repetitions: int | None = None
    warmup: int | None = None
    campaign: str | None = None
    cold: bool = False


class Program(abc.ABC):
    """``kind``: of its records. ``source``: the folder that says what it is. ``needs_mpi``: it starts under an MPI launcher."""

    name: str
    kind: Literal["app", "probe", "command"]
    source: Path
    needs_mpi: bool
    brings_launcher = False  # its line starts the ranks itself
    is_template = False  # to be copied, not to be run
    tells_by_output = False  # its results stand in what it prints

    @abc.abstractmethod
    def require_ready(self) -> None:
        """Raises UserError when it cannot be started, such as before it is built."""

    def require_cold(self, command: str) -> None:
        """Raises UserError where caches cannot be emptied before every phase."""
        if self.brings_launcher or command != "run":
            raise UserError(
                f"{self.name} {command} cannot find its caches empty",
                "only runs of hakaru's own programs can empty them before every phase",
                "leave cold away",
            )

    @abc.abstractmethod
    def describe(
        self, given: Given | None = None, ranks: int = 1, threads: int = 1, preset: str | None = None
    ) -> Description:
        """What it says of itself: parameters, phases, metrics, limits of its layouts, and under ``evaluated`` size and work of these
        parameters on this layout, or why it refuses it. Raises UserError in its own words for a parameter unknown or out of range."""

    def work(self, given: Given | None = None, ranks: int = 1, threads: int = 1) -> Work:
        """Size, memory and work counts of these parameters on this layout. Raises UserError as ``describe``."""
        return self.describe(given, ranks, threads).evaluated

    @abc.abstractmethod
    def line(self, execution: Execution) -> list[str]:
        """Words for a Launch: path and arguments, as a person would type them."""

    @abc.abstractmethod
    def recorded(self, execution: Execution, place: Path, context: Path | None = None) -> list[str]:
        """The same, leaving results at ``place``; ``context``: a JSON file that goes into the record."""

    @abc.abstractmethod
    def record(self, place: Path, output: str = "") -> Record:
        """The record of an execution that was to leave its results at ``place`` and printed ``output``. Raises OSError or ValueError
        when it left none."""

    def write_schedule(
        self, path: Path, given: Given, ranks: int, threads: int = 1, preset: str | None = None
    ) -> None:
        """Writes what every rank does. Raises UserError when the program cannot say it."""
        raise UserError(
            f"{self.name} has no schedule",
            "it does not say what its ranks do in order",
            f"trace a run, then replay that: hakaru trace {self.name} NAME=VALUE ..., hakaru replay TRACE --on MACHINE",
        )
