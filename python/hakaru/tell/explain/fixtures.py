"""A made-up results folder for tests: a two-core machine, two programs, forecasts; every number follows from
a formula.
"""

import random
from datetime import UTC, datetime, timedelta

import msgspec

from hakaru.facts.forecasts import Forecast, Score
from hakaru.facts.machines import Machine
from hakaru.facts.records import Record
from hakaru.facts.records.fixtures import layout
from hakaru.facts.records.fixtures import record as blank
from hakaru.facts.records.record import WAIT

PEAK = {1: 48e9, 2: 95e9}
TRIAD = {1: 15e9, 2: 22e9}
START = datetime(2026, 11, 21, 11, 0, tzinfo=UTC)


def environment(**more) -> dict:
    return {
        "host": "example",
        "kernel": "6.1.0",
        "cpu_model": "Example EPYC",
        "cpus_online": 2,
        "memory_bytes": 25e9,
        "caches": [
            {"level": 1, "type": "data", "bytes": 32768, "shared_by": 1},
            {"level": 2, "type": "unified", "bytes": 524288, "shared_by": 1},
            {"level": 3, "type": "unified", "bytes": 33554432, "shared_by": 2},
        ],
        "compiler": "g++ 12.2.0",
        "compiler_flags": "-O3 -march=native",
        "mpi_library": "Open MPI v4.1.4",
        "variables": {"OMP_PROC_BIND": "close"},
        "load_average": [0.4, 1.1],
        "steal_s": 0.0,
        "involuntary_switches": 3,
        "major_faults": 0,
        **more,
    }


def record(program: str, number: int, repetitions: list[dict], **more) -> Record:
    """A successful run of an app; any field can be overridden."""
    begin = START + timedelta(seconds=20 * number)
    fields = {
        "id": f"{begin:%Y%m%dT%H%M%S}.000Z-{program}-{number:04x}",
        "started": f"{begin:%Y-%m-%dT%H:%M:%S}.000Z",
        "finished": f"{begin + timedelta(seconds=12):%Y-%m-%dT%H:%M:%S}.000Z",
        "campaign": "default",
        "environment": environment(),
        "context": {"launch_line": f"mpirun -n 2 {program} run"},
    }
    return blank(program, number, repetitions, **(fields | more))


def repetition(phases: dict[str, list[float]], other_s: float = 0.0) -> dict:
    """A repetition whose wall time is its slowest rank; the rest wait."""
    ranks = len(next(iter(phases.values())))
    rank_s = [sum(times[rank] for times in phases.values()) + other_s for rank in range(ranks)]
    waiting = {WAIT: [max(rank_s) - time for time in rank_s]}
    return {"wall_s": max(rank_s), "rank_s": rank_s, "phases": {**phases, **waiting}}


def himeno(size: str, points: float, ranks: int, threads: int, first: int, launches: int = 5) -> list[Record]:
    """A memory-bound stencil: 34 flops and 72 B (88 B with write-allocate) a point, 80 % of triad; halos
    between ranks.
    """
    source = random.Random(f"himeno {size} {ranks} {threads}")
    cores = ranks * threads
    work = {
        "parameters": {"size": size},
        "size": round(points ** (1 / 3)),
        "size_meaning": "grid points per direction",
        "memory_bytes": 56 * points,
        "phases": [
            {
                "phase": "stencil",
                "flops": 34 * points,
                "bytes": 72 * points,
                "bytes_write_allocate": 88 * points,
            },
            {
                "phase": "halo",
                "messages": 2 * (ranks - 1),
                "message_bytes": 2 * (ranks - 1) * points ** (2 / 3) * 4,
            },
        ],
    }
    result = []
    for launch in range(launches):
        repetitions = []
        for _ in range(3):
            stencil_s = 88 * points / (0.8 * 4 / 3 * TRIAD[min(cores, 2)]) * source.gauss(1.0, 0.01)
            stencil = [stencil_s * (1.0 + 0.02 * rank) for rank in range(ranks)]
            halo = [(0.03 * stencil_s if ranks > 1 else 0.0)] * ranks
            repetitions.append(repetition({"stencil": stencil, "halo": halo}, 0.01 * stencil_s))
        rates = [34 * points / r["wall_s"] for r in repetitions]
        more = {
            "parameters": {"size": size, "iterations": 100 if size == "S" else 30},
            "layout": layout(ranks, threads),
            "work": work,
            "phases": [{"name": "stencil", "kind": "compute"}, {"name": "halo", "kind": "communicate"}],
            "metrics": [{"name": "rate", "unit": "flop/s", "samples": rates}],
        }
        result.append(record("himeno", first + launch, repetitions, **more))
    return result


