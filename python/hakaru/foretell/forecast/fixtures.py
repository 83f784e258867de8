"""Made-up records and descriptions of a solver with known times, for tests."""

import itertools
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np

from hakaru.base.errors import UserError
from hakaru.foretell.models.fixtures import solver_times, solver_work

ENVIRONMENT = {
    "host": "node1",
    "kernel": "6.1",
    "cpu_model": "test processor",
    "cpus_online": 4,
    "memory_bytes": 8 * 2**30,
    "caches": [{"level": 1, "type": "data", "bytes": 32768, "shared_by": 1}],
    "compiler": "g++ 12",
    "compiler_flags": "-O3",
    "mpi_library": "Open MPI 4.1.4",
    "variables": {},
    "load_average": [0.0, 0.0],
    "steal_s": 0.0,
    "involuntary_switches": 0,
    "major_faults": 0,
}
_EPOCH = datetime(2026, 1, 1, tzinfo=UTC)
_numbers = itertools.count(1)


def evaluated(
    n: float = 64, steps: int = 10, method: str = "alltoall", ranks: int = 2, threads: int = 1
) -> dict[str, Any]:
    """The solver's ``evaluated`` object: work for one repetition of ``steps`` steps."""
    phases = [
        {"phase": name, **{key: value * steps for key, value in row.items()}, "bytes_write_allocate": 0.0}
        for name, row in solver_work(n, ranks).items()
    ]
    return {
        "parameters": {"n": n, "steps": steps, "method": method},
        "ranks": ranks,
        "threads": threads,
        "refused": None,
        "size": n,
        "size_meaning": "grid points per direction",
        "memory_bytes": 56.0 * n**3,
        "phases": phases,
    }


def describe(program: str, parameters: Mapping[str, Any], ranks: int = 2, threads: int = 1) -> dict[str, Any]:
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
) -> dict[str, Any]:
    """A verified run of the solver; ``more`` goes to ``evaluated`` (steps, method, ranks, threads) or
    replaces fields of the record."""
    number = next(_numbers)
    generator = np.random.default_rng([seed, int(n)])
    work = evaluated(
        n, **{name: more.pop(name) for name in ("steps", "method", "ranks", "threads") if name in more}
    )
    steps, ranks, threads = work["parameters"]["steps"], work["ranks"], work["threads"]
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
    return {
        "schema": "hakaru/record/1",
        "id": f"{moment.replace(':', '').replace('-', '')}-solver-{number:05d}",
        "program": "solver",
        "kind": "app",
        "command": "run",
        "status": "ok",
        "failure": None,
        "verdict": "passed",
        "started": moment,
        "finished": moment,
        "preset": None,
        "campaign": None,
        "parameters": work["parameters"],
        "layout": {
            "ranks": ranks,
            "threads": threads,
            "hosts": ["node1"],
            "oversubscribed": False,
            "binding_problems": [],
            "binding": [],
        },
        "work": work,
        "phases": [
            {"name": "stencil", "kind": "compute"},
            {"name": "exchange", "kind": "communicate"},
            {"name": "wait for others", "kind": "idle"},
        ],
        "warmup_discarded": 1,
        "repetitions": rows,
        "metrics": [],
        "tables": [],
        "checks": [],
        "environment": dict(ENVIRONMENT),
        "context": {},
    } | more


def campaign(sizes=(32, 48, 64, 80), launches: int = 5, **more) -> list[dict[str, Any]]:
    """Five launches of every size."""
    return [record(size, seed=launch, **more) for launch in range(launches) for size in sizes]
