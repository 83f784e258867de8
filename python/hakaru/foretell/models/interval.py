"""Predictive distribution of one phase: launch noise, coefficients, choice of model and departure from any
model.

No formula holds exactly, so ln(time) = ln(formula) + g, where g is zero at the wanted point and elsewhere
    cov(g_i, g_j) = roughness^2 [i = j]
                  + bend^2 sum_c ( d_i d_j + n^2 (3 f - n) / (6 ln 2) ),
with d = ln(x / x_wanted) of coordinate c (size, ranks, threads), n and f the smaller and larger of |d_i| and
|d_j|, the last summand only where both lie on one side. The first part is a point's own peculiarity, which
runs at the wanted point share with it: they have none beside. The second lets the local exponent
d ln T / d ln x be wrong by ``bend`` at the wanted point and do a random walk from there with standard
deviation ``bend`` for one doubling: a smoothing spline around the formula (Wahba, 1978), which can follow
few points closely and still go elsewhere beyond them, with a standard deviation that grows as reach^1.5.
Both have half Student t priors with 3 degrees of freedom and scales of 3 % and of
0.3 in a doubling; bends of prices by the machine's facts have a half normal prior with a scale of 0.05.
These scales are assumptions, the first two chosen on made-up growth laws, not measured on programs.

Every triple of a candidate m (p coefficients, columns X), roughness and bend is a generalised least-squares
fit in ln(time), linearised at the least-squares fit in relative error (for one coefficient that is exact).
With s^2 the variance of a launch, C = diag((variance of a median + of rounding) / s^2) + cov(g) / s^2, and n samples, its
weight is its marginal likelihood
    prior * |C|^(-1/2) * |X' C^-1 X|^(-1/2) * Gamma((n - p) / 2) * (pi (SS_launches + SS_fit))^(-(n - p) / 2)
with coefficients in units in which each term alone would make up the whole time and a density of 1 (the
restricted likelihood; Harville, 1974): a term whose share the data can tell to 2 % pays a factor near 20 for
being there. The prediction is the mixture of all, each a Student t distribution of ln(time) to first order,
so it widens where candidates that fit alike disagree.

Nothing in the data tells of a step that lies wholly beyond them: unless it is smaller than the interval is
wide, it is missed. A steep step or wiggle inside the data is covered less than 95 times in 100.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hakaru.foretell.models.fit import RESOLUTION, Scored, Series, design
from hakaru.foretell.models.least_squares import non_negative
from hakaru.foretell.models.observations import Point

ROUGHNESS_SCALE = 0.03  # relative
BEND_SCALE = 0.3  # change of the exponent in one doubling
PRICED_BEND_SCALE = 0.05  # the same of prices by the machine's facts
_ROUGHNESSES = np.geomspace(1e-3, 0.3, 6)
_BENDS = np.geomspace(0.02, 4.0, 8)
_LEAST_RATIO = 1e-3  # of two times whose logarithm is compared
_LARGEST_STEP = 2.0  # of ln(time) from the linearised fit
RARER = math.log(3.0)  # of the odds of a form, for each step of its rarity
_TINY = 1e-100  # s: stands for no time where one is divided by
_KEPT_WEIGHT = 0.998
ASSUMED_NOISE, ASSUMED_FREEDOM = 0.05, 3  # one launch of one point shows no noise: 5 % is assumed


@dataclass(frozen=True)
class Mixture:
    """Weighted distributions of the time at the wanted point: arrays (components,), seconds.

    Each is centre (1 + r t) for t >= 0 and centre / (1 - r t) below, with Student's t and r = scale /
    centre: as likely to be wrong by a factor up as down, and never negative.
    """

    weight: np.ndarray
    centre_s: np.ndarray
    scale_s: np.ndarray
    freedom: np.ndarray

    def cumulative(self, time_s: np.ndarray) -> np.ndarray:
        """Probability that the run takes at most each of ``time_s`` (n,)."""
        from scipy.special import stdtr

        time_s = np.maximum(np.atleast_1d(time_s), _TINY)[:, None]
        scale_s = np.maximum(self.scale_s, _TINY)
        score = (time_s - self.centre_s) / scale_s * np.maximum(1.0, self.centre_s / time_s)
        return stdtr(self.freedom, score) @ self.weight

    def quantiles(self, probabilities: np.ndarray) -> np.ndarray:
        """Times (s) below which the run stays with the given probabilities (1e-4 to 1 - 1e-4), by Brent's
        method on ln(time)."""
        from scipy.optimize import brentq

        farthest = self.centre_s + 1e4 * self.scale_s
        low = math.log(max(float((self.centre_s**2 / farthest).min()), _TINY))
        high = math.log(float(farthest.max()))

        def quantile(probability: float) -> float:
            def excess(log_s: float) -> float:
                return float(self.cumulative(np.exp(log_s))[0]) - probability

            return math.exp(brentq(excess, low, high, xtol=1e-10)) if excess(low) < 0.0 else 0.0

        return np.array([quantile(probability) for probability in probabilities])

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


def bend_covariance(points: Sequence[Point], target: Point) -> np.ndarray:
    """(K, K) covariance of the departure that a changing exponent makes, in units of bend^2 (equation
    above)."""
    covariance = np.zeros((len(points), len(points)))
    for coordinate in ("size", "ranks", "threads"):
        away = np.log([getattr(point, coordinate) / getattr(target, coordinate) for point in points])
        same_side = np.sign(away)[:, None] == np.sign(away)[None, :]
        size = np.abs(away)
        near, far = np.minimum.outer(size, size), np.maximum.outer(size, size)
        walk = near**2 * (3.0 * far - near) / (6.0 * math.log(2.0))
        covariance += np.outer(away, away) + np.where(same_side, walk, 0.0)
    return covariance


def _log_half_t(value: np.ndarray, scale: float) -> np.ndarray:
    """Log density of a half Student t with 3 degrees of freedom on a geometric grid, up to a constant."""
    return np.log(value) - 2.0 * np.log1p((value / scale) ** 2 / 3.0)


def _of_bend(bend: np.ndarray) -> np.ndarray:
    """Log density of a price's bends, half normal, over that of a growth law's: what the machine's rates tell is in it already, and what
    departs from them inside of a cache says nothing about memory."""
    return np.log(bend) - 0.5 * (bend / PRICED_BEND_SCALE) ** 2 - _log_half_t(bend, BEND_SCALE)


@dataclass(frozen=True)
class Components:
    """Predictions of every (departure, candidate): arrays (T, M), a departure being a roughness with a bend;
    ``coefficients`` holds one (T, p) array for each candidate.

    The variance is (``noise_square`` + ``rough_square``) * (time the noise is relative to)^2 + ``leverage_square``,
    the first two without units, the last in s^2: of a launch, of the point's own peculiarity, of the formula.
    """

    log_weight: np.ndarray
    centre_s: np.ndarray
    noise_square: np.ndarray
    rough_square: np.ndarray
    leverage_square: np.ndarray
    freedom: np.ndarray
    coefficients: tuple[np.ndarray, ...]

    def only(self, members: np.ndarray) -> "Components":
        """Those of some candidates: indices (m,)."""
        arrays = (
            self.log_weight,
            self.centre_s,
            self.noise_square,
            self.rough_square,
            self.leverage_square,
            self.freedom,
        )
        return Components(
            *(array[:, members] for array in arrays), tuple(self.coefficients[one] for one in members)
        )

    def weights(self) -> np.ndarray:
        """(T, M), summing to 1."""
        weight = np.exp(self.log_weight - self.log_weight.max())
        return weight / weight.sum()

    def mixture(self, least_scale_s: float = 0.0, usual: bool = False) -> Mixture:
        """Mixture of the components that carry 99.8 % of the weight; the noise is relative to the
        predicted time, or to ``least_scale_s`` where that is more. ``usual``: of what launches usually take, not of one."""
        weight = self.weights().ravel()
        order = np.argsort(weight)[::-1]
        keep = order[: int(np.searchsorted(np.cumsum(weight[order]), _KEPT_WEIGHT)) + 1]
        centre = self.centre_s.ravel()[keep]
        own = self.rough_square if usual else self.rough_square + self.noise_square
        noise = own.ravel()[keep] * np.maximum(centre, least_scale_s) ** 2
        return Mixture(
            weight[keep] / weight[keep].sum(),
            centre,
            np.sqrt(noise + self.leverage_square.ravel()[keep]),
            self.freedom.ravel()[keep],
        )


def components(scored: Sequence[Scored], data: Series, target: Point) -> Components:
    """All components of the prediction at the target."""
    noise_square = data.spread_squares / data.spread_freedom if data.spread_freedom else 0.0
    unit = max(noise_square, RESOLUTION**2)
    rough, bend = (grid.ravel() for grid in np.meshgrid(_ROUGHNESSES, _BENDS))
    ratios = rough**2 / unit
    elsewhere = np.array([not point.is_at(target) for point in data.points])
    own = ratios if elsewhere.all() else np.zeros_like(ratios)
    covariances = np.diag(data.median_variance + data.rounding**2 / unit) + (
        ratios[:, None, None] * np.diag(elsewhere.astype(float))
        + (bend**2 / unit)[:, None, None] * bend_covariance(data.points, target)
    )
    whiten = np.linalg.inv(np.linalg.cholesky(covariances))
    prior = _log_half_t(rough, ROUGHNESS_SCALE) + _log_half_t(bend, BEND_SCALE)
    of_bend = _of_bend(bend)
    base = prior + np.log(np.diagonal(whiten, axis1=1, axis2=2)).sum(axis=1)
    fields = {
        name: np.empty((len(ratios), len(scored)))
        for name in ("log_weight", "centre", "noise", "rough", "leverage", "freedom")
    }
    coefficients: list[np.ndarray] = [np.empty(0)] * len(scored)
    for terms in {len(item.candidate.terms) for item in scored}:
        members = [index for index, item in enumerate(scored) if len(item.candidate.terms) == terms]
        rows = np.stack([design(scored[index].candidate, [*data.points, target]) for index in members])
        values, group = _group(rows, data, whiten)
        log_weight, centre, noise, leverage, freedom = values
        seldom = np.array([scored[index].candidate.rarity for index in members])
        straight = np.array([scored[index].candidate.priced for index in members]) * of_bend[:, None]
        fields["log_weight"][:, members] = base[:, None] + log_weight - RARER * seldom + straight
        fields["centre"][:, members], fields["leverage"][:, members] = centre, leverage
        fields["noise"][:, members], fields["rough"][:, members] = noise, noise * own[:, None]
        fields["freedom"][:, members] = freedom
        for position, index in enumerate(members):
            coefficients[index] = group[:, position]
    return Components(
        fields["log_weight"],
        fields["centre"],
        fields["noise"],
        fields["rough"],
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
    target = rows[:, -1] / norms
    first, columns, wanted = _in_logarithms(relative / norms[:, None], data.time_s / data.scale_s, whiten)
    solution = non_negative(columns, wanted)
    misfit = np.einsum("tmkp,tmp->tmk", columns, solution) - wanted
    gram = np.einsum("tmki,tmkj->tmij", columns, columns)
    active = solution > 0.0
    count, terms = data.time_s.size, np.maximum(active.sum(axis=-1), 1)
    samples = data.spread_freedom + count
    unknown = samples - terms < 1
    freedom = np.where(unknown, ASSUMED_FREEDOM, samples - terms)
    squares = data.spread_squares + (misfit**2).sum(axis=-1)
    squares = np.maximum(squares, freedom * np.where(unknown, ASSUMED_NOISE, RESOLUTION) ** 2)
    left = 0.5 * max(samples - solution.shape[-1], 1)
    log_weight = -left * np.log(math.pi * squares) + math.lgamma(left)
    log_weight -= 0.5 * np.linalg.slogdet(gram * count)[1]
    before = np.maximum((first * target).sum(axis=-1), _TINY)
    after = np.maximum((solution * target).sum(axis=-1), np.maximum(_LEAST_RATIO * before, _TINY))
    centre = before * _grown(after / before - 1.0)
    coefficients = solution * (centre / after)[..., None]
    variance = squares / freedom
    leverage = (centre / after) ** 2 * _leverage(gram, active, target)
    return (log_weight, centre, variance, variance * leverage, freedom), coefficients / norms


def _grown(step: np.ndarray) -> np.ndarray:
    """Factor on the linearised fit of a step of ln(time): its exponential, and beyond _LARGEST_STEP the tangent there. A phase that
    hardly counts, with an outlier at the largest size, was carried seven logarithms far: 0.6 s where 20 us were waited."""
    held = np.minimum(step, _LARGEST_STEP)
    return np.exp(held) * (1.0 + step - held)


def _in_logarithms(relative: np.ndarray, measured: np.ndarray, whiten: np.ndarray):
    """Least squares in relative error as a start (T, M, p), and the whitened problem in ln(time) linearised
    there: columns (T, M, K, p) and wanted (T, M, K).

    A phase that hardly counts (``measured`` below 1) stays linear: its time may be zero.
    """
    start = non_negative(
        np.einsum("tkl,mlp->tmkp", whiten, relative),
        np.broadcast_to((whiten @ measured)[:, None], (len(whiten), *relative.shape[:2])),
    )
    fitted = np.maximum(np.einsum("mkp,tmp->tmk", relative, start), _LEAST_RATIO)
    unit = np.where(measured < 1.0, 1.0, fitted)
    wanted = np.where(measured < 1.0, measured, 1.0 - np.log(fitted))
    columns = np.einsum("tkl,tmlp->tmkp", whiten, relative / unit[..., None])
    return start, columns, np.einsum("tkl,tml->tmk", whiten, wanted)


def _leverage(gram: np.ndarray, active: np.ndarray, target: np.ndarray) -> np.ndarray:
    """x' (X' X)^-1 x over the active terms: the variance of the fit at the target over that of the noise."""
    both = active[..., :, None] & active[..., None, :]
    idle = np.eye(gram.shape[-1]) * ~active[..., None, :]
    lever = np.where(active, target, 0.0)
    return np.einsum(
        "tmi,tmi->tm", lever, np.linalg.solve(np.where(both, gram, 0.0) + idle, lever[..., None])[..., 0]
    )
