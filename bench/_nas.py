"""Compiling a Fortran peer, and the rates of it and of our app, one thread each."""

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from statistics import median

from hakaru.base.errors import UserError
from hakaru.base.paths import build_folder, root
from hakaru.own.bench import samples

REPETITIONS = 3
ENVIRONMENT = {
    **os.environ,
    "OMP_NUM_THREADS": "1",
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_hwloc_base_binding_policy": "none",
}


def compile_fortran(source: str, folder: Path) -> Path:
    compiler = shutil.which("gfortran")
    if compiler is None:
        raise UserError(
            f"the Fortran peer {source} cannot be compiled",
            "there is no gfortran",
            "install a Fortran compiler",
            4,
        )
    program = folder / Path(source).stem
    words = ["-O3", "-march=native", str(root() / "bench" / source), "-J", str(folder), "-o", str(program)]
    subprocess.run([compiler, *words], check=True)
    return program


def lines_of(program: Path, *words: object) -> list[list[float]]:
    """The numbers that a peer prints, a line for each repetition."""
    command = [str(program), *map(str, words)]
    done = subprocess.run(command, check=True, env=ENVIRONMENT, capture_output=True, text=True)
    return [[float(word) for word in line.split()] for line in done.stdout.splitlines()]


def rate_of_ours(name: str, folder: Path, *words: str) -> Callable[[], float]:
    """Median over the repetitions of one launch of the metric `rate`."""
    program = build_folder() / "bin" / name
    if not program.is_file():
        raise UserError(f"{name} is not built", f"{program} is missing", "run ./hakaru once to build it", 4)

    def launch() -> float:
        record = folder / f"{name}.json"
        options = ["--threads", "1", "--repetitions", str(REPETITIONS), "--record", str(record)]
        command = [str(program), "run", *words, *options]
        subprocess.run(command, check=True, env=ENVIRONMENT, stdout=subprocess.DEVNULL)
        return median(samples(record, "rate"))

    return launch
