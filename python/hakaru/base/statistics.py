"""Medians with distribution-free intervals; nothing here assumes a normal distribution."""

import functools
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


def pseudo_median(samples: Sequence[float]) -> float:
    """Median of the means of all pairs of samples, each with itself among them (Hodges & Lehmann 1963). Where samples have two speeds the
    median is one of them by chance, and this lies between."""
    return median(_means_of_pairs(samples))


def pseudo_median_interval(samples: Sequence[float], confidence: float = 0.95) -> Interval:
    """Pseudo-median and the interval that belongs to it, which assumes a symmetric distribution (Tukey; Hollander & Wolfe, Nonparametric
    Statistical Methods, 3.3)."""
    means = _means_of_pairs(samples)
    below, coverage = _means_below(len(samples), confidence)
    return Interval(median(means), means[below], means[len(means) - 1 - below], len(samples), coverage)


def _means_of_pairs(samples: Sequence[float]) -> list[float]:
    count = len(samples)
    return sorted(0.5 * (samples[i] + samples[j]) for i in range(count) for j in range(i, count))


@functools.cache
def _means_below(count: int, confidence: float) -> tuple[int, float]:
    """How many of the means of pairs lie outside the interval on either side, and what it covers, by Wilcoxon's distribution of the sum of
    signed ranks: of 2^n sets of ranks 1..n, those with a sum of t or less. None where no interval is so wide: the whole range."""
    ways = [1] + [0] * (count * (count + 1) // 2)
    for rank in range(1, count + 1):
        for total in range(len(ways) - 1, rank - 1, -1):
            ways[total] += ways[total - rank]
    below, tail = 0, ways[0]
    while 2 * (tail + ways[below + 1]) <= (1.0 - confidence) * 2**count:
        below += 1
        tail += ways[below]
    return below, max(1.0 - 2.0 * tail / 2**count, 0.0)


def harmonic_mean(rates: Sequence[float]) -> float:
    """Harmonic mean, the right mean for rates of equal work."""
    if not rates or min(rates) <= 0.0:
        raise ValueError("harmonic mean needs positive rates")
    return len(rates) / sum(1.0 / rate for rate in rates)