def turbulence(n: int, ranks: int, threads: int, first: int, launches: int = 5, **parameters) -> list[Record]:
    """A transform code with five phases; transposes dominate on two ranks, threads are 12 % slower than
    ranks.
    """
    source = random.Random(f"turbulence {n} {ranks} {threads}")
    cores, points = ranks * threads, float(n**3)
    flops = 500 * points * 15
    kinds = {
        "transform": "compute",
        "cross product": "compute",
        "update": "compute",
        "transpose": "communicate",
    }
    kinds["checkpoint"] = "io"
    work = {
        "parameters": {"n": n},
        "size": n,
        "size_meaning": "grid points per direction",
        "memory_bytes": 30 * 8 * points,
        "phases": [
            {
                "phase": "transform",
                "flops": flops,
                "bytes": 900 * points,
                "bytes_write_allocate": 1200 * points,
            },
            {
                "phase": "cross product",
                "flops": 9 * points,
                "bytes": 72 * points,
                "bytes_write_allocate": 96 * points,
            },
            {"phase": "transpose", "messages": 72 * ranks * (ranks - 1), "message_bytes": 72 * 8 * points},
        ],
    }
    result = []
    for launch in range(launches):
        repetitions = []
        for _ in range(3):
            base = (
                flops
                / (0.3 * PEAK[min(cores, 2)])
                * source.gauss(1.0, 0.015)
                * (1.12 if threads > 1 else 1.0)
            )
            share = {"transform": 1.0, "cross product": 0.2, "update": 0.1, "checkpoint": 0.02}
            share["transpose"] = 0.25 if ranks > 1 else 0.03
            phases = {
                name: [base * part * (1 + 0.04 * rank) for rank in range(ranks)]
                for name, part in share.items()
            }
            repetitions.append(repetition(phases, 0.02 * base))
        more = {
            "parameters": {"n": n, "transpose": "alltoall", **parameters},
            "layout": layout(ranks, threads),
            "work": work,
            "phases": [{"name": name, "kind": kind} for name, kind in kinds.items()],
        }
        result.append(record("turbulence", first + launch, repetitions, **more))
    return result


def latency_record(number: int) -> Record:
    """A probe's record with the staircase: latency by order, pages, working set and stride."""
    rows = []
    for power in range(12, 28):
        size = 2**power
        base_s = 1.6e-9 if size <= 2**15 else 5.3e-9 if size <= 2**19 else 33e-9 if size <= 2**25 else 110e-9
        for stride, part in ((16, 0.42), (64, 0.8), (256, 1.0)):
            rows.append(["random_local", "huge", stride, size, base_s * part])
        rows.append(["random", "base", 64, size, base_s * 1.3])
    columns = [("pattern", "text"), ("pages", "text"), ("stride_bytes", "B"), ("working_set_bytes", "B")]
    named = [{"name": name, "unit": unit} for name, unit in (*columns, ("latency_s", "s"))]
    table = {"name": "latency", "columns": named, "rows": rows}
    repetitions = [repetition({"chase": [1.0]})]
    phases = [{"name": "chase", "kind": "compute"}]
    return record("memory_latency", number, repetitions, kind="probe", tables=[table], phases=phases)


def failed_record(number: int) -> Record:
    failure = {"reason": "killed by signal 9", "exit_code": 137, "standard_error": "rank 1: out of memory\n"}
    more = {"status": "failed", "failure": failure, "verdict": "not verified"}
    return record("turbulence", number, [], parameters={"n": 512}, layout=layout(2, 1), **more)


def fact(value: float, unit: str, spread: float = 0.02, **keys) -> dict:
    bounds = {"low": value * (1 - spread), "high": value * (1 + spread)}
    return {**keys, "value": value, "unit": unit, **bounds, "source": "probe 20261121T110000.000Z-example"}


def machine() -> Machine:
    return Machine.of(machine_tree())


def machine_tree() -> dict:
    kernels = {"copy": 0.92, "scale": 0.9, "add": 0.98, "triad": 1.0}
    bandwidth = [fact(TRIAD[c] * f, "B/s", kernel=k, cores=c) for k, f in kernels.items() for c in (1, 2)]
    allocate = [{**entry, **fact(entry["value"] * 4 / 3, "B/s")} for entry in bandwidth]
    steps = [("L1", 2**15, 1.6e-9), ("L2", 2**19, 5.3e-9), ("L3", 2**25, 33e-9), ("memory", None, 110e-9)]
    levels = [
        {"name": name, "latency": fact(latency, "s"), **({"capacity": fact(size, "B")} if size else {})}
        for name, size, latency in steps
    ]
    sizes = [2**power for power in range(0, 23, 2)]
    times = [0.35e-6 + size / 16e9 + (0.6e-6 if size > 4096 else 0.0) for size in sizes]
    collectives = {
        name: [fact(0.6e-6 * factor + size / 9e9, "s", ranks=2, bytes=size) for size in sizes[1:]]
        for name, factor in (("allreduce", 1.0), ("alltoall", 1.4))
    }
    core = {
        "latency": fact(0.33e-6, "s"),
        "eager_limit": fact(4096, "B"),
        "send_overhead": [fact(0.1e-6, "s", minimum_bytes=0, maximum_bytes=4096)],
        "receive_overhead": [fact(0.12e-6, "s", minimum_bytes=0, maximum_bytes=4096)],
        "gap": [fact(0.2e-6, "s", minimum_bytes=0, maximum_bytes=4096)],
        "gap_per_byte": [fact(6.25e-11, "s/B", minimum_bytes=4097, maximum_bytes=2**22)],
        "pingpong": [fact(time, "s", bytes=size) for size, time in zip(sizes, times, strict=True)],
        "barrier": [fact(0.5e-6, "s", ranks=2, bytes=0)],
        **collectives,
    }
    threads = {"parallel": 0.89e-6, "for": 0.3e-6, "barrier": 0.29e-6, "reduction": 0.81e-6, "fork": 14e-6}
    return {
        "schema": "hakaru/machine/1",
        "name": "example",
        "description": "two cores of a virtual machine",
        "kind": "measured",
        "date": "2026-11-21",
        "processor": {
            "model": {"value": "Example EPYC", "source": "/proc/cpuinfo"},
            "cores": {"value": 2, "unit": "1", "source": "hwloc"},
        },
        "compute": {
            "fma_peak": [fact(value, "flop/s", cores=cores) for cores, value in PEAK.items()],
            "dgemm": [fact(0.9 * value, "flop/s", cores=cores) for cores, value in PEAK.items()],
        },
        "memory": {"bandwidth": bandwidth, "bandwidth_write_allocate": allocate, "levels": levels},
        "threads": {name: [fact(time, "s", threads=2)] for name, time in threads.items()},
        "network": {"core": core},
    }


