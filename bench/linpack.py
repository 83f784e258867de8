"""The app `linpack` against HPL on one and two cores, in turns, and over the DGEMM of the same cores.

HPL is the program xhpl in the folder that HAKARU_HPL names: of HPL itself (it reads HPL.dat), or built from the package hpcc (hpccinf.txt).
Both use the same BLIS with the same kernels: those that hakaru's programs name, unless BLIS_ARCH_TYPE is set.
HAKARU_LINPACK_ORDERS and HAKARU_LINPACK_CORES take some orders (4000, 8000, 12000) and cores only, separated by commas.
"""

import json
import os
import re
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

from hakaru.base.errors import UserError
from hakaru.base.paths import build_folder, mpi_flavour
from hakaru.own.bench import interleave, row, samples
from hakaru.run.launchers.here import launch_here

TARGETS = ("linpack", "arithmetic")
FOLDER = "HAKARU_HPL"
ROUNDS = {4000: 3, 8000: 1, 12000: 1}
BLOCK = 192
DGEMM_ORDER = 2000
REQUIRED_RATIO, REQUIRED_SHARE = 1.0, 0.9
WR = re.compile(r"^W\S+\s+\d+\s+\d+\s+\d+\s+\d+\s+[\d.]+\s+([\d.eE+-]+)\s*$", re.MULTILINE)
# Settings that HPL's own guide proposes: panels and recursion to the right, 1ring modified, one panel ahead, long swaps.
INPUT = """HPLinpack benchmark input file
by hakaru
HPL.out      output file name (if any)
6            device out
1            # of problems sizes (N)
{n}          Ns
1            # of NBs
{nb}         NBs
0            PMAP process mapping
1            # of process grids (P x Q)
1            Ps
{q}          Qs
16.0         threshold
1            # of panel fact
2            PFACTs
1            # of recursive stopping criterium
4            NBMINs
1            # of panels in recursion
2            NDIVs
1            # of recursive panel fact.
1            RFACTs
1            # of broadcast
1            BCASTs
1            # of lookahead depth
{ahead}      DEPTHs
2            SWAP
64           swapping threshold
0            L1 in transposed form
0            U in transposed form
1            Equilibration
8            memory alignment in double
##### This line is ignored. #####
0            Number of additional problem sizes for PTRANS
1200         values of N
0            number of additional blocking sizes for PTRANS
40           values of NB
"""


def started(words: list[str], ranks: int, folder: Path, extra: dict[str, str] | None = None) -> str:
    """What it printed. One thread a rank."""
    launch = launch_here(mpi_flavour(), ranks, 1)
    environment = (
        os.environ | launch.variables() | {"BLIS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"} | (extra or {})
    )
    done = subprocess.run(
        launch.command(words), check=True, cwd=folder, env=environment, capture_output=True, text=True
    )
    return done.stdout


def kernels(folder: Path) -> dict[str, str]:
    """Which kernels of BLIS hakaru's programs name: HPL gets the same."""
    record = folder / "kernels.json"
    words = ["run", "n=10", "--repetitions", "1", "--warmup", "0", "--threads", "1", "--record", str(record)]
    started([str(build_folder() / "bin" / "linpack"), *words], 1, folder)
    variables = json.loads(record.read_text())["environment"]["variables"]
    return {name: value for name, value in variables.items() if name.startswith("BLIS_ARCH")}


def ours(n: int, cores: int, folder: Path) -> Callable[[], float]:
    def launch() -> float:
        record = folder / "record.json"
        words = ["run", f"n={n}", f"nb={BLOCK}", "p=1", "--repetitions", "1", "--warmup", "0"]
        program = str(build_folder() / "bin" / "linpack")
        started([program, *words, "--threads", "1", "--record", str(record)], cores, folder)
        return samples(record, "rate")[0]

    return launch


def hpl(program: Path, n: int, cores: int, folder: Path) -> Callable[[], float]:
    named = kernels(folder)

    def launch() -> float:
        text = INPUT.format(n=n, nb=BLOCK, q=cores, ahead=int(cores > 1))
        for name in ("HPL.dat", "hpccinf.txt"):
            (folder / name).write_text(text)
        written = folder / "hpccoutf.txt"
        written.unlink(missing_ok=True)
        told = started([str(program)], cores, folder, named)
        told += written.read_text() if written.is_file() else ""
        found = WR.search(told)
        if found is None or "PASSED" not in told:
            raise UserError(f"{program} gave no rate", "no line WR... that passed", "run it by hand", 4)
        return 1e9 * float(found[1])

    return launch


def dgemm(cores: int, folder: Path) -> Callable[[], float]:
    def launch() -> float:
        record = folder / "dgemm.json"
        words = ["run", f"cores={cores}", f"matrix_order={DGEMM_ORDER}", "samples=3", "sample_seconds=1e-4"]
        line = [str(build_folder() / "bin" / "arithmetic"), *words, "--record", str(record)]
        subprocess.run(line, check=True, cwd=folder, capture_output=True)
        return samples(record, "dgemm")[0]

    return launch


def compare(n: int, cores: int, peer: Path, folder: Path) -> list[dict]:
    competitors = {"ours": ours(n, cores, folder), "dgemm": dgemm(cores, folder)}
    if peer.is_file():
        competitors["hpl"] = hpl(peer, n, cores, folder)
    result = interleave(competitors, ROUNDS[n], warmup=0)
    case = f"n = {n}, {cores} core{'s' if cores > 1 else ''}"
    rows = [
        row("linpack", f"rate, {case}", result.interval("ours"), "flop/s"),
        row("linpack", f"rate over DGEMM's, {case}", result.ratio("ours", "dgemm"), "1", REQUIRED_SHARE),
    ]
    if "hpl" in competitors:
        rate = result.interval("hpl").value
        rows[0]["peer"] = rate
        ratio = result.ratio("ours", "hpl")
        rows.append(row("linpack", f"rate over HPL's, {case}", ratio, "1", REQUIRED_RATIO, 1.0))
    return rows


def chosen(variable: str, known: list[int]) -> list[int]:
    wanted = os.environ.get(variable, "")
    return [one for one in known if not wanted or str(one) in wanted.split(",")]


def run() -> list[dict]:
    peer = Path(os.environ.get(FOLDER, "")) / "xhpl"
    available = [cores for cores in (1, 2) if cores <= len(os.sched_getaffinity(0))]
    with tempfile.TemporaryDirectory(prefix="hakaru-bench-") as folder:
        return [
            line
            for n in chosen("HAKARU_LINPACK_ORDERS", list(ROUNDS))
            for cores in chosen("HAKARU_LINPACK_CORES", available)
            for line in compare(n, cores, peer, Path(folder))
        ]
