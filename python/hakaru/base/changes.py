"""Change points of a series: where its level changed, found without assuming a distribution.

Statistic: the largest standardised rank sum over all ways to cut the series in two (Pettitt 1979, "A non-parametric approach to the
change-point problem", with the variance of each cut taken out as by Hawkins & Deng 2010, "A nonparametric change-point control chart").
For ranks R_1..R_n and a cut after k values, z_k = (R_1 + ... + R_k - k (n+1)/2) / sqrt(s^2 k (n-k)/(n-1)), s^2 the variance of the ranks.
Its null distribution is that over permutations of the same ranks (Phipson & Smyth 2010: p = (1 + exceedances)/(1 + permutations)), so a
series whose values may be exchanged is called changed with at most the stated probability, whatever their distribution. A series that
changed is cut there and both parts are looked at again.
"""

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

FALSE_ALARM = 0.01
PERMUTATIONS = 1999
LEAST = 3  # values on each side of a change
_AT_ONCE = 2_000_000  # numbers of a block of permutations


class Change(NamedTuple):
    """The first value of the new level is number ``index``, from 0."""

    index: int
    probability: float


def needed(false_alarm: float = FALSE_ALARM) -> int:
    """Least length of a series in which a change can be shown: half of the values above the other half has 2 of C(n, n/2) orders."""
    length = 2 * LEAST
    while 2.0 / math.comb(length, length // 2) > false_alarm:
        length += 1
    return length


def change_points(values: Sequence[float], false_alarm: float = FALSE_ALARM) -> list[Change]:
    """Changes of level in the order of the series."""
    found: list[Change] = []
    parts = [(0, len(values))]
    while parts:
        begin, end = parts.pop()
        change = _strongest(values[begin:end], false_alarm)
        if change:
            at = begin + change.index
            found.append(Change(at, change.probability))
            parts += [(begin, at), (at, end)]
    return sorted(found)


def _strongest(values: Sequence[float], false_alarm: float) -> Change | None:
    import numpy as np

    if len(values) < needed(false_alarm):
        return None
    ranks = _ranks(values)
    if np.ptp(ranks) == 0.0:
        return None
    scanned = _scan(ranks[None, :])[0]
    place = int(scanned.argmax())
    ties = len(set(values)) < len(values)
    null = _null(tuple(sorted(ranks))) if ties else _null(len(values))
    probability = (1 + int((null >= scanned[place] - 1e-9).sum())) / (1 + len(null))
    return Change(place + LEAST, probability) if probability <= false_alarm else None


def _ranks(values: Sequence[float]):
    """From 1; equal values share the mean of theirs."""
    import numpy as np

    _, places, counts = np.unique(values, return_inverse=True, return_counts=True)
    return (np.cumsum(counts) - 0.5 * (counts - 1))[places]


def _scan(ranks):
    """|z_k| of every row for the cuts after LEAST to n - LEAST values."""
    import numpy as np

    length = ranks.shape[1]
    cuts = np.arange(1, length)
    sums = np.cumsum(ranks, axis=1)[:, :-1] - cuts * ranks[0].mean()
    spread = np.sqrt(ranks[0].var() * cuts * (length - cuts) / (length - 1))
    return (np.abs(sums) / spread)[:, LEAST - 1 : length - LEAST]


@lru_cache(maxsize=256)
def _null(ranks: int | tuple[float, ...]):
    """The largest |z_k| of permutations of these ranks (a number: of 1 to it), always the same ones."""
    import numpy as np

    values = np.arange(1.0, ranks + 1.0) if isinstance(ranks, int) else np.asarray(ranks)
    generator = np.random.default_rng(len(values))
    found, block = [], max(1, _AT_ONCE // len(values))
    for begin in range(0, PERMUTATIONS, block):
        rows = np.tile(values, (min(block, PERMUTATIONS - begin), 1))
        found.append(_scan(generator.permuted(rows, axis=1)).max(axis=1))
    return np.concatenate(found)
