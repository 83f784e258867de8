"""Time of a whole run at a point: every phase by its own model, their sum with an interval that keeps
phases correlated."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import median

import numpy as np

from hakaru.facts.machines import Machine
from hakaru.foretell.models import fit, interval, noise
from hakaru.foretell.models.candidates import Situation, propose
from hakaru.foretell.models.growth import Growth
from hakaru.foretell.models.observations import Observation, Point

CONFIDENCE = 0.95
NEAR_WEIGHT = 0.05
NOTHING_S = 1e-15  # what a phase is said to take that takes nothing
_DRAWS = 4000
_SEED = 20100419
SLOWER = 0.8  # of the rate of a core in every measured run: its data are farther away
TOLD = 0.02  # held-out error below which a law is what the data say
_MIDDLE = np.array([0.5])
_TAILS = np.array([0.5 * (1.0 - CONFIDENCE), 0.5 * (1.0 + CONFIDENCE)])


@dataclass(frozen=True)
class Estimate:
    """Time with its prediction interval, in s."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class PhasePrediction:
    """One phase at the wanted point. ``candidates`` are (formula shape, cross-validation error) best
    first; ``disagreement`` is the largest relative difference from the chosen model among candidates
    with at least 5 % of the weight."""

    name: str
    kind: str
    time_s: Estimate
    model: str
    fitted: str
    reason: str
    candidates: tuple[tuple[str, float], ...]
    disagreement: float


@dataclass(frozen=True)
class Way:
    """What launches usually take by one way of foretelling alone: growth laws of measured times, or prices by the machine's facts."""

    name: str
    usual_s: Estimate


@dataclass(frozen=True)
class Prediction:
    """Total and phases for one repetition: ``usual_s`` what launches take in the middle, ``time_s`` any one future launch. ``ways`` are
    the independent ways that could be gone, ``outgrown`` the phases whose data leave the caches of every measured run."""

    usual_s: Estimate
    time_s: Estimate
    phases: tuple[PhasePrediction, ...]
    ways: tuple[Way, ...] = ()
    outgrown: tuple[str, ...] = ()

    @property
    def disagreement(self) -> float:
        """Disagreement of the phases' candidates, weighted by their share of the time."""
        total = self.time_s.value
        return (
            sum(phase.disagreement * phase.time_s.value for phase in self.phases) / total
            if total > 0.0
            else 0.0
        )


@dataclass(frozen=True)
class _Fitted:
    """Models of one phase; ``parts`` is None when no run spent time in it."""

    data: fit.Series
    scored: Sequence[fit.Scored]
    chosen: int
    reason: str
    parts: interval.Components | None

    @property
    def departure(self) -> int:
        """Index of the departure (roughness, bend) with the largest weight for the chosen candidate."""
        return int(self.parts.log_weight[:, self.chosen].argmax())

    @cached_property
    def value_s(self) -> float:
        """Of the chosen law where the data tell it well, else the median of what all candidates say together."""
        if not self.parts:
            return 0.0
        told = self.scored[self.chosen].cross_validation_error < TOLD
        chosen_s = self.parts.centre_s[self.departure, self.chosen]
        value_s = float(chosen_s if told else self.parts.mixture().quantiles(_MIDDLE)[0])
        return value_s if value_s > NOTHING_S else 0.0

    def model_s(self) -> np.ndarray:
        """Times (K,) of the chosen model at the measured points."""
        candidate = self.scored[self.chosen].candidate
        coefficients = self.parts.coefficients[self.chosen][self.departure]
        return fit.design(candidate, self.data.points) @ coefficients

    def only(self, priced: bool) -> "_Fitted":
        """By candidates of one kind alone; the same where there is none of it."""
        members = [index for index, one in enumerate(self.scored) if one.candidate.priced == priced]
        if not members or len(members) == len(self.scored):
            return self
        scored = [self.scored[index] for index in members]
        chosen, reason = fit.choose(scored)
        return _Fitted(self.data, scored, scored.index(chosen), reason, self.parts.only(np.array(members)))

    @property
    def priced(self) -> bool:
        return any(one.candidate.priced for one in self.scored)


