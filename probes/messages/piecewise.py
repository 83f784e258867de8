"""Piecewise linear least squares over message size with change-points chosen by BIC, and bootstrap intervals.

The best partition is found exactly by dynamic programming (Bellman 1961; Jackson et al. 2005): it minimises
the sum over pieces of the weighted residuals plus a penalty for each piece. With known variances the Bayesian
information criterion charges log(n) for each parameter, and a further piece has three: intercept, slope and
where it begins.
"""

import warnings
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

MODEL_ERROR = 0.05  # relative: a line that misses a median by less is not contradicted by it
LEAST_POINTS = 4  # of a piece, so that single odd sizes are no protocol
REPLICATES = 200
SEED = 20070326


@dataclass
class Piece:
    """value = intercept + slope * (bytes - 1) for the sizes first..last (indices, inclusive); both >= 0."""

    first: int
    last: int
    intercept: float
    slope: float
    worst_residual: float  # relative
    intercept_interval: tuple[float, float] = (0.0, 0.0)
    slope_interval: tuple[float, float] = (0.0, 0.0)


def column_medians(samples: np.ndarray) -> np.ndarray:
    """Median over the first axis without NaN; NaN where a column has nothing else."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        return np.nanmedian(samples, axis=0)


def resampled(samples: np.ndarray, replicates: int = REPLICATES) -> Iterator[np.ndarray]:
    """Bootstrap replicates of whole rows, so that what disturbed all sizes of a round stays together."""
    generator = np.random.default_rng(SEED)
    for _ in range(replicates):
        yield samples[generator.integers(0, len(samples), len(samples))]


def line(distance: np.ndarray, value: np.ndarray, weight: np.ndarray) -> tuple[float, float]:
    """Weighted least squares of value = a + b * distance with a, b >= 0; returns (a, b)."""
    total = weight.sum()
    mean_x, mean_y = (weight * distance).sum() / total, (weight * value).sum() / total
    spread = (weight * (distance - mean_x) ** 2).sum()
    slope = (weight * (distance - mean_x) * (value - mean_y)).sum() / spread if spread > 0.0 else 0.0
    intercept = mean_y - slope * mean_x
    if slope < 0.0:
        return max(mean_y, 0.0), 0.0
    if intercept < 0.0:
        square = (weight * distance**2).sum()
        return 0.0, max((weight * distance * value).sum() / square, 0.0)
    return intercept, slope


def _uncertainty(samples: np.ndarray, medians: np.ndarray) -> np.ndarray:
    """Standard deviation of each median, from the median absolute deviation, with the model's own error."""
    count = np.maximum(np.isfinite(samples).sum(axis=0), 1)
    deviation = 1.4826 * column_medians(np.abs(samples - medians))
    return np.hypot(1.2533 * deviation / np.sqrt(count), MODEL_ERROR * np.abs(medians)) + 1e-12


def change_points(distance: np.ndarray, value: np.ndarray, sigma: np.ndarray) -> list[tuple[int, int]]:
    """(first, last) of each piece of the partition that minimises chi^2 + 3 log(n) per further piece."""
    count, weight = len(value), sigma**-2.0
    penalty = 3.0 * np.log(count)
    best = np.full(count + 1, np.inf)
    best[0] = -penalty
    start_of = np.zeros(count + 1, dtype=int)
    least = min(LEAST_POINTS, count)
    for end in range(least, count + 1):
        for start in range(0, end - least + 1):
            if not np.isfinite(best[start]):
                continue
            part = slice(start, end)
            intercept, slope = line(distance[part], value[part], weight[part])
            chi_square = (weight[part] * (value[part] - intercept - slope * distance[part]) ** 2).sum()
            cost = best[start] + chi_square + penalty
            if cost < best[end]:
                best[end], start_of[end] = cost, start
    pieces, end = [], count
    while end > 0:
        pieces.append((int(start_of[end]), end - 1))
        end = int(start_of[end])
    return pieces[::-1]


def fit(sizes: np.ndarray, samples: np.ndarray) -> list[Piece]:
    """Pieces of value = intercept + slope * (size - 1).

    ``samples`` has one row a round and one column a size (NaN: not measured). The fit is to the medians of
    the columns, the intervals are the 2.5 and 97.5 % quantiles of fits to resampled rounds with the same
    change-points.
    """
    medians = column_medians(samples)
    usable = np.flatnonzero(np.isfinite(medians))
    distance, value = sizes[usable] - 1.0, medians[usable]
    sigma = _uncertainty(samples[:, usable], value)
    parts = change_points(distance, value, sigma)
    replicas = [column_medians(rows) for rows in resampled(samples[:, usable])]
    pieces = []
    for first, last in parts:
        part = slice(first, last + 1)
        weight = sigma[part] ** -2.0
        intercept, slope = line(distance[part], value[part], weight)
        residual = np.abs(intercept + slope * distance[part] - value[part]) / np.maximum(value[part], 1e-12)
        lines = np.array(
            [
                line(distance[part][ok], replica[part][ok], weight[ok])
                for replica in replicas
                for ok in [np.isfinite(replica[part])]
                if ok.any()
            ]
        )
        low, high = np.quantile(lines, [0.025, 0.975], axis=0)
        pieces.append(
            Piece(
                int(usable[first]),
                int(usable[last]),
                float(intercept),
                float(slope),
                float(residual.max()),
                (min(float(low[0]), intercept), max(float(high[0]), intercept)),
                (min(float(low[1]), slope), max(float(high[1]), slope)),
            )
        )
    return pieces
