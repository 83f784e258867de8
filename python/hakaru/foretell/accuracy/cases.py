"""What is compared: settings of the lab and programs."""

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
WORKLOADS = (
    Workload("turbulence", ("n=64", "steps=1"), 3),
    Workload("himeno", ("size=M", "iterations=10"), 3),
    Workload("heat", ("n=2048", "steps=20"), 5),
    Workload("heat", ("n=512", "steps=50", "overlap=true"), 5),
)
