"""Predictive distribution of one phase: launch noise, coefficients, choice of model and departure from any
model.

No formula holds exactly, so a time is formula * (1 + departure). With d the distance to the wanted point
in doublings of size, ranks or threads, departures have variance tau^2 (1/2 + d + d^2): a point's own
peculiarity, a random walk, and an unknown correction of the exponent (universal kriging with that
covariance, the origin at the wanted point: near points count most). Every pair of a candidate m (p
coefficients) and tau is a weighted relative least-squares fit. With s^2 the variance of a launch, C =
diag(variance of a median / s^2) + (tau/s)^2 D, and K points, its weight is
    prior(tau) * |C|^(-1/2) * (SS_launches + SS_fit)^(-samples/2) * K^(-p/2),
the last factor being the price of coefficients in the Bayesian information criterion (Schwarz, 1978). The
prediction is the mixture of all their Student t distributions, so it widens where candidates that fit
alike disagree. The prior of tau is a half Student t with 3 degrees of freedom and scale 0.05: programs
leave their growth law by about 5 % a doubling unless the data say otherwise. The three constants below are
the only assumptions and belong to no program.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hakaru.models.fit import RESOLUTION, Scored, Series, design
from hakaru.models.least_squares import non_negative
from hakaru.models.observations import Point

PECULIARITY = 0.5
SLOPE = 1.0
PRIOR_SCALE = 0.05
_DEPARTURES = np.concatenate(
    ([1e-4], np.geomspace(3e-4, 1.0, 18))
)  # tau, relative change per square root of a doubling
_KEPT_WEIGHT = 0.9995
ASSUMED_NOISE, ASSUMED_FREEDOM = 0.05, 3  # one launch of one point shows no noise: 5 % is assumed


@dataclass(frozen=True)
class Mixture:
    """Weighted Student t distributions of the time at the wanted point: arrays (components,), seconds."""

    weight: np.ndarray
    centre_s: np.ndarray
    scale_s: np.ndarray
    freedom: np.ndarray

    def cumulative(self, time_s: np.ndarray) -> np.ndarray:
        """Probability that the run takes at most each of ``time_s`` (n,)."""
        from scipy.special import stdtr

        return (
            stdtr(self.freedom, (np.atleast_1d(time_s)[:, None] - self.centre_s) / self.scale_s) @ self.weight
        )

    def quantiles(self, probabilities: np.ndarray) -> np.ndarray:
        """Times (s, not below zero) below which the run stays with the given probabilities, by bisection."""
        reach = 1e3 * self.scale_s.max()
        low = np.full(len(probabilities), self.centre_s.min() - reach)
        high = np.full(len(probabilities), self.centre_s.max() + reach)
        for _ in range(42):
            middle = 0.5 * (low + high)
            below = self.cumulative(middle) < probabilities
            low, high = np.where(below, middle, low), np.where(below, high, middle)
        return np.maximum(0.5 * (low + high), 0.0)

    def draws(self, probabilities: np.ndarray) -> np.ndarray:
        """Quantiles of many probabilities at once, between 1e-4 and 1 - 1e-4, from the distribution on 111
        times."""
        outer = self.quantiles(np.array([1e-4, 0.02, 0.98, 1.0 - 1e-4]))
        times = np.concatenate(
            [
                np.linspace(outer[0], outer[1], 16)[:-1],
                np.linspace(outer[1], outer[2], 81),
                np.linspace(outer[2], outer[3], 16)[1:],
            ]
        )
        return np.interp(probabilities, self.cumulative(times), times)


def distance_covariance(points: Sequence[Point], target: Point) -> np.ndarray:
    """(K, K) covariance of departures in units of tau^2: shared path towards the target, per size, ranks
    and threads, plus 1/2 I."""
    covariance = PECULIARITY * np.eye(len(points))
    for coordinate in ("size", "ranks", "threads"):
        away = np.log2([getattr(point, coordinate) / getattr(target, coordinate) for point in points])
        same_side = np.sign(away)[:, None] == np.sign(away)[None, :]
        covariance += np.where(same_side, np.minimum(np.abs(away)[:, None], np.abs(away)[None, :]), 0.0)
        covariance += SLOPE * np.outer(away, away)
    return covariance


@dataclass(frozen=True)
class Components:
    """Predictions of every (tau, candidate): arrays (T, M); ``coefficients`` holds one (T, p) array for each
    candidate.

    The variance is ``noise_square`` * (time the noise is relative to)^2 + ``leverage_square``, both
    without units and in s^2.
    """

    log_weight: np.ndarray
    centre_s: np.ndarray
    noise_square: np.ndarray
    leverage_square: np.ndarray
    freedom: np.ndarray
    coefficients: tuple[np.ndarray, ...]

    def weights(self) -> np.ndarray:
        """(T, M), summing to 1."""
        weight = np.exp(self.log_weight - self.log_weight.max())
        return weight / weight.sum()

    def mixture(self, least_scale_s: float = 0.0) -> Mixture:
        """Mixture of the components that carry 99.95 % of the weight; the noise is relative to the
        predicted time, or to ``least_scale_s`` where that is more."""
        weight = self.weights().ravel()
        order = np.argsort(weight)[::-1]
        keep = order[: int(np.searchsorted(np.cumsum(weight[order]), _KEPT_WEIGHT)) + 1]
        centre = self.centre_s.ravel()[keep]
        noise = self.noise_square.ravel()[keep] * np.maximum(centre, least_scale_s) ** 2
        return Mixture(
            weight[keep] / weight[keep].sum(),
            centre,
            np.sqrt(noise + self.leverage_square.ravel()[keep]),
            self.freedom.ravel()[keep],
        )


def components(scored: Sequence[Scored], data: Series, target: Point) -> Components:
    """All components of the prediction at the target."""
    noise_square = data.spread_squares / data.spread_freedom if data.spread_freedom else 0.0
    ratios = _DEPARTURES**2 / max(noise_square, RESOLUTION**2)
    covariances = np.diag(data.median_variance) + ratios[:, None, None] * distance_covariance(
        data.points, target
    )
    whiten = np.linalg.inv(np.linalg.cholesky(covariances))
    prior = np.log(_DEPARTURES) - 2.0 * np.log1p((_DEPARTURES / PRIOR_SCALE) ** 2 / 3.0)
    base = prior + np.log(np.diagonal(whiten, axis1=1, axis2=2)).sum(axis=1)
    fields = {
        name: np.empty((len(ratios), len(scored)))
        for name in ("log_weight", "centre", "noise", "leverage", "freedom")
    }
    coefficients: list[np.ndarray] = [np.empty(0)] * len(scored)
    for terms in {len(item.candidate.terms) for item in scored}:
        members = [index for index, item in enumerate(scored) if len(item.candidate.terms) == terms]
        rows = np.stack([design(scored[index].candidate, [*data.points, target]) for index in members])
        values, group = _group(rows, data, whiten)
        log_weight, centre, noise, leverage, freedom = values
        fields["log_weight"][:, members] = base[:, None] + log_weight
        fields["centre"][:, members], fields["leverage"][:, members] = centre, leverage
        fields["noise"][:, members] = noise * (1.0 + ratios[:, None] * PECULIARITY)
        fields["freedom"][:, members] = freedom
        for position, index in enumerate(members):
            coefficients[index] = group[:, position]
    return Components(
        fields["log_weight"],
        fields["centre"],
        fields["noise"],
        fields["leverage"],
        fields["freedom"],
        tuple(coefficients),
    )


def _group(rows: np.ndarray, data: Series, whiten: np.ndarray):
    """Fits of M candidates of p terms, rows (M, K + 1, p) with the target last, for every whitening (T, K,
    K).

    Returns (log weight without the prior, centre, noise square, leverage square, freedom), each (T, M),
    and coefficients (T, M, p).
    """
    relative = rows[:, :-1] / data.scale_s[:, None]
    norms = np.linalg.norm(relative, axis=1)
    columns = np.einsum("tkl,mlp->tmkp", whiten, relative / norms[:, None])
    wanted = np.broadcast_to((whiten @ (data.time_s / data.scale_s))[:, None], columns.shape[:3])
    solution = non_negative(columns, wanted)
    active = solution > 0.0
    count = data.time_s.size
    terms = np.maximum(active.sum(axis=-1), 1)
    fitted = np.einsum("tmkp,tmp->tmk", columns, solution)
    squares = data.spread_squares + ((fitted - wanted) ** 2).sum(axis=-1)
    samples = data.spread_freedom + count
    unknown = samples - terms < 1
    freedom = np.where(unknown, ASSUMED_FREEDOM, samples - terms)
    squares = np.maximum(squares, freedom * np.where(unknown, ASSUMED_NOISE, RESOLUTION) ** 2)
    target = rows[:, -1] / norms
    gram = np.einsum("tmki,tmkj->tmij", columns, columns)
    both = active[..., :, None] & active[..., None, :]
    idle = np.eye(solution.shape[-1]) * ~active[..., None, :]
    lever = np.where(active, target[None], 0.0)
    leverage = np.einsum(
        "tmi,tmi->tm", lever, np.linalg.solve(np.where(both, gram, 0.0) + idle, lever[..., None])[..., 0]
    )
    variance = squares / freedom
    log_weight = -0.5 * samples * np.log(squares) - 0.5 * terms * np.log(count)
    centre = np.einsum("tmp,mp->tm", solution, target)
    return (log_weight, centre, variance, variance * leverage, freedom), solution / norms
