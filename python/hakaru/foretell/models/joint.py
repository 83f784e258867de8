"""Time of several phases together: draws of their sum, which keep them correlated."""

from collections.abc import Mapping, Sequence

import numpy as np

from hakaru.foretell.models import interval
from hakaru.foretell.models.observations import Observation
from hakaru.foretell.models.phase import Fitted

DRAWS = 4000
SEED = 20100419


def draws(observations: Sequence[Observation], fitted: Mapping[str, Fitted], least_s: float) -> np.ndarray:
    """Draws (n,) of what launches usually take in all."""
    spent = {phase: one for phase, one in fitted.items() if one.parts}
    usual = [one.parts.mixture(least_s, usual=True) for one in spent.values()]
    return _sum(usual, _correlation(observations, spent))


def _correlation(observations: Sequence[Observation], fitted: Mapping[str, Fitted]) -> np.ndarray:
    """Correlation (P, P) of phases over all launches' departures from their models: noise and misfit of
    phases that move together.

    Shrunk towards none by the number of launches (as one more launch of independent phases), so that it
    stays a correlation.
    """
    if len(fitted) < 2:
        return np.eye(len(fitted))
    rows = []
    for phase, one in fitted.items():
        model = one.model_s()
        rows.append(
            np.concatenate(
                [
                    (np.array(observation.values(phase)) - value) / scale
                    for observation, value, scale in zip(observations, model, one.data.scale_s, strict=True)
                ]
            )
        )
    departures = np.array(rows)
    covariance = departures @ departures.T
    size = np.sqrt(np.diag(covariance))
    correlation = covariance / np.where(size[:, None] * size > 0.0, size[:, None] * size, 1.0)
    count = departures.shape[1]
    shrunk = correlation * count / (count + 1.0)
    np.fill_diagonal(shrunk, 1.0)
    return shrunk


def _sum(mixtures: Sequence[interval.Mixture], correlation: np.ndarray) -> np.ndarray:
    """Draws (n,) of the sum of phases whose distributions are joined by a Gaussian copula with the given correlation (P, P)."""
    from scipy.special import ndtr

    if not mixtures:
        return np.zeros(DRAWS)
    if len(mixtures) == 1:
        return mixtures[0].draws((np.arange(DRAWS) + 0.5) / DRAWS)
    draws = np.random.default_rng(SEED).multivariate_normal(
        np.zeros(len(mixtures)), correlation, DRAWS, method="eigh"
    )
    return np.sum([one.draws(ndtr(column)) for one, column in zip(mixtures, draws.T, strict=True)], axis=0)