SHARES = (
    ("transform", "compute", 0.62),
    ("cross product", "compute", 0.13),
    ("transpose", "communicate", 0.25),
)


def forecast(number: int, n: int, predicted_s: float) -> Forecast:
    def span(value: float) -> dict:
        return {"value": value, "low": 0.88 * value, "high": 1.15 * value}

    fixed = {"ranks": 2, "threads": 1, "launches": 5}
    points = [
        {
            "parameters": {"n": k, "transpose": "alltoall"},
            "size": k,
            "value": predicted_s * (k / n) ** 3,
            **fixed,
        }
        for k in (32, 48, 64)
    ]
    model = {"model": "c0 + c1 * flops / cores"}
    candidates = [{**model, "cross_validation_error": 0.02}]
    phases = [
        {"name": name, "kind": kind, "time_s": span(part * predicted_s), **model, "candidates": candidates}
        for name, kind, part in SHARES
    ]
    far = n > 128
    reason = "64 x the largest run" if far else "near the measured sizes"
    return Forecast.of(
        {
            "schema": "hakaru/forecast/1",
            "id": f"forecast-{number:04d}",
            "created": f"2026-11-21T11:{number:02d}:00Z",
            "program": "turbulence",
            "parameters": {"n": n, "transpose": "alltoall"},
            "size": n,
            "layout": {"ranks": 2, "threads": 1},
            "repetition": True,
            "time_s": span(predicted_s),
            "usual_s": {"value": predicted_s, "low": 0.95 * predicted_s, "high": 1.06 * predicted_s},
            "confidence": 0.95,
            "phases": phases,
            "facts": ["20261121T110000.000Z-turbulence-0000", "machine example: memory.bandwidth"],
            "fitted_on": {"points": points},
            "extrapolation": {"factor": (n / 64) ** 3, "flag": "far" if far else "ok", "reason": reason},
            "growth": None,
            "score": None,
        }
    )


def scored(foretold: Forecast, wall_s: float, record_ids: list[str]) -> Forecast:
    """The forecast with the score of a run that took so long."""
    span = foretold.time_s
    phases = {name: part * wall_s for name, _, part in SHARES}
    measured = {"value": wall_s, "low": 0.99 * wall_s, "high": 1.01 * wall_s, "launches": 5, "phases": phases}
    score = {
        "schema": "hakaru/score/1",
        "forecast": foretold.id,
        "scored": "2026-11-21T11:59:00Z",
        "measured": measured,
        "error": span.value / wall_s - 1.0,
        "inside": span.holds(wall_s),
        "record_ids": record_ids,
    }
    return foretold.with_score(msgspec.convert(score, Score))


def results() -> tuple[list[Record], dict, list[Forecast]]:
    """Records, machine and forecasts of one small campaign, with one failed run."""
    records, number = [latency_record(0), failed_record(1)], 2
    for ranks, threads in ((1, 1), (2, 1), (1, 2)):
        for size, points in (("S", 128.0 * 64 * 64), ("M", 256.0 * 128 * 128)):
            records += himeno(size, points, ranks, threads, number)
            number += 5
        for n in (32, 64):
            records += turbulence(n, ranks, threads, number)
            number += 5
    run = turbulence(128, 2, 1, number)
    records += run
    wall_s = run[0].repetitions[0].wall_s
    foretold = [forecast(1, 64, 0.1), forecast(2, 128, 1.04 * wall_s), forecast(3, 256, 9 * wall_s)]
    foretold[0] = scored(foretold[0], 0.08, ["20261121T105000.000Z-turbulence-0000"])
    foretold[1] = scored(foretold[1], wall_s, [entry.id for entry in run])
    return records, machine(), foretold
