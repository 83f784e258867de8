"""What is compared: settings of the lab and programs."""

import math
import random
from dataclasses import dataclass

from hakaru.facts.programs import Execution, parse_assignments

GIGABIT = 1.25e8  # B/s


@dataclass(frozen=True)
class Setting:
    """One-way latency (s) and link rate (B/s) of a lab of two hosts."""

    latency_s: float
    rate_bytes_per_s: float

    @property
    def name(self) -> str:
        from hakaru.base import units

        return f"{units.seconds(self.latency_s)}, {8 * self.rate_bytes_per_s / 1e6:g} Mbit/s"


@dataclass(frozen=True)
class Workload:
    """A program of hakaru with its parameters; ``repetitions`` are those of one launch."""

    program: str
    words: tuple[str, ...]
    repetitions: int

    @property
    def name(self) -> str:
        return " ".join([self.program, *self.words])

    @property
    def execution(self) -> Execution:
        return Execution(parameters=parse_assignments(self.words), repetitions=self.repetitions)


SETTINGS = (
    Setting(20e-6, GIGABIT),
    Setting(100e-6, GIGABIT),
    Setting(100e-6, 0.3 * GIGABIT),
    Setting(200e-6, 0.1 * GIGABIT),
    Setting(500e-6, 0.5 * GIGABIT),
    Setting(1e-3, GIGABIT),
)
SLOWEST, FASTEST = Setting(5e-3, 0.02 * GIGABIT), Setting(20e-6, 2 * GIGABIT)


def drawn(count: int, seed: int) -> list[Setting]:
    """Settings at random between SLOWEST and FASTEST, each figure spread evenly over its logarithm and rounded to two digits."""
    numbers = random.Random(seed)

    def between(one: float, other: float) -> float:
        return float(f"{math.exp(numbers.uniform(math.log(one), math.log(other))):.1e}")

    def setting() -> Setting:
        latency_s = between(FASTEST.latency_s, SLOWEST.latency_s)
        megabits = between(SLOWEST.rate_bytes_per_s / 1.25e5, FASTEST.rate_bytes_per_s / 1.25e5)
        return Setting(latency_s, megabits * 1.25e5)

    return [setting() for _ in range(count)]


WORKLOADS = (
    Workload("turbulence", ("n=64", "steps=1"), 3),
    Workload("himeno", ("size=M", "iterations=10"), 3),
    Workload("heat", ("n=2048", "steps=20"), 5),
    Workload("heat", ("n=512", "steps=50", "overlap=true"), 5),
    Workload("lattice_qcd", ("task=solver", "iterations=20"), 3),
    Workload("hartree_fock", (), 1),
    Workload("multiblock_flow", ("nx=96", "ny=80", "nz=24", "steps=10"), 2),
    Workload("semiclassical", (), 1),
    Workload("cg", ("class=S",), 3),
)

# The other programs that exchange anything, where traces were taken.
HERE = (
    *WORKLOADS,
    Workload("electrons", ("nx=12", "ny=12", "nz=12", "steps=20"), 1),
    Workload("ep", ("class=custom", "m=22"), 3),
    Workload("ft", ("class=S",), 1),
    Workload("linpack", ("n=2000",), 1),
    Workload("matmul", (), 1),
    Workload("median_filter", (), 1),
    Workload("mpi_fft", (), 1),
    Workload("mpi_fft", ("transposition=put",), 1),
    Workload("scg", (), 1),
    Workload("sp", (), 1),
    Workload("tomcatv", (), 1),
)
