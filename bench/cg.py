"""CG of the NAS parallel benchmarks, class A: ours against straightforward Fortran, one core each."""

import tempfile
from pathlib import Path
from statistics import median

from _nas import REPETITIONS, compile_fortran, lines_of, rate_of_ours

from hakaru.own.bench import interleave, row

TARGETS = ("cg",)
ROUNDS = 7
ORDER, NONZER, ESTIMATES, SHIFT = 14000, 11, 15, 20.0
# The benchmark's count: 2 n (3 + nz + 25 (5 + nz) + 3) for each estimate, nz = nonzer (nonzer + 1).
ELEMENTS = NONZER * (NONZER + 1)
OPERATIONS = 2 * ESTIMATES * ORDER * (3 + ELEMENTS + 25 * (5 + ELEMENTS) + 3)
REQUIRED_RATIO = 0.9
NEEDS = ("fortran",)


def run() -> list[dict]:
    with tempfile.TemporaryDirectory(prefix="hakaru-bench-") as name:
        folder = Path(name)
        program = compile_fortran("cg_reference.f90", folder)

        def fortran() -> float:
            lines = lines_of(program, ORDER, NONZER, ESTIMATES, SHIFT, REPETITIONS)
            return OPERATIONS / median([line[0] for line in lines])

        result = interleave({"ours": rate_of_ours("cg", folder, "class=A"), "fortran": fortran}, ROUNDS)
    peer = result.interval("fortran").value
    return [
        row("cg", "operations a second, class A", result.interval("ours"), "flop/s", peer=peer),
        row(
            "cg",
            "rate over the Fortran loop's, class A",
            result.ratio("ours", "fortran"),
            "1",
            REQUIRED_RATIO,
            1.0,
        ),
    ]
