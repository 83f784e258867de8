"""Hakaru's own programs: apps and probes, C++ with the harness's command line (native/harness/)."""

import functools
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from hakaru.base.errors import ENVIRONMENT, UserError
from hakaru.base.paths import build_folder, root
from hakaru.facts import native
from hakaru.facts.description import Description
from hakaru.facts.programs.program import Execution, Given, Program
from hakaru.facts.programs.words import assignments
from hakaru.facts.records import Record


@dataclass(frozen=True)
class Leaf(Program):
    """An app or a probe; ``path`` of its executable file."""

    name: str
    kind: Literal["app", "probe"]
    path: Path
    source: Path
    needs_mpi: bool

    @property
    def is_template(self) -> bool:
        return self.source.name == "_template"

    def require_ready(self) -> None:
        native.require_built(self.path, self.name)

    def describe(
        self, given: Given | None = None, ranks: int = 1, threads: int = 1, preset: str | None = None
    ) -> Description:
        return Description.parse(_said(self, tuple(assignments(given or {})), ranks, threads, preset))

    def line(self, execution: Execution) -> list[str]:
        asked = {"--preset": execution.preset, "--threads": execution.threads}
        if execution.command == "run":
            asked |= {"--repetitions": execution.repetitions, "--warmup": execution.warmup}
        asked |= {"--campaign": execution.campaign}
        words = [
            word for option, value in asked.items() if value is not None for word in (option, str(value))
        ]
        cold = ["--cold"] if execution.cold else []
        return [str(self.path), execution.command, *assignments(execution.parameters), *words, *cold]

    def recorded(self, execution: Execution, place: Path, context: Path | None = None) -> list[str]:
        more = ["--context", str(context)] if context else []
        return [*self.line(execution), "--record", str(place), *more]

    def record(self, place: Path, output: str = "") -> Record:
        return Record.read(place)

    def write_schedule(
        self, path: Path, given: Given, ranks: int, threads: int = 1, preset: str | None = None
    ) -> None:
        words = [*assignments(given), "--ranks", str(ranks), "--threads", str(threads)]
        _asked(self, "schedule", *words, *_preset(preset), "--output", str(path))


def programs() -> list[Leaf]:
    """Every leaf that can be built, the templates among them."""
    built, sources = build_folder(), root()
    return [
        Leaf(one.name, one.kind, built / one.path, sources / one.source, one.needs_mpi)
        for one in native.leaves()
    ]


def _preset(name: str | None) -> list[str]:
    return ["--preset", name] if name else []


@functools.lru_cache(maxsize=4096)
def _said(leaf: Leaf, words: tuple[str, ...], ranks: int, threads: int, preset: str | None) -> str:
    layout = ["--ranks", str(ranks), "--threads", str(threads)]
    return _asked(leaf, "describe", *words, *layout, *_preset(preset))


def _asked(leaf: Leaf, command: str, *words: str) -> str:
    """What the leaf prints. Raises UserError with its own words when it refuses."""
    leaf.require_ready()
    done = subprocess.run(
        [str(leaf.path), command, *words],
        capture_output=True,
        text=True,
        env=os.environ | {"OMP_NUM_THREADS": "1"},
    )
    if done.returncode != 0:
        said = done.stderr.strip().removeprefix(f"{leaf.name}: ")
        raise UserError(
            said or f"{leaf.name} {command} ended with status {done.returncode}",
            exit_code=done.returncode if done.returncode in (2, 3, 4) else ENVIRONMENT,
        )
    return done.stdout
