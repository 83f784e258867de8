"""Cores that are hardware threads of fewer cores, though the machine tells of none: a hypervisor may hide that.

Multiply-adds out of registers and the first cache are a core's own, so both rates grow with the cores that are busy. Of a core's two threads
each has half of them.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from hakaru.base import units
from hakaru.facts.machines.fact import Fact
from hakaru.facts.machines.machine import Machine

SHARED = 0.6  # of the rate of one core that is busy alone: clocks that fall when all are busy leave more


@dataclass(frozen=True)
class HiddenThreads:
    """What all ``cores`` leave each other of the rate of one alone, as shares."""

    cores: int
    multiply_adds: float
    first_cache: float

    @property
    def words(self) -> str:
        fell = f"multiply-adds fall to {units.percent(self.multiply_adds)} and the first cache to {units.percent(self.first_cache)} of one core's rate"
        return f"its {self.cores} cores behave as {self.cores // 2} with two threads each ({fell} when all are busy)"


def hidden_threads(machine: Machine) -> HiddenThreads | None:
    """None where either rate grows with the cores, or was not measured on one core and on more."""
    peaks = [fact for fact in machine.values("compute", "fma_peak") if fact.keys.get("precision") != "single"]
    shares = [_share(peaks), _share(machine.values("memory", "working_sets"))]
    cores = max((fact.keys.get("cores", 1) for fact in peaks), default=1)
    if None in shares or max(shares) > SHARED:
        return None
    return HiddenThreads(cores, *shares)


def _share(rates: Sequence[Fact]) -> float | None:
    """Of the best rate of one core, what each of the most cores has at best."""
    best: dict[int, float] = {}
    for fact in rates:
        cores = fact.keys.get("cores", 1)
        best[cores] = max(best.get(cores, 0.0), fact.value)
    most = max(best, default=1)
    return best[most] / most / best[1] if most > 1 and best.get(1) else None
