"""Made-up records and descriptions of a solver with known times, for tests."""

import itertools
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np

from hakaru.base.errors import UserError
from hakaru.facts.records import Record
from hakaru.facts.records.fixtures import changed, layout
from hakaru.facts.records.fixtures import record as blank
from hakaru.facts.work import Work
from hakaru.foretell.models.fixtures import solver_times, solver_work

_EPOCH = datetime(2026, 1, 1, tzinfo=UTC)
_numbers = itertools.count(1)


def evaluated(
    n: float = 64, steps: int = 10, method: str = "alltoall", ranks: int = 2, threads: int = 1
) -> Work:
    """What the solver says of itself: work for one repetition of ``steps`` steps."""
    phases = [
        {"phase": name, **{key: value * steps for key, value in row.items()}, "bytes_write_allocate": 0.0}
        for name, row in solver_work(n, ranks).items()
    ]
    return Work.of(
        {
            "parameters": {"n": n, "steps": steps, "method": method},
            "ranks": ranks,
            "threads": threads,
            "refused": None,
            "size": n,
            "size_meaning": "grid points per direction",
            "memory_bytes": 56.0 * n**3,
            "phases": phases,
        }
    )


def describe(program: str, parameters: Mapping[str, Any], ranks: int = 2, threads: int = 1) -> Work:
    """What the made-up program would say; unknown parameters are refused as the real ones do."""
    if unknown := set(parameters) - {"n", "steps", "method"}:
        raise UserError(f"unknown parameter {unknown.pop()}")
    given = {"n": 64, "steps": 10, "method": "alltoall"} | dict(parameters)
    return evaluated(int(given["n"]), int(given["steps"]), str(given["method"]), ranks, threads)


def record(
    n: float = 64,
    seed: int = 0,
    noise: float = 0.01,
    started: str | None = None,
    repetitions: int = 3,
    **more,
) -> Record:
    """A verified run of the solver; ``more`` goes to ``evaluated`` (steps, method, ranks, threads) or
    replaces fields of the record."""
    number = next(_numbers)
    generator = np.random.default_rng([seed, int(n)])
    work = evaluated(
        n, **{name: more.pop(name) for name in ("steps", "method", "ranks", "threads") if name in more}
    )
    steps, ranks, threads = work.parameters["steps"], work.ranks, work.threads
    pace = 1.0 + noise * generator.standard_normal()
    rows = []
    for _ in range(repetitions):
        times = {
            name: time * steps * pace * (1.0 + 0.1 * noise * generator.standard_normal())
            for name, time in solver_times(n, ranks, threads).items()
        }
        total = sum(times.values())
        rows.append(
            {
                "wall_s": total,
                "rank_s": [total] * ranks,
                "phases": {
                    "stencil": [times["stencil"]] * ranks,
                    "exchange": [times["exchange"]] * ranks,
                    "wait for others": [0.0] * ranks,
                },
            }
        )
    moment = started or f"{_EPOCH + timedelta(seconds=number):%Y-%m-%dT%H:%M:%S}.000Z"
    fields = {
        "id": f"{moment.replace(':', '').replace('-', '')}-solver-{number:05d}",
        "started": moment,
        "finished": moment,
        "parameters": work.parameters,
        "layout": layout(ranks, threads),
        "work": work.as_dict(),
        "phases": [
            {"name": "stencil", "kind": "compute"},
            {"name": "exchange", "kind": "communicate"},
            {"name": "wait for others", "kind": "idle"},
        ],
    }
    return blank(more.pop("program", "solver"), number, rows, **(fields | more))


def slower(one: Record, factor: float) -> Record:
    """The record with wall times so much longer."""
    rows = [row.as_dict() for row in one.repetitions]
    return changed(one, repetitions=[row | {"wall_s": factor * row["wall_s"]} for row in rows])


def longer(one: Record, factor: float, **fields: Any) -> Record:
    """The record with all its times so much longer, and these fields replaced."""
    rows = [
        {
            "wall_s": factor * row.wall_s,
            "rank_s": [factor * time for time in row.rank_s],
            "phases": {name: [factor * time for time in row.rank_times(name)] for name in row.phases},
        }
        for row in one.repetitions
    ]
    return changed(one, repetitions=rows, **fields)


def campaign(sizes=(32, 48, 64, 80), launches: int = 5, **more) -> list[Record]:
    """Five launches of every size."""
    return [record(size, seed=launch, **more) for launch in range(launches) for size in sizes]
