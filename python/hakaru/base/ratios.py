"""The ratio between two samples of times, with an interval that assumes no distribution.

Model: the times of the second sample are distributed as those of the first, times a factor. The interval is that of Moses for a shift
(Hollander, Wolfe & Chicken, Nonparametric Statistical Methods, 3rd ed., ch. 4.3), taken of logarithms: with the m n ratios of every time
of the second sample to every time of the first in order, r_(1) <= ... <= r_(mn), it is [r_(c), r_(mn+1-c)], and it holds the factor with
probability 1 - 2 P(U <= c - 1), where U is Mann and Whitney's statistic under equal distributions. The value is Hodges and Lehmann's: the
median of the ratios. Where the two samples differ in more than a factor, that is what value and interval speak of.
"""

import math
from collections.abc import Sequence
from functools import lru_cache
from statistics import NormalDist

from hakaru.base.statistics import Interval

EXACT = 1000  # pairs; beyond, the normal approximation of U is good to a percent of the tail
MOST_PAIRS = 1_000_000  # held in memory at once


def ratio_interval(before: Sequence[float], after: Sequence[float], confidence: float = 0.95) -> Interval:
    """Ratio of ``after`` to ``before``, both positive; ``count`` is of the smaller sample.

    With too few values for ``confidence`` the whole range is given, and ``coverage`` says how much it covers. Raises ValueError for what is
    empty or not positive.
    """
    first, second = sorted(before), sorted(after)
    if not first or not second or first[0] <= 0.0 or second[0] <= 0.0:
        raise ValueError("a ratio needs positive times on both sides")
    place, coverage = _place(len(first), len(second), confidence)
    pairs = len(first) * len(second)
    ratios = _ordered(first, second, (place, (pairs + 1) // 2, pairs // 2 + 1, pairs + 1 - place))
    low, below, above, high = ratios
    return Interval(math.sqrt(below) * math.sqrt(above), low, high, min(len(first), len(second)), coverage)


def enough(first: int, second: int, confidence: float = 0.95) -> bool:
    """Whether so many values can give an interval of that confidence: 4 against 4 can at 95 %, 3 against 4 cannot."""
    return first > 0 and second > 0 and 2.0 / math.comb(first + second, first) <= 1.0 - confidence


@lru_cache(maxsize=1024)
def _place(first: int, second: int, confidence: float) -> tuple[int, float]:
    """c and the coverage: the largest c with 2 P(U <= c - 1) <= 1 - confidence, at least 1."""
    pairs = first * second
    if pairs > EXACT:
        spread = math.sqrt(pairs * (first + second + 1) / 12.0)
        reach = NormalDist().inv_cdf(0.5 + confidence / 2.0)
        return max(1, math.floor((pairs + 1) / 2.0 - reach * spread)), confidence
    ways, total = _ways(first, second), math.comb(first + second, first)
    tail, place = 0, 0
    while place < pairs // 2 and 2 * (tail + ways[place]) <= (1.0 - confidence) * total:
        tail += ways[place]
        place += 1
    if place == 0:
        tail, place = ways[0], 1
    return place, max(0.0, 1.0 - 2.0 * tail / total)


def _ways(first: int, second: int) -> list[int]:
    """Number of orders of both samples for each U: the coefficients of the Gaussian binomial
    prod_(i=1..m) (1 - q^(n+i)) / (1 - q^i) (Mann & Whitney 1947), lower half."""
    length = first * second // 2 + 1
    series = [1] + [0] * (length - 1)
    for i in range(1, first + 1):
        for power in range(length - 1, second + i - 1, -1):
            series[power] -= series[power - second - i]
        for power in range(i, length):
            series[power] += series[power - i]
    return series


def _ordered(first: list[float], second: list[float], places: Sequence[int]) -> list[float]:
    """The ratios at these places, from 1, in the order of all."""
    import numpy as np

    below, above = np.asarray(first), np.asarray(second)
    if below.size * above.size <= MOST_PAIRS:
        ratios = (above[:, None] / below[None, :]).ravel()
        wanted = sorted({place - 1 for place in places})
        ratios.partition(wanted)
        return [float(ratios[place - 1]) for place in places]
    return [_by_bisection(np.log(below), np.log(above), place) for place in places]


def _by_bisection(below, above, place: int) -> float:
    """The ratio at one place out of too many pairs to hold: the least x with at least ``place`` pairs of at most x."""
    import numpy as np

    low, high = float(above[0] - below[-1]), float(above[-1] - below[0])
    while high - low > 1e-12 * max(1.0, abs(low), abs(high)):
        middle = 0.5 * (low + high)
        if int(np.searchsorted(above, below + middle, side="right").sum()) >= place:
            high = middle
        else:
            low = middle
    return math.exp(high)
