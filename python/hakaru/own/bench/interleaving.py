"""Competitors take turns in one run: a drift of the clock or of a neighbour's load meets all alike."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from hakaru.base.statistics import Interval, median_interval


@dataclass
class Interleaved:
    """Samples of every competitor, one per round, in the unit of what the functions return."""

    samples: dict[str, list[float]] = field(default_factory=dict)

    def interval(self, name: str, confidence: float = 0.95) -> Interval:
        """Median of one competitor with its distribution-free interval."""
        return median_interval(self.samples[name], confidence)

    def ratio(self, name: str, peer: str, confidence: float = 0.95) -> Interval:
        """Median of ``name / peer``, each ratio formed inside one round (never a ratio of medians)."""
        return median_interval(
            [ours / theirs for ours, theirs in zip(self.samples[name], self.samples[peer], strict=True)],
            confidence,
        )


def interleave(
    functions: Mapping[str, Callable[[], float | None]], rounds: int, warmup: int = 1
) -> Interleaved:
    """Call every function once a round, in alternating order (ABC, CBA, ...), after ``warmup`` lost rounds.

    A function returns its own figure as a number; one that returns None is timed from outside, in seconds.
    """
    if rounds < 1 or not functions:
        raise ValueError("interleave needs at least one function and one round")
    result = Interleaved({name: [] for name in functions})
    for index in range(-warmup, rounds):
        names = list(functions) if index % 2 == 0 else list(reversed(functions))
        for name in names:
            begin = time.perf_counter()
            value = functions[name]()
            elapsed_s = time.perf_counter() - begin
            if index >= 0:
                result.samples[name].append(elapsed_s if value is None else float(value))
    return result


def row(
    bench: str, figure: str, value: Interval, unit: str, bound: float | None = None, peer: float | None = None
) -> dict:
    """One line of a bench: median, unit, the bound it is held against, the peer's figure, interval."""
    return {
        "bench": bench,
        "figure": figure,
        "value": value.value,
        "unit": unit,
        "bound": bound,
        "peer": peer,
        "interval": [value.low, value.high],
    }
