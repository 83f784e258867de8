"""Medians with distribution-free intervals; nothing here assumes a normal distribution."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median


@dataclass(frozen=True)
class Interval:
    """A median ``value`` with bounds ``low`` <= value <= ``high`` from ``count`` samples, covering with ``coverage`` probability."""

    value: float
    low: float
    high: float
    count: int
    coverage: float

    @property
    def relative_width(self) -> float:
        """(high - low) / value; infinite when the value is zero and the bounds differ."""
        if self.high == self.low:
            return 0.0
        return (self.high - self.low) / abs(self.value) if self.value else math.inf


def median_interval(samples: Sequence[float], confidence: float = 0.95) -> Interval:
    """Median and its distribution-free interval from order statistics (Hahn & Meeker, Statistical Intervals, ch. 5).

    The interval [x_(l), x_(n+1-l)] covers the median with probability 1 - 2 * BinomialCDF(l - 1; n, 1/2). With fewer than
    six samples no pair of order statistics reaches 95 %: the whole range is given and ``coverage`` says how much it covers.
    """
    ordered = sorted(samples)
    count = len(ordered)
    centre = median(ordered)
    tail, rank = 0.0, 0
    while rank < count // 2:
        tail += math.comb(count, rank) * 0.5**count
        if 2.0 * tail > 1.0 - confidence:
            break
        rank += 1
    rank = max(rank, 1)
    coverage = 1.0 - 2.0 * sum(math.comb(count, i) for i in range(rank)) * 0.5**count
    return Interval(centre, ordered[rank - 1], ordered[count - rank], count, max(coverage, 0.0))


def harmonic_mean(rates: Sequence[float]) -> float:
    """Harmonic mean, the right mean for rates of equal work."""
    if not rates or min(rates) <= 0.0:
        raise ValueError("harmonic mean needs positive rates")
    return len(rates) / sum(1.0 / rate for rate in rates)
