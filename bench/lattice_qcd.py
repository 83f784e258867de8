"""The Wilson operator of `lattice_qcd` on one core against openQCD's hopping term, in turns, by 1320 operations a site of both.

HAKARU_OPENQCD names a folder with openQCD's sources (1.6; with modules/dirac/avx512 its explicit AVX-512 as well). They are compiled for
each local lattice, once with AVX and once with AVX-512 where both are there, and the faster one of a round counts. Without them there is
no ratio. HAKARU_OPENQCD_EXTENTS takes some lattices (8, 16) only, separated by commas.
"""

import os
import re
import subprocess
import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import median

from hakaru.base.errors import ENVIRONMENT, UserError
from hakaru.base.paths import build_folder, root
from hakaru.own.bench import Interleaved, interleave, on_one_core, row, samples

TARGETS = ("lattice_qcd",)
FOLDER = "HAKARU_OPENQCD"
EXTENTS = (8, 16)
ROUNDS, SAMPLES = 7, 3
FLOPS_PER_SITE = 1320.0
REQUIRED = 1.3
PARTS = "block dirac flags lattice linalg random sap sflds su3fcts sw_term tcharge uflds utils".split()
WAYS = {"avx": ["-mavx", "-DAVX", "-DPM"], "avx512": ["-march=native", "-DAVX", "-DAVX512", "-DPM"]}
COMMON = ["mpicc", "-std=gnu89", "-O2", "-w"]


def sources(peer: Path, way: str) -> list[Path]:
    """Of one way; the explicit AVX-512 lies in folders of its own."""
    folders = [peer / "modules" / part for part in PARTS]
    if way == "avx512":
        folders += [folder / "avx512" for folder in folders if (folder / "avx512").is_dir()]
    return [path for folder in folders for path in sorted(folder.glob("*.c"))]


def header(peer: Path, extent: int, folder: Path) -> None:
    """openQCD's global.h of one process with that local lattice."""
    text = (peer / "include" / "global.h").read_text()
    text = re.sub(r"(#define L[0-3]) \d+", rf"\1 {extent}", text)
    (folder / "global.h").write_text(re.sub(r"(#define NPROC[0-3]) \d+", r"\1 1", text))


def called(command: list[object]) -> None:
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if done.returncode != 0:
        why = (done.stderr.strip().splitlines() or [str(done.returncode)])[-1]
        raise UserError(
            "openQCD cannot be compiled", why, f"see whether {FOLDER} has its sources", ENVIRONMENT
        )


def compiled(peer: Path, way: str, extent: int, folder: Path) -> Path:
    """The program that times it for that lattice."""
    place = folder / f"{way}-{extent}"
    place.mkdir()
    header(peer, extent, place)
    options = [*COMMON, *WAYS[way], f"-I{place}", f"-I{peer / 'include'}"]
    objects = {
        path: place / f"{path.parent.parent.name}-{path.parent.name}-{path.stem}.o"
        for path in sources(peer, way)
    }
    commands = [[*options, "-c", path, "-o", made] for path, made in objects.items()]
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        list(pool.map(called, commands))
    called(["ar", "rcs", place / "libopenqcd.a", *objects.values()])
    program = place / "lattice_qcd_peer"
    own = root() / "bench" / "lattice_qcd_peer.c"
    called([*options, own, f"-L{place}", "-lopenqcd", "-lm", "-o", program])
    return program


def said(command: list[object]) -> str:
    line = [*on_one_core(), *map(str, command)]
    variables = os.environ | {"OMP_NUM_THREADS": "1"}
    return subprocess.run(line, check=True, capture_output=True, text=True, env=variables).stdout


def theirs(program: Path, precision: str) -> Callable[[], float]:
    def launch() -> float:
        return FLOPS_PER_SITE / median(float(line) for line in said([program, precision, SAMPLES]).split())

    return launch


def ours(extent: int, precision: str, folder: Path) -> Callable[[], float]:
    def launch() -> float:
        record = folder / "record.json"
        words = [f"{axis}={extent}" for axis in ("nx", "ny", "nz", "nt")]
        words += ["task=operator", f"precision={precision}", "preconditioning=none"]
        words += [f"iterations={400 if extent <= 8 else 40}", "--threads", "1"]
        words += ["--repetitions", str(SAMPLES), "--record", str(record)]
        said([build_folder() / "bin" / "lattice_qcd", "run", *words])
        return median(samples(record, "rate"))

    return launch


def against_the_faster(result: Interleaved, ways: list[str]) -> Interleaved:
    """Ours, and in each round the faster of the peer's programs."""
    faster = [max(rates) for rates in zip(*(result.samples[way] for way in ways), strict=True)]
    return Interleaved({"ours": result.samples["ours"], "openqcd": faster})


def rows_of(case: str, result: Interleaved, ways: list[str]) -> list[dict]:
    if not ways:
        return [row("lattice_qcd", f"rate, {case}", result.interval("ours"), "flop/s")]
    both = against_the_faster(result, ways)
    peer = both.interval("openqcd").value
    return [
        row("lattice_qcd", f"rate over openQCD's, {case}", both.ratio("ours", "openqcd"), "1", REQUIRED, 1.0),
        row("lattice_qcd", f"rate, {case}", both.interval("ours"), "flop/s", REQUIRED * peer, peer),
    ]


def ways_of(peer: Path) -> list[str]:
    """By what is in the folder and in this processor."""
    if not (peer / "include" / "global.h").is_file():
        return []
    explicit = (peer / "modules" / "dirac" / "avx512").is_dir()
    able = "avx512f" in Path("/proc/cpuinfo").read_text()
    return ["avx", *(["avx512"] if explicit and able else [])]


def run() -> list[dict]:
    peer = Path(os.environ.get(FOLDER, ""))
    ways = ways_of(peer) if FOLDER in os.environ else []
    asked = os.environ.get("HAKARU_OPENQCD_EXTENTS", ",".join(map(str, EXTENTS)))
    lines = []
    with tempfile.TemporaryDirectory(prefix="hakaru-bench-") as name:
        folder = Path(name)
        for extent in map(int, asked.split(",")):
            programs = {way: compiled(peer, way, extent, folder) for way in ways}
            for precision in ("double", "single"):
                competitors = {"ours": ours(extent, precision, folder)}
                competitors |= {way: theirs(program, precision) for way, program in programs.items()}
                result = interleave(competitors, ROUNDS, warmup=1)
                lines += rows_of(f"{extent}^4, {precision}", result, ways)
    return lines
