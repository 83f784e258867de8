"""Non-negative least squares of many small problems at once."""

from itertools import combinations

import numpy as np

_SINGULAR = 1e-13


def non_negative(columns: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """Coefficients (..., p) >= 0 that minimise |columns @ c - wanted|; columns (..., K, p) of norm near 1,
    wanted (..., K).

    Every set of active columns is solved and the best one without a negative coefficient taken: exact, and
    meant for p <= 3.
    """
    gram = np.einsum("...ki,...kj->...ij", columns, columns)
    moment = np.einsum("...ki,...k->...i", columns, wanted)
    terms = columns.shape[-1]
    best = np.zeros(moment.shape)
    best_gain = np.zeros(moment.shape[:-1])
    for count in range(1, terms + 1):
        for active in combinations(range(terms), count):
            chosen = np.array(active)
            square = gram[..., chosen[:, None], chosen] + _SINGULAR * np.eye(count)
            solution = np.linalg.solve(square, moment[..., chosen, None])[..., 0]
            gain = np.einsum("...i,...i->...", solution, moment[..., chosen])
            better = (solution >= 0.0).all(axis=-1) & (gain > best_gain)
            full = np.zeros(moment.shape)
            full[..., chosen] = solution
            best = np.where(better[..., None], full, best)
            best_gain = np.where(better, gain, best_gain)
    return best
