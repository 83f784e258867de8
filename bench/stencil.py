"""The 25-point stencil of `electrons`: compiler against explicit vectors, prefetch distances, ceilings of the machine.

One program lets all of them take turns on the same orbitals and the same pinned threads, at the published grids, on one
and on all cores. Rates count 158 flops a point and application (166 with the Taylor update), as the publication does.
"""

import os
import shlex
import shutil
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from hakaru.base.errors import ENVIRONMENT, UserError
from hakaru.base.paths import root
from hakaru.own.bench import Interleaved, row

NEEDS = ("fortran",)
GRIDS = {"Si": (16, 16, 16), "SiO2": (20, 36, 52)}
ROUNDS = 41
PREFETCH_BYTES = (64, 128, 192, 256)
OPTIONS = ["-O3", "-march=native", "-fopenmp"]
FLOPS_PER_POINT = 158.0
BYTES_PER_POINT = 40.0  # an orbital and a potential read, an orbital written
SHARE_OF_PEAK = 0.5
COMPILER_OVER_FORTRAN = 2.0
OURS = (
    "apps/electrons/stencil/coefficients.cpp",
    "apps/electrons/stencil/stencil.cpp",
    "apps/electrons/stencil/compiler.cpp",
    "apps/electrons/stencil/explicit.cpp",
    "native/base/require.cpp",
    "probes/arithmetic/kernels.cpp",
    "bench/stencil_turns.cpp",
)


def compiler(name: str) -> str:
    if found := shutil.which(name):
        return found
    raise UserError(
        f"{name} was not found", "the bench compiles its competitors", f"install {name}", ENVIRONMENT
    )


def compile_turns(folder: Path) -> Path:
    """The program in which all competitors take turns."""
    asked = ["pkg-config", "--cflags", "--libs", "hwloc", "libhwy", "fmt"]
    libraries = shlex.split(subprocess.run(asked, check=True, capture_output=True, text=True).stdout)
    common = [*OPTIONS, f"-I{root()}", "-DHWY_DISABLED_TARGETS=HWY_AVX3_DL", "-w"]
    commands, objects = [], []
    for source in (*OURS, "bench/stencil_intrinsics.c", "bench/stencil_reference.f90"):
        path = root() / source
        name = {".cpp": "g++", ".c": "gcc", ".f90": "gfortran"}[path.suffix]
        standard = ["-std=c++20"] if name == "g++" else []
        options = OPTIONS if name == "gfortran" else common
        objects.append(folder / f"{path.stem}-{path.suffix[1:]}.o")
        commands.append([compiler(name), *standard, *options, "-c", path, "-o", objects[-1]])
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        for done in pool.map(lambda command: subprocess.run([str(word) for word in command]), commands):
            done.check_returncode()
    program = folder / "stencil_turns"
    link = [compiler("g++"), "-fopenmp", *objects, "-o", program, *libraries, "-lgfortran"]
    subprocess.run([str(word) for word in link], check=True)
    return program


def rates(output: str) -> dict[int, Interleaved]:
    """Rates by number of cores and competitor, one a round; the first round is discarded."""
    results: dict[int, Interleaved] = {}
    for line in output.splitlines():
        if line.startswith("#"):
            continue
        cores, name, number, rate = line.split()
        if int(number) > 0:
            samples = results.setdefault(int(cores), Interleaved()).samples
            samples.setdefault(name, []).append(float(rate))
    for result in results.values():
        bandwidth = result.samples["orbital_bandwidth"]
        result.samples["bandwidth_bound"] = [rate * FLOPS_PER_POINT / BYTES_PER_POINT for rate in bandwidth]
    return results


def measure(folder: Path, rounds: int = ROUNDS) -> dict[tuple[str, int], Interleaved]:
    """Rates by case and number of cores."""
    program = compile_turns(folder)
    found = {}
    for case, points in GRIDS.items():
        words = [str(word) for word in (program, *points, rounds + 1)]
        done = subprocess.run(words, capture_output=True, text=True, timeout=300, check=False)
        if done.returncode != 0:
            raise RuntimeError(f"stencil_turns ended with {done.returncode}: {done.stderr.strip()[-300:]}")
        for count, result in rates(done.stdout).items():
            found[case, count] = result
    return found


def rows_of(case: str, cores: int, result: Interleaved) -> list[dict]:
    where = f"{case}, {cores} core{'s' if cores > 1 else ''}"
    peak = result.interval("fma_peak").value
    memory = result.interval("orbital_bandwidth")
    fortran = result.interval("fortran").value
    peer = "intrinsics" if "intrinsics" in result.samples else "compiler"
    peer_rate = result.interval(peer).value

    def rate(name: str, of: str, beside: float | None) -> dict:
        return row("stencil", f"{of}, {where}", result.interval(name), "flop/s", peak, beside)

    lines = [
        row("stencil", f"peak of fused multiply-add, {where}", result.interval("fma_peak"), "flop/s"),
        row("stencil", f"bandwidth of the level that holds an orbital, {where}", memory, "B/s"),
        rate("fortran", "Fortran", None),
        rate("compiler", "compiler", fortran),
        rate("explicit", "explicit", peer_rate),
        rate("fused", "explicit with the Taylor update", peer_rate),
        rate("taylor_step", "Taylor step of four applications", peer_rate),
        row(
            "stencil",
            f"explicit over the peak, {where}",
            result.ratio("explicit", "fma_peak"),
            "1",
            SHARE_OF_PEAK,
            peer_rate / peak,
        ),
        row(
            "stencil",
            f"explicit over what the level's bandwidth allows, {where}",
            result.ratio("explicit", "bandwidth_bound"),
            "1",
            1.0,
        ),
        row(
            "stencil",
            f"compiler over Fortran, {where}",
            result.ratio("compiler", "fortran"),
            "1",
            COMPILER_OVER_FORTRAN,
            1.0,
        ),
        row("stencil", f"explicit over compiler, {where}", result.ratio("explicit", "compiler"), "1", 1.0),
    ]
    if peer == "intrinsics":
        label = f"explicit over plain intrinsics, {where}"
        lines.append(rate("intrinsics", "plain intrinsics", None))
        lines.append(row("stencil", label, result.ratio("explicit", "intrinsics"), "1", 1.0, 1.0))
    for distance in PREFETCH_BYTES:
        label = f"prefetch {distance} B ahead over none, {where}"
        ratio = result.ratio(f"prefetch_{distance}", "explicit")
        lines.append(row("stencil", label, ratio, "1", 1.0, 1.0))
    return lines


def run() -> list[dict]:
    with tempfile.TemporaryDirectory(prefix="hakaru-bench-") as folder:
        found = measure(Path(folder))
    return [line for (case, cores), result in found.items() for line in rows_of(case, cores, result)]
