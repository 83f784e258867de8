"""Our STREAM loops against plain OpenMP loops by STREAM's rules, run by run in turns, held to 5 %.

Both use the same three arrays (of the size that the probe chooses here, in transparent huge pages), the same
pinned threads and the same first touch. Both are built with -O3 -march=native -fopenmp and aligned loops:
where a loop lies in the code alone moves copy and scale by up to a tenth on a Zen 3, in either program.
"""

import json
import shlex
import shutil
import subprocess
import tempfile
from pathlib import Path

from hakaru.base.errors import ENVIRONMENT, UserError
from hakaru.base.paths import build_folder, root
from hakaru.own.bench import Interleaved, row

TARGETS = ("memory_bandwidth",)
KERNELS = {"copy": 16, "scale": 16, "add": 24, "triad": 24}
ROUNDS = 40
CORES = (1, 2)
PAGES = "huge"
BOUND = 0.95
OPTIONS = ["-O3", "-march=native", "-fopenmp", "-falign-loops=64"]


def compiler(*names: str) -> str:
    for name in names:
        if found := shutil.which(name):
            return found
    raise UserError(
        f"{names[0]} was not found", "the loops have to be built", "install gcc and g++", ENVIRONMENT
    )


def compile_pair(folder: Path) -> Path:
    """The program in which the probe's loops and the plain ones take turns."""
    here, probe = Path(__file__).parent, root() / "probes" / "memory_bandwidth"
    cxx, include = compiler("g++", "c++"), ["-std=c++20", f"-I{root()}"]
    asked = ["pkg-config", "--cflags", "--libs", "hwloc", "libhwy", "fmt"]
    libraries = shlex.split(subprocess.run(asked, check=True, capture_output=True, text=True).stdout)
    reference, kernels, program = folder / "reference.o", folder / "kernels.o", folder / "stream_pair"
    loops = ["-fno-tree-loop-distribute-patterns", "-c", probe / "kernels.cpp"]
    rest = [here / "stream_pair.cpp", probe / "stream.cpp", root() / "native" / "base" / "require.cpp"]
    commands = [
        [compiler("gcc", "cc"), *OPTIONS, "-c", here / "stream_reference.c", "-o", reference],
        [cxx, *OPTIONS, *include, *loops, "-o", kernels],
        [cxx, *OPTIONS, *include, *rest, reference, kernels, "-o", program, *libraries],
    ]
    for command in commands:
        subprocess.run([str(word) for word in command], check=True)
    return program


def size_and_cores() -> tuple[int, list[int]]:
    """Elements of each array that the probe chooses here, and the numbers of cores that it can use."""
    elements, cores = 0, []
    for count in CORES:
        program = str(build_folder() / "bin" / "memory_bandwidth")
        done = subprocess.run(
            [program, "describe", f"cores={count}"], capture_output=True, text=True, check=True
        )
        evaluated = json.loads(done.stdout)["evaluated"]
        if not evaluated["refused"]:
            elements = int(evaluated["size"])
            cores.append(count)
    return elements, cores


def rates(output: str, elements: int) -> dict[tuple[str, int], Interleaved]:
    """Rates in B/s of every kernel and number of cores, one a round; the first round is discarded."""
    results: dict[tuple[str, int], Interleaved] = {}
    for line in output.splitlines():
        cores, kernel, who, number, seconds = line.split()
        if kernel in KERNELS and int(number) > 0:
            empty = Interleaved({"ours": [], "reference": []})
            samples = results.setdefault((kernel, int(cores)), empty).samples
            samples[who].append(KERNELS[kernel] * elements / float(seconds))
    return results


def measure(folder: Path) -> dict[tuple[str, int], Interleaved]:
    program = compile_pair(folder)
    elements, cores = size_and_cores()
    command = [str(program), str(elements), str(ROUNDS + 1), PAGES, *map(str, cores)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"stream_pair ended with {done.returncode}: {done.stderr.strip()[-300:]}")
    return rates(done.stdout, elements)


def run() -> list[dict]:
    with tempfile.TemporaryDirectory() as folder:
        results = measure(Path(folder))
    rows = []
    for (kernel, cores), result in results.items():
        label = f"{kernel} on {cores} core{'s' if cores > 1 else ''}, {PAGES} pages"
        ratio, rate = result.ratio("ours", "reference"), result.interval("ours")
        rows.append(row("stream", f"{label}: rate over the reference's", ratio, "1", BOUND, 1.0))
        rows.append(row("stream", f"{label}: rate", rate, "B/s", None, result.interval("reference").value))
    return rows
