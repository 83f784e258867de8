"""What a step of a spectral program takes on nodes of vector processors, from facts of a machine file and the published work of a step.

With N points in each direction, v = min(N, vector_length) and P processors at work, t threads in each process:

    arithmetic = W / (P r) (1 + loss (t - 1) / (T - 1)) + starts fork [t > 1],    r = vector_rate v / (v + vector_half_length)
    misses     = miss_flat or miss_hybrid, of each process whatever its share
    copies     = transpositions (2 V / (P b) + fork [t > 1]),                      V = bytes of a transposed field

T is the number of threads for which ``threads.parallel`` is given, b a processor's bandwidth. W = (a log2 N + c) N^3.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import log2

from hakaru.base.errors import UserError
from hakaru.facts.machines.machine import Machine, at_cores

DOUBLE_BYTES, SINGLE_BYTES = 8, 4
COPIES_OF_A_BYTE = 2.0  # read once, written once


@dataclass(frozen=True)
class StepWork:
    """The published work of a step: flops (``log`` log2 N + ``constant``) N^3, transpositions of a field, starts of parallel loops."""

    log: float
    constant: float
    transpositions: int
    starts: int

    def flops(self, n: int) -> float:
        return (self.log * log2(n) + self.constant) * n**3


@dataclass(frozen=True)
class Layout:
    """``processors`` of each node are at work: as many processes (flat), or as many threads of one process (hybrid)."""

    n: int
    nodes: int
    processors: int
    hybrid: bool
    value_bytes: int = DOUBLE_BYTES

    @property
    def ranks(self) -> int:
        return self.nodes * self.ranks_per_node

    @property
    def ranks_per_node(self) -> int:
        return 1 if self.hybrid else self.processors

    @property
    def threads(self) -> int:
        return self.processors if self.hybrid else 1

    @property
    def model(self) -> str:
        return "hybrid" if self.hybrid else "flat"

    @property
    def field_bytes(self) -> int:
        return self.n**3 * self.value_bytes


@dataclass(frozen=True)
class StepTime:
    """Seconds of a step without messages, of one process."""

    arithmetic_s: float
    misses_s: float
    copies_s: float


@dataclass(frozen=True)
class VectorMachine:
    """Facts of a machine file. Raises UserError naming one that is missing."""

    rate_flops_per_s: float
    half_length: float
    length: int
    bytes_per_s: float
    miss_s: Mapping[bool, float]  # by hybrid
    fork_s: float
    fork_threads: int
    loss: float

    @classmethod
    def of(cls, machine: Machine) -> "VectorMachine":
        bandwidth = at_cores(machine.values("memory", "bandwidth_peak"), 1, "peak")
        fork = machine.values("threads", "parallel")
        if bandwidth is None or not fork:
            missing = "threads.parallel" if bandwidth else "memory.bandwidth_peak"
            raise _missing(machine, missing)
        return cls(
            _number(machine, "compute.vector_rate"),
            _number(machine, "compute.vector_half_length"),
            int(_number(machine, "compute.vector_length")),
            bandwidth.value / bandwidth.cores,
            {False: _number(machine, "memory.miss_flat"), True: _number(machine, "memory.miss_hybrid")},
            float(fork[0].value),
            int(fork[0].keys["threads"]),
            _number(machine, "threads.loss"),
        )

    def rate(self, n: int) -> float:
        """flop/s of a processor whose inner loops have n elements."""
        elements = min(n, self.length)
        return self.rate_flops_per_s * elements / (elements + self.half_length)

    def step(self, work: StepWork, layout: Layout) -> StepTime:
        processors = layout.nodes * layout.processors
        threads = layout.threads
        loss = self.loss * (threads - 1) / (self.fork_threads - 1)
        fork_s = self.fork_s if threads > 1 else 0.0
        arithmetic_s = work.flops(layout.n) / (processors * self.rate(layout.n)) * (1.0 + loss)
        copied_s = COPIES_OF_A_BYTE * layout.field_bytes / (processors * self.bytes_per_s)
        return StepTime(
            arithmetic_s + work.starts * fork_s,
            self.miss_s[threads > 1],
            work.transpositions * (copied_s + fork_s),
        )


def _number(machine: Machine, path: str) -> float:
    value = machine.number(path)
    if value is None:
        raise _missing(machine, path)
    return float(value)


def _missing(machine: Machine, path: str) -> UserError:
    return UserError(
        f"the machine '{machine.name}' does not say {path}",
        "a step on vector processors is priced with it",
        "add the fact to its file, or choose a machine that has it",
    )
