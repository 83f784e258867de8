"""Rates of our programs on one rank, class A, against the published Fortran codes, by NPB's counts of operations."""

import os
import subprocess
import tempfile
from pathlib import Path

from _nas import ENVIRONMENT, rate_of_ours

from hakaru.base.errors import UserError
from hakaru.own.bench import interleave, row

REQUIRED_RATIO = 0.9
ROUNDS = 7
FOLDER = "HAKARU_NPB"


def rate_of_npb(program: Path) -> float:
    """Of one run of an NPB binary, which prints `Mop/s total = ...`, in flop/s."""
    done = subprocess.run([str(program)], check=True, capture_output=True, text=True, env=ENVIRONMENT)
    for line in done.stdout.splitlines():
        if line.strip().startswith("Mop/s total"):
            return 1e6 * float(line.split("=")[1])
    raise UserError(
        f"{program} printed no rate", "the line `Mop/s total` is missing", "build it from NPB 3.4", 4
    )


def compare(name: str, words: list[str], measured_once: float) -> list[dict]:
    """With NPB's binary in the same run where the environment variable HAKARU_NPB names a folder that has it."""
    peer = Path(os.environ.get(FOLDER, "")) / f"{name}.A.x"
    with tempfile.TemporaryDirectory(prefix="hakaru-bench-") as folder:
        competitors = {"ours": rate_of_ours(name, Path(folder), *words)}
        if FOLDER in os.environ and peer.is_file():
            competitors["npb"] = lambda: rate_of_npb(peer)
        result = interleave(competitors, ROUNDS)
    case = "class A, one rank"
    if "npb" not in competitors:
        figure = f"rate, {case}; peer measured once, on another day"
        bound = REQUIRED_RATIO * measured_once
        return [row(name, figure, result.interval("ours"), "flop/s", bound, measured_once)]
    return [
        row(name, f"rate, {case}", result.interval("ours"), "flop/s", peer=result.interval("npb").value),
        row(name, f"rate over NPB's, {case}", result.ratio("ours", "npb"), "1", REQUIRED_RATIO, 1.0),
    ]
