"""Forecasts of one program at several sizes and layouts, made beside each other, of which a report lets people choose."""

import functools
import multiprocessing
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor, wait
from dataclasses import dataclass, replace
from pathlib import Path

from hakaru.base import topology
from hakaru.base.errors import UserError
from hakaru.facts.forecasts import Forecast
from hakaru.facts.records import Record
from hakaru.facts.work import Scalar
from hakaru.foretell.forecast.asking import Question, evaluate
from hakaru.foretell.forecast.nearby import Sizes, round_size, taken
from hakaru.foretell.models import sound

BEYOND = (1.5, 2.0)  # times the largest size that was measured
MOST_LAYOUTS = 4
MOST_WORKERS = 8


@dataclass(frozen=True)
class Variant:
    """A run that could be asked for; ``made`` is None where it could not be foretold, ``reason`` says why."""

    folder: Path
    program: str
    given: tuple[tuple[str, Scalar], ...]
    varied: str
    ranks: int
    threads: int
    made: Forecast | None = None
    reason: str = ""

    @property
    def value(self) -> Scalar:
        """Of the parameter that sets the size."""
        return dict(self.given)[self.varied]

    def answered(self, made: Forecast | None, reason: str) -> "Variant":
        return replace(self, made=made, reason=reason)


def variants(folder: Path, forecasts: Iterable[Forecast], records: Sequence[Record]) -> list[Variant]:
    """Of the newest forecast of each program: its size and larger ones on every layout that ran, its own layout first."""
    newest = {one.program: one for one in sorted(forecasts, key=lambda one: one.created) if not one.refused}
    found = []
    for one in newest.values():
        name = varied(one)
        if name is None:
            continue
        layouts = _layouts(one, records)
        found.append(
            [
                Variant(folder, one.program, tuple((one.parameters | {name: value}).items()), name, *layout)
                for layout in layouts
                for value in _values(one, name, layouts)
            ]
        )
    longest = max(map(len, found), default=0)
    return [of[index] for index in range(longest) for of in found if index < len(of)]


def varied(one: Forecast) -> str | None:
    """The whole number in which its runs differ, where that is one alone."""
    runs = [one.parameters, *(point.parameters for point in one.fitted_on.points)]
    names = [
        name
        for name, value in one.parameters.items()
        if type(value) is int and len({run.get(name) for run in runs}) > 1
    ]
    return names[0] if len(names) == 1 else None


def _values(one: Forecast, name: str, layouts: Sequence[tuple[int, int]]) -> list[int]:
    ran = [point.parameters[name] for point in one.fitted_on.points if name in point.parameters]
    largest = max([*ran, one.parameters[name]] if one.score else ran or [one.parameters[name]])
    larger = (_accepted(one, name, int(round_size(factor * largest)), layouts) for factor in BEYOND)
    return sorted({one.parameters[name], *larger})


def _accepted(one: Forecast, name: str, value: int, layouts: Sequence[tuple[int, int]]) -> int:
    """The value, or the nearest around it that the program takes on all layouts; the value where none is near."""

    def takes(sizes: Sizes) -> bool:
        works = (evaluate(one.program, one.parameters | sizes, *layout) for layout in layouts)
        return not any(work.refused for work in works)

    return (taken({name: value}, takes) or {name: value})[name]


def _layouts(one: Forecast, records: Sequence[Record]) -> list[tuple[int, int]]:
    own = (one.layout.ranks, one.layout.threads)
    kept, _ = sound([record for record in records if record.program == one.program])
    others = sorted({(record.ranks, record.threads) for record in kept} - {own})
    return [own, *others][:MOST_LAYOUTS]


def foretold(asked: Sequence[Variant], limit_s: float) -> list[Variant]:
    """All of them, in their order, on the cores of this host; what is not done after ``limit_s`` says so."""
    if not asked:
        return []
    workers = min(len(asked), topology.usable_cores(), MOST_WORKERS)
    with ProcessPoolExecutor(workers, multiprocessing.get_context("fork")) as pool:
        jobs = [pool.submit(_foretell, one) for one in asked]
        wait(jobs, limit_s)
        for job in jobs:
            job.cancel()
    late = f"left out: making the others took {limit_s:g} s"
    return [
        one.answered(None, late) if job.cancelled() else job.result()
        for one, job in zip(asked, jobs, strict=True)
    ]


def _foretell(one: Variant) -> Variant:
    try:
        made = _question(one.folder, one.program, one.threads).forecast(dict(one.given), one.ranks)
    except UserError as error:
        return one.answered(None, str(error))
    return one.answered(None if made.refused else made, made.extrapolation.reason)


@functools.cache
def _question(folder: Path, program: str, threads: int) -> Question:
    """Its records are read once by each worker."""
    return Question(folder, program, {}, threads=threads)
