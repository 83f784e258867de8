"""Our median filter of 3 x 3 x 3 windows on one core, against the published form, SciPy, and what minima and maxima allow."""

import os
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

import numpy as np
from scipy import ndimage

from hakaru.base.errors import UserError
from hakaru.base.paths import build_folder, root
from hakaru.own.bench import Interleaved, interleave, row, samples

TARGETS = ("median_filter",)
NEEDS = ("fortran",)
IMAGE, SCIPY_IMAGE = 128, 64
INTERIOR = (IMAGE - 2) ** 3
ROUNDS, PASSES, REPETITIONS = 7, 20, 5
VALUES = {"integer": ("std::int32_t", np.int32), "double": ("double", np.float64)}
OPERATIONS = 78.0  # minima and maxima of a point: apps/median_filter/README.md
AT_LEAST = 5.0  # times the published form
WINDOWS = (3, 5)  # beside SciPy


def compiled(compiler: str, words: list[str], path: Path) -> Path:
    done = subprocess.run([compiler, *words, "-o", str(path)], capture_output=True, text=True)
    if done.returncode != 0:
        raise UserError(
            f"a peer cannot be compiled with {compiler}",
            done.stderr[-200:],
            "see whether it works by itself",
            4,
        )
    return path


def lines_of(program: Path, *words: object) -> list[str]:
    command = [str(program), *map(str, words)]
    variables = os.environ | {"OMP_NUM_THREADS": "1"}
    return subprocess.run(
        command, check=True, capture_output=True, text=True, env=variables
    ).stdout.splitlines()


def published(values: str, order: list[str], folder: Path) -> Callable[[], float]:
    """Points a second of the Fortran program of studies/median-filter."""
    sources = root() / "studies" / "median-filter" / "programs"
    flags = ["-O3", "-march=native", f"-DIMAGE={IMAGE}", "-DMASK=3", *order]
    flags += ["-DREAL_VALUES"] if values == "double" else []
    name = f"{values}{len(order)}"
    common = compiled("gcc", [*flags, "-c", str(sources / "common.c")], folder / f"{name}.o")
    fortran = ["-fopenmp", "-cpp", "-ffree-line-length-none", f"-J{folder}", str(sources / "filter.F90")]
    program = compiled("gfortran", [*flags, *fortran, str(common)], folder / name)

    def launch() -> float:
        seconds = [
            float(line.split()[1]) for line in lines_of(program, 1, 0, 1) if line.startswith("seconds")
        ]
        return INTERIOR / median(seconds)

    return launch


def ours(values: str, image: int, window: int, folder: Path) -> Callable[[], float]:
    """Points a second: the median of the repetitions of a launch."""
    program = build_folder() / "bin" / "median_filter"
    if not program.is_file():
        raise UserError(
            "median_filter is not built", f"{program} is missing", "run ./hakaru once to build it", 4
        )

    def launch() -> float:
        record = folder / "record.json"
        words = [f"nx={image}", f"window_x={window}", f"values={values}", f"passes={PASSES}"]
        lines_of(program, "run", *words, "--threads", 1, "--repetitions", REPETITIONS, "--record", record)
        return median(samples(record, "rate"))

    return launch


def scipy_rate(values: str, window: int) -> float:
    """Of values in no order, as most points of our image are."""
    random = np.random.default_rng(7)
    image = (random.random((SCIPY_IMAGE,) * 3) * 2**20).astype(VALUES[values][1])
    begin = time.perf_counter()
    ndimage.median_filter(image, size=window, mode="reflect")
    return SCIPY_IMAGE**3 / (time.perf_counter() - begin)


def ceilings(values: str, folder: Path) -> tuple[Callable[[], float], Callable[[], float]]:
    """(points a second that minima and maxima allow, that reading and writing an image allows)"""
    words = ["-O3", "-march=native", "-ffast-math", "-include", "cstdint", f"-DVALUE={VALUES[values][0]}"]
    source = root() / "bench" / "median_filter_ceiling.cpp"
    program = compiled("g++", [*words, str(source)], folder / f"ceiling-{values}")

    def column(number: int) -> float:
        return median(float(line.split()[number]) for line in lines_of(program, IMAGE**3, REPETITIONS))

    return lambda: column(0) / OPERATIONS, lambda: 1.0 / column(1)


def compare(values: str, folder: Path) -> list[dict]:
    operations, memory = ceilings(values, folder)
    result: Interleaved = interleave(
        {
            "ours": ours(values, IMAGE, 3, folder),
            "printed": published(values, [], folder),
            "sorting": published(values, ["-DSORTED"], folder),
            "operations": operations,
            "memory": memory,
        },
        ROUNDS,
    )
    value = {name: result.interval(name).value for name in result.samples}
    bound = min(value["operations"], value["memory"])
    name, nearest = "median_filter", "operations" if bound == value["operations"] else "memory"
    return [
        row(name, f"rate, {values}, {IMAGE}^3", result.interval("ours"), "1/s", bound, value["sorting"]),
        row(name, f"over what {nearest} allow, {values}", result.ratio("ours", nearest), "1", 1.0),
        row(
            name,
            f"over the published Fortran as printed, {values}",
            result.ratio("ours", "printed"),
            "1",
            AT_LEAST,
            1.0,
        ),
        row(
            name,
            f"over the published Fortran that sorts, {values}",
            result.ratio("ours", "sorting"),
            "1",
            AT_LEAST,
            1.0,
        ),
    ]


def beside_scipy(values: str, window: int, folder: Path) -> dict:
    result = interleave(
        {"ours": ours(values, SCIPY_IMAGE, window, folder), "scipy": lambda: scipy_rate(values, window)},
        5,
        warmup=0,
    )
    figure = f"over SciPy's median_filter, {values}, {SCIPY_IMAGE}^3, window {window}^3"
    return row("median_filter", figure, result.ratio("ours", "scipy"), "1", 1.0, 1.0)


def run() -> list[dict]:
    with tempfile.TemporaryDirectory(prefix="hakaru-bench-") as place:
        folder = Path(place)
        rows = [line for values in VALUES for line in compare(values, folder)]
        return rows + [beside_scipy(values, window, folder) for values in VALUES for window in WINDOWS]
