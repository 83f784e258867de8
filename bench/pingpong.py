"""Our ping-pong against a plain one by IMB's definition, launched in turns: they are to agree within 5 %."""

import itertools
import json
import os
import shutil
import subprocess
import tempfile
import time
from pathlib import Path
from statistics import median

from hakaru.base.errors import ENVIRONMENT, UserError
from hakaru.base.paths import build_folder, mpi_flavour
from hakaru.own.bench import Interleaved, row

TARGETS = ("messages",)
SIZES = (8, 1024, 65536, 1048576)
# A hypervisor moves idle processors between launches, which changes the time of a message up to threefold:
# many short launches, until the ratios are known well enough or the time is up.
LEAST_ROUNDS = 21
ENOUGH_WIDTH = 0.05
MOST_S = 100.0
SAMPLES = 7
SAMPLE_S = 0.002
BOUND = 1.05
ROOT_AND_FEW_CORES = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMP_NUM_THREADS": "1",
}


def find(*names: str) -> str:
    for name in names:
        if found := shutil.which(name):
            return found
    raise UserError(
        f"{names[0]} was not found",
        "the ping-pong is compared on MPI",
        "install it or set HAKARU_MPI",
        ENVIRONMENT,
    )


def compile_reference(folder: Path) -> Path:
    """The plain ping-pong, built with the wrapper of the same MPI library."""
    program = folder / "pingpong_reference"
    source = Path(__file__).with_name("pingpong_reference.c")
    compiler = find(f"mpicc.{mpi_flavour()}", "mpicc")
    subprocess.run([compiler, "-O2", "-std=gnu11", str(source), "-o", str(program)], check=True)
    return program


def launch(program: Path, *arguments: str) -> str:
    """Standard output of two ranks, each on a core of its own."""
    binding = "--bind-to" if mpi_flavour() == "openmpi" else "-bind-to"
    command = [
        find(f"mpirun.{mpi_flavour()}", "mpirun"),
        "-n",
        "2",
        binding,
        "core",
        str(program),
        *arguments,
    ]
    done = subprocess.run(
        command, env=os.environ | ROOT_AND_FEW_CORES, capture_output=True, text=True, timeout=60, check=False
    )
    if done.returncode != 0:
        raise RuntimeError(f"{program.name} ended with {done.returncode}: {done.stderr.strip()[-300:]}")
    return done.stdout


def medians(pairs: list[tuple[int, float]]) -> dict[int, float]:
    """bytes -> median seconds of one launch."""
    return {size: median(seconds for bytes_, seconds in pairs if bytes_ == size) for size in SIZES}


def reference(program: Path) -> dict[int, float]:
    lines = launch(program, str(SAMPLES), str(SAMPLE_S), *map(str, SIZES)).splitlines()
    return medians([(int(size), float(seconds)) for size, seconds in (line.split() for line in lines)])


def ours(folder: Path) -> dict[int, float]:
    record_file = folder / "record.json"
    parameters = {
        "part": "pingpong",
        "maximum_bytes": SIZES[-1],
        "sizes": ",".join(map(str, SIZES)),
        "samples": SAMPLES,
        "time_s": SAMPLES * len(SIZES) * SAMPLE_S,
    }
    assignments = [f"{name}={value}" for name, value in parameters.items()]
    launch(build_folder() / "bin" / "messages", "run", *assignments, "--record", str(record_file))
    (table,) = (t for t in json.loads(record_file.read_text())["tables"] if t["name"] == "pingpong")
    names = [column["name"] for column in table["columns"]]
    size, seconds = names.index("bytes"), names.index("seconds")
    return medians([(entry[size], entry[seconds]) for entry in table["rows"]])


def known_well_enough(results: dict[int, Interleaved], began_s: float) -> bool:
    rounds = len(results[SIZES[0]].samples["ours"])
    if rounds < LEAST_ROUNDS:
        return False
    widest = max(result.ratio("ours", "reference").relative_width for result in results.values())
    return widest <= ENOUGH_WIDTH or time.perf_counter() - began_s > MOST_S


def measure(folder: Path) -> dict[int, Interleaved]:
    """One interleaved comparison a size, in alternating order; the first round is discarded."""
    program = compile_reference(folder)
    results = {size: Interleaved({"ours": [], "reference": []}) for size in SIZES}
    competitors = [("ours", lambda: ours(folder)), ("reference", lambda: reference(program))]
    began_s = time.perf_counter()
    for index in itertools.count(-1):
        for name, start in competitors if index % 2 == 0 else reversed(competitors):
            figures = start()
            for size in SIZES if index >= 0 else ():
                results[size].samples[name].append(figures[size])
        if known_well_enough(results, began_s):
            return results


def run() -> list[dict]:
    with tempfile.TemporaryDirectory() as folder:
        results = measure(Path(folder))
    rows = []
    for size, result in results.items():
        rows.append(
            row(
                "pingpong",
                f"time of a message of {size} B over the reference's",
                result.ratio("ours", "reference"),
                "1",
                BOUND,
                1.0,
            )  # fmt: skip
        )
        rows.append(
            row(
                "pingpong",
                f"time of a message of {size} B",
                result.interval("ours"),
                "s",
                None,
                result.interval("reference").value,
            )  # fmt: skip
        )
    return rows
