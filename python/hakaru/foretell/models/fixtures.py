"""Made-up programs whose times follow a known formula, for tests: what a model should find is known
exactly."""

from collections.abc import Callable, Sequence

import numpy as np

from hakaru.foretell.models.observations import Observation, Point

TRUTHS: dict[str, Callable[[float], float]] = {
    "c0 * N^3": lambda n: 2e-8 * n**3,
    "c0 * N^3 * log2(N)": lambda n: 3e-9 * n**3 * np.log2(n),
    "c0 * N^4": lambda n: 1e-9 * n**4,
    "c0 + c1 * N^3": lambda n: 2e-8 * (32.0**3 + n**3),
    "c0 + c1 * N^4": lambda n: 1e-9 * (3 * 32.0**4 + n**4),
}
SIZES = ((32.0, 48.0, 64.0, 96.0), (32.0, 48.0, 64.0, 80.0, 128.0), (32.0, 40.0, 48.0, 64.0, 96.0, 128.0))


def observed(
    truth: Callable[[float], float], sizes: Sequence[float], noise: float, seed: int, launches: int = 5
) -> tuple[Observation, ...]:
    """Launches of one phase ``solve`` with normal noise of the given relative size."""
    generator = np.random.default_rng(seed)
    return tuple(
        Observation(
            Point(size),
            tuple(
                {"solve": float(truth(size) * (1.0 + noise * generator.standard_normal()))}
                for _ in range(launches)
            ),
        )
        for size in sizes
    )


def count(**counts: float) -> dict[str, float]:
    return {"flops": 0.0, "bytes": 0.0, "messages": 0.0, "message_bytes": 0.0, "calls": 0.0} | counts


def solver_work(size: float, ranks: int = 1) -> dict[str, dict[str, float]]:
    """Work of a made-up solver: a stencil, and an exchange of faces when there are several ranks."""
    faces = 2.0 * (ranks - 1)
    return {
        "stencil": count(flops=34.0 * size**3, bytes=56.0 * size**3, calls=1.0),
        "exchange": count(messages=faces, message_bytes=faces * 8.0 * size**2, calls=1.0),
    }


def solver_times(size: float, ranks: int = 1, threads: int = 1) -> dict[str, float]:
    """True times of that solver in s: 2 Gflop/s a core, 5 us a message, 4 GB/s, and 1 ms of set-up outside
    every phase."""
    work = solver_work(size, ranks)
    return {
        "stencil": work["stencil"]["flops"] / (2e9 * ranks * threads),
        "exchange": (5e-6 * work["exchange"]["messages"] + work["exchange"]["message_bytes"] / 4e9) / ranks,
        "other": 1e-3,
    }


def solver_observed(
    points: Sequence[tuple[float, int, int]], noise: float, seed: int, common: float = 0.5, launches: int = 5
) -> tuple[Observation, ...]:
    """Launches of the solver at (size, ranks, threads); ``common`` is the correlation of the noise between
    its phases (-0.5..1)."""
    generator = np.random.default_rng(seed)
    correlation = np.full((3, 3), common) + (1.0 - common) * np.eye(3)
    observations = []
    for size, ranks, threads in points:
        times = solver_times(size, ranks, threads)
        draws = generator.multivariate_normal(np.zeros(3), correlation, launches, method="eigh")
        observations.append(
            Observation(
                Point(size, ranks, threads, solver_work(size, ranks), {"n": size}, 56.0 * size**3),
                tuple(
                    {
                        name: time * max(1.0 + noise * draw, 0.1)
                        for (name, time), draw in zip(times.items(), row, strict=True)
                    }
                    for row in draws
                ),
            )
        )
    return tuple(observations)


SOLVER_KINDS = {"stencil": "compute", "exchange": "communicate", "other": "compute"}
