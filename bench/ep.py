"""EP of the NAS parallel benchmarks, class S: ours against a straightforward Fortran loop, one core each."""

import tempfile
from pathlib import Path
from statistics import median

from _nas import REPETITIONS, compile_fortran, lines_of, rate_of_ours

from hakaru.own.bench import interleave, row

TARGETS = ("ep",)
ROUNDS = 7
PAIR_BITS = 24  # class S; the rate is the same at class A, where a round takes sixteen times as long
REQUIRED_RATIO = 0.9
NEEDS = ("fortran",)


def run() -> list[dict]:
    with tempfile.TemporaryDirectory(prefix="hakaru-bench-") as name:
        folder = Path(name)
        program = compile_fortran("ep_reference.f90", folder)
        result = interleave(
            {
                "ours": rate_of_ours("ep", folder, "class=S"),
                "fortran": lambda: median([line[0] for line in lines_of(program, PAIR_BITS, REPETITIONS)]),
            },
            ROUNDS,
        )
    fortran = result.interval("fortran").value
    return [
        row("ep", "random numbers a second, class S", result.interval("ours"), "1/s", peer=fortran),
        row(
            "ep",
            "rate over the Fortran loop's, class S",
            result.ratio("ours", "fortran"),
            "1",
            REQUIRED_RATIO,
            1.0,
        ),
    ]
