"""How launches of one problem differ from each other: the spread that they usually have, and what any one of them may take.

Machines are disturbed now and then, by much: of five launches one takes three times as long. A standard deviation would be made of that
one. Deviations from a point's median are therefore counted up to three times their usual size (Huber, Robust Statistics, 1981, winsorised
at 3 sigma; sigma from their median, which a third of bad launches cannot move far), which costs nothing where they are normal. What any
one launch takes is another question: there all deviations count as they are.
"""

import math
from collections.abc import Sequence
from statistics import median

import numpy as np

MOST_SIGMA = 3.0
NORMAL_MAD = 0.6745  # median of |x| of a standard normal
ASSUMED = 0.05  # relative, where no point was launched twice
ASSUMED_FREEDOM = 3


def median_variance(count: int) -> float:
    """Variance of the median of ``count`` normal samples over that of one: pi / (2 count + pi - 2), within
    10 % for odd counts."""
    return math.pi / (2 * count + math.pi - 2)


def deviations(
    launches: Sequence[Sequence[float]], scales: Sequence[float], centres: Sequence[float] | None = None
) -> np.ndarray:
    """Relative deviations (1) of all launches from their point's median (or ``centres``), in units in which those of normal samples have
    their variance.

    The median m of n follows its samples, so that they seem closer to it than to the truth: var(x - m) = 1 + var(m) - 2 / n of theirs.
    """
    found = []
    for values, scale, centre in zip(launches, scales, centres or map(median, launches), strict=True):
        if len(values) > 1 and scale > 0.0:
            relative = (np.asarray(values, dtype=float) - centre) / scale
            found.append(relative / np.sqrt(1.0 + median_variance(len(values)) - 2.0 / len(values)))
    return np.concatenate(found) if found else np.empty(0)


def winsorised(all_deviations: np.ndarray) -> np.ndarray:
    """The deviations, none counted as more than three of their usual size."""
    sigma = usual(all_deviations)
    return np.clip(all_deviations, -MOST_SIGMA * sigma, MOST_SIGMA * sigma) if sigma > 0.0 else all_deviations


def usual(all_deviations: np.ndarray) -> float:
    """Standard deviation of the usual launches; zeros, of which every odd point has one, say nothing."""
    sizes = np.abs(all_deviations[all_deviations != 0.0])
    return float(np.median(sizes)) / NORMAL_MAD if sizes.size else 0.0


def of_one_launch(all_deviations: np.ndarray, count: int, generator: np.random.Generator) -> np.ndarray:
    """``count`` draws of what one launch takes over what it usually takes: the deviations that were seen, in even parts, each smoothed by
    Silverman's width (Density Estimation, 1986, eq. 3.31) of Student's t with as many degrees of freedom as there are deviations. Smoothing
    adds its own variance, so the draws are brought back to that of the deviations (section 6.4.1)."""
    if all_deviations.size == 0:
        return 1.0 + ASSUMED * generator.standard_t(ASSUMED_FREEDOM, count)
    even = np.resize(np.sort(all_deviations), count)
    freedom = max(all_deviations.size - 1, 1)
    width = 0.9 * usual(all_deviations) * all_deviations.size**-0.2
    drawn = even + width * generator.standard_t(freedom, count)
    if freedom > 2 and width > 0.0:
        smoothed = even.var() + width**2 * freedom / (freedom - 2)
        drawn = even.mean() + (drawn - even.mean()) * math.sqrt(all_deviations.var(ddof=1) / smoothed)
    return np.maximum(1.0 + generator.permutation(drawn), 0.1)