def predict(
    observations: Sequence[Observation],
    target: Point,
    kinds: Mapping[str, str],
    growth: Growth | None = None,
    machine: Machine | None = None,
) -> Prediction:
    """Prediction at ``target`` from observations (any layouts) whose launches hold the phases named in ``kinds``, all made on ``machine``."""
    points = tuple(observation.point for observation in observations)
    totals = [observation.totals() for observation in observations]
    every = {}
    for phase, kind in kinds.items():
        data = fit.series(points, [observation.values(phase) for observation in observations], totals)
        every[phase] = _fit(data, Situation(phase, kind, points, target, growth, machine, tuple(data.time_s)))
    outgrown = tuple(
        phase for phase, one in every.items() if one.priced and leaves_caches(machine, points, target)
    )
    fitted = {phase: one.only(priced=True) if phase in outgrown else one for phase, one in every.items()}
    total_s = sum(one.value_s for one in fitted.values())
    least_s = fit.SMALL_PHASE * total_s
    phases = tuple(
        _describe(phase, kinds[phase], one, one.parts.mixture(least_s) if one.parts else None)
        for phase, one in fitted.items()
    )
    middle_s = _middle(observations, fitted, least_s)
    middles = [median(values) for values in totals]
    apart = noise.deviations([observation.walls() for observation in observations], middles, middles)
    one_s = middle_s * noise.of_one_launch(apart, _DRAWS, np.random.default_rng(_SEED))
    return Prediction(
        _containing(total_s, *np.quantile(middle_s, _TAILS)),
        _containing(total_s, *np.quantile(one_s, _TAILS)),
        phases,
        _ways(observations, every),
        outgrown,
    )


def _middle(observations: Sequence[Observation], fitted: Mapping[str, _Fitted], least_s: float) -> np.ndarray:
    """Draws (n,) of what launches usually take in all."""
    spent = {phase: one for phase, one in fitted.items() if one.parts}
    usual = [one.parts.mixture(least_s, usual=True) for one in spent.values()]
    return _sum(usual, _correlation(observations, spent))


def _ways(observations: Sequence[Observation], every: Mapping[str, _Fitted]) -> tuple[Way, ...]:
    """Both ways where the machine's facts price most of the time; phases that they do not price are in both."""
    told_s = sum(one.value_s for one in every.values() if one.priced)
    if told_s <= 0.5 * sum(one.value_s for one in every.values()):
        return ()
    found = []
    for name, priced in (("growth", False), ("facts", True)):
        fitted = {phase: one.only(priced) for phase, one in every.items()}
        total_s = sum(one.value_s for one in fitted.values())
        draws = _middle(observations, fitted, fit.SMALL_PHASE * total_s)
        found.append(Way(name, _containing(total_s, *np.quantile(draws, _TAILS))))
    return tuple(found)


def leaves_caches(machine: Machine, points: Sequence[Point], target: Point) -> bool:
    """Whether a core gets its data more slowly at the target than in every measured run."""
    rates = [
        machine.bandwidth_of(point.memory_bytes / point.cores, point.cores) / point.cores
        for point in (*points, target)
    ]
    return rates[-1] < SLOWER * min(rates[:-1])


def _fit(data: fit.Series, situation: Situation) -> _Fitted:
    if not data.time_s.any():
        return _Fitted(data, (), 0, "no time was spent here in any run", None)
    scored = fit.score(propose(situation), data, situation.target)
    chosen, reason = fit.choose(scored)
    return _Fitted(
        data, scored, scored.index(chosen), reason, interval.components(scored, data, situation.target)
    )


def _describe(phase: str, kind: str, one: _Fitted, distribution: interval.Mixture | None) -> PhasePrediction:
    if distribution is None:
        return PhasePrediction(phase, kind, Estimate(0.0, 0.0, 0.0), "0", "0", one.reason, (), 0.0)
    low, high = distribution.quantiles(_TAILS)
    chosen = one.scored[one.chosen]
    order = sorted(one.scored, key=lambda item: item.cross_validation_error)
    return PhasePrediction(
        phase,
        kind,
        _containing(one.value_s, low, high),
        chosen.candidate.name,
        chosen.candidate.formula(one.parts.coefficients[one.chosen][one.departure]),
        one.reason,
        tuple((item.candidate.name, item.cross_validation_error) for item in order),
        _disagreement(one),
    )


def _containing(value: float, low: float, high: float) -> Estimate:
    return Estimate(value, min(float(low), value), max(float(high), value))


def _disagreement(one: _Fitted) -> float:
    """Largest |other / chosen - 1| among candidates whose weight, over all departures, is at least 5 % of
    the whole."""
    weights = one.parts.weights()
    near = np.flatnonzero(weights.sum(axis=0) >= NEAR_WEIGHT)
    if one.value_s <= 0.0 or not near.size:
        return 0.0
    centres = one.parts.centre_s[weights[:, near].argmax(axis=0), near]
    return float(np.abs(centres / one.value_s - 1.0).max())


def _correlation(observations: Sequence[Observation], fitted: Mapping[str, _Fitted]) -> np.ndarray:
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
        return np.zeros(_DRAWS)
    if len(mixtures) == 1:
        return mixtures[0].draws((np.arange(_DRAWS) + 0.5) / _DRAWS)
    draws = np.random.default_rng(_SEED).multivariate_normal(
        np.zeros(len(mixtures)), correlation, _DRAWS, method="eigh"
    )
    return np.sum([one.draws(ndtr(column)) for one, column in zip(mixtures, draws.T, strict=True)], axis=0)
