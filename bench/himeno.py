"""Himeno, single precision: ours against a straightforward C loop and against what memory allows."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from statistics import median

from hakaru.base.errors import UserError
from hakaru.base.paths import build_folder, root
from hakaru.own.bench import interleave, row, samples

TARGETS = ("himeno",)
ROUNDS = 9
REPETITIONS = 3
GRIDS = {"S": (128, 64, 64), "M": (256, 128, 128)}
ITERATIONS = {"S": 60, "M": 8}
FLOPS_PER_POINT = 34.0
REQUIRED_RATIO = 1.0


def compile_c(source: str, grid: tuple[int, int, int], folder: Path) -> Path:
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        raise UserError(
            "the C peer of himeno cannot be compiled", "there is no cc or gcc", "install a C compiler", 4
        )
    program = folder / f"{Path(source).stem}_{grid[0]}"
    sizes = [f"-DN{axis}={points}" for axis, points in zip("XYZ", grid, strict=True)]
    subprocess.run(
        [
            compiler,
            "-O3",
            "-march=native",
            "-fopenmp",
            *sizes,
            str(root() / "bench" / source),
            "-o",
            str(program),
        ],
        check=True,
    )
    return program


def variables(threads: int) -> dict[str, str]:
    """The same environment for all competitors."""
    return {
        **os.environ,
        "OMP_NUM_THREADS": str(threads),
        "OMPI_ALLOW_RUN_AS_ROOT": "1",
        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
        "OMPI_MCA_hwloc_base_binding_policy": "none",
    }


def rate_of_c(program: Path, iterations: int, threads: int, factor: float = 1.0) -> Callable[[], float]:
    """Median over the repetitions of one launch, in flop/s."""

    def launch() -> float:
        command = [str(program), str(iterations), str(REPETITIONS)]
        result = subprocess.run(command, check=True, env=variables(threads), capture_output=True, text=True)
        return factor * median([float(line.split()[0]) for line in result.stdout.splitlines()])

    return launch


def rate_of_ours(size: str, threads: int, folder: Path) -> Callable[[], float]:
    program = build_folder() / "bin" / "himeno"
    if not program.is_file():
        raise UserError("himeno is not built", f"{program} is missing", "run ./hakaru once to build it", 4)

    def launch() -> float:
        record = folder / f"himeno-{size}-{threads}.json"
        words = ["run", f"size={size}", "precision=single", f"iterations={ITERATIONS[size]}"]
        options = ["--threads", str(threads), "--repetitions", str(REPETITIONS), "--record", str(record)]
        subprocess.run(
            [str(program), *words, *options], check=True, env=variables(threads), stdout=subprocess.DEVNULL
        )
        return median(samples(record, "rate"))

    return launch


def compare(size: str, threads: int, folder: Path, rounds: int = ROUNDS) -> list[dict]:
    plain = compile_c("himeno_reference.c", GRIDS[size], folder)
    ceiling = compile_c("himeno_ceiling.c", GRIDS[size], folder)
    result = interleave(
        {
            "ours": rate_of_ours(size, threads, folder),
            "plain": rate_of_c(plain, ITERATIONS[size], threads),
            "memory": rate_of_c(ceiling, ITERATIONS[size], threads, FLOPS_PER_POINT),
        },
        rounds,
    )
    case = f"size {size}, {threads} thread{'s' if threads > 1 else ''}"
    memory, plain_rate = result.interval("memory").value, result.interval("plain").value
    return [
        row("himeno", f"rate, {case}", result.interval("ours"), "flop/s", memory, plain_rate),
        row(
            "himeno",
            f"rate over the plain loop's, {case}",
            result.ratio("ours", "plain"),
            "1",
            REQUIRED_RATIO,
            1.0,
        ),
        row("himeno", f"rate over what memory allows, {case}", result.ratio("ours", "memory"), "1", 1.0),
    ]


def run() -> list[dict]:
    threads = [count for count in (1, 2) if count <= len(os.sched_getaffinity(0))]
    with tempfile.TemporaryDirectory(prefix="hakaru-bench-") as folder:
        return [line for size in GRIDS for count in threads for line in compare(size, count, Path(folder))]
