"""What the publication says of overheads and bandwidths, as ratios that can be asked of any system."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from hakaru.base.statistics import Interval
from hakaru.studies.conclusions import ALIKE, LITTLE, SLOWER, Bounds

from .systems import Bandwidth, Overheads


@dataclass(frozen=True)
class Rule:
    """``value`` of one system."""

    name: str
    words: str
    value: Callable[[Any], float]
    bounds: Bounds

    def verdict(self, system: Overheads | Bandwidth) -> str:
        value = self.value(system)
        return self.bounds.verdict(Interval(value, value, value, 1, 1.0))


OF_OVERHEADS = (
    Rule(
        "region",
        "A parallel loop costs more than a loop inside a region: PARALLEL DO against DO.",
        lambda one: one.seconds["parallel_for"] / one.seconds["for"],
        SLOWER,
    ),
    Rule(
        "barrier",
        "A loop costs its barrier: DO against BARRIER.",
        lambda one: one.seconds["for"] / one.seconds["barrier"],
        ALIKE,
    ),
    Rule(
        "reduction",
        "A reduction is the dearest: against PARALLEL DO.",
        lambda one: one.seconds["reduction"] / one.seconds["parallel_for"],
        SLOWER,
    ),
)
OF_BANDWIDTH = (
    Rule(
        "shared",
        "All parts together have less than as many times one alone: of a chip in a node, of a core in a PC.",
        lambda one: one.all / one.parts / one.one,
        Bounds(high=1.0 / LITTLE),
    ),
)
HARDWARE, TIMES = (
    "SPARC64 VII",
    10.0,
)  # whose barrier is in hardware, and how many times faster that is said to be


def hardware_barrier(overheads: list[Overheads]) -> dict[str, float]:
    """How many times as long the barriers of the others take, of as many threads."""
    own = next(one for one in overheads if one.name == HARDWARE)
    return {
        one.name: one.seconds["barrier"] / own.seconds["barrier"]
        for one in overheads
        if one.threads == own.threads and one.name != HARDWARE
    }
