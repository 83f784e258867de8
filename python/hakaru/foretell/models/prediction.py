"""Time of a whole run at a point: every phase by its own model, their sum with an interval that keeps
phases correlated."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import median

import numpy as np

from hakaru.facts.machines import Machine
from hakaru.foretell.models import calm, drift, fit, joint
from hakaru.foretell.models.candidates import Situation
from hakaru.foretell.models.candidates.priced_memory import Pricing, pricing_of
from hakaru.foretell.models.growth import Growth
from hakaru.foretell.models.observations import LEAST_SIZES, Observation, Point
from hakaru.foretell.models.phase import Fitted, fitted

CONFIDENCE = 0.95
LEVELS = (0.5, 0.8, 0.9)  # of narrower intervals, which tell whether the widths are right
NEAR_WEIGHT = 0.05
# ln: beyond the caches programs took 0.9 to 1.1 times their price on one host (himeno), 1.2 to 2.4 times on another (heat, cg, tomcatv).
UNSEEN = 0.35
EMPTIED = 0.05  # ln: of what runs with empty caches tell
PROBED = 0.1  # ln: of what a probe tells that does as the phase does; cg's product took 0.92 to 1.1 of it
LIKE = 2.0  # times as long as the probe, or as short: what does as it does
WHOLE = "all phases together"


@dataclass(frozen=True)
class Estimate:
    """Time with its prediction interval, in s."""

    value: float
    low: float
    high: float

    @classmethod
    def containing(cls, value: float, low: float, high: float) -> "Estimate":
        return cls(value, min(float(low), value), max(float(high), value))

    def scaled(self, factor: float) -> "Estimate":
        return Estimate(factor * self.value, factor * self.low, factor * self.high)


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
    the independent ways that could be gone, ``outgrown`` the phases whose data leave the caches of every measured run. ``bands`` are
    narrower intervals of the usual time: (level, low, high). ``emptied``: those of ``outgrown`` that runs with empty caches tell,
    ``untold`` those that such runs would tell. ``whole``: all phases together, where that tells more than each of them."""

    usual_s: Estimate
    time_s: Estimate
    phases: tuple[PhasePrediction, ...]
    bands: tuple[tuple[float, float, float], ...] = ()
    ways: tuple[Way, ...] = ()
    outgrown: tuple[str, ...] = ()
    emptied: tuple[str, ...] = ()
    untold: tuple[str, ...] = ()
    whole: PhasePrediction | None = None

    @property
    def disagreement(self) -> float:
        """Of what the time rests on: of candidates for the whole, or of the phases', weighted by their share of the time."""
        if self.whole:
            return self.whole.disagreement
        total = self.time_s.value
        return (
            sum(phase.disagreement * phase.time_s.value for phase in self.phases) / total
            if total > 0.0
            else 0.0
        )


@dataclass(frozen=True)
class _Sum:
    """A value for a whole run or a part of it in s, and draws (n,) of it."""

    value_s: float
    draws_s: np.ndarray

    @property
    def width(self) -> float:
        """Of its interval, as a logarithm."""
        low, high = ends(self.draws_s)
        return float(np.log(high / low)) if low > 0.0 else np.inf

    def shuffled(self, generator: np.random.Generator) -> "_Sum":
        """The same, whose draws tell nothing of others."""
        return _Sum(self.value_s, generator.permutation(self.draws_s))


@dataclass(frozen=True)
class _Part:
    """Of a run, as the machine lets it run: usually, draws (n,) of that, and of any one run; in s."""

    value_s: float
    usual_s: np.ndarray
    one_s: np.ndarray

    @classmethod
    def of(cls, calm_run: _Sum, by: calm.Disturbance) -> "_Part":
        drawn = calm_run.draws_s
        return cls(calm_run.value_s * by.middle, drawn * by.usual, drawn * by.of_one)

    def with_(self, other: "_Part") -> "_Part":
        """Both, one after the other."""
        return _Part(self.value_s + other.value_s, self.usual_s + other.usual_s, self.one_s + other.one_s)


def predict(
    observations: Sequence[Observation],
    target: Point,
    kinds: Mapping[str, str],
    growth: Growth | None = None,
    machine: Machine | None = None,
    cold: Sequence[Observation] = (),
) -> Prediction:
    """Prediction at ``target`` from observations (any layouts) whose launches hold the phases named in ``kinds``, all made on ``machine``.
    ``cold``: of launches whose phases found the caches empty, which tell the growth of phases that leave them."""
    quiet = _quiet(observations)
    every = _every(quiet, target, kinds, growth, machine)
    points = [observation.point for observation in observations]
    pricings = _pricings(every, machine)
    outgrown = tuple(phase for phase, one in pricings.items() if one.leaves_caches(points, target))
    streams = {phase: kinds[phase] for phase in outgrown if not pricings[phase].by_index}
    slower = calm.slower(observations, quiet, target.cores)
    found_empty = _emptied([one for one in cold if one.point.has_layout_of(target)], target, streams, growth)
    probed = _probed(quiet, target, pricings, kinds, growth, machine, slower)
    apart = [some for some in (found_empty, probed) if some.fitted]
    emptied = found_empty.fitted
    told_apart = {phase: one for some in apart for phase, one in some.fitted.items()}
    chosen = {
        phase: one.only(priced=True) if phase in outgrown else one
        for phase, one in every.items()
        if phase not in told_apart
    }
    same = len(kinds) == 1 and not any(point.work for point in points)  # the only phase is the whole
    whole = {} if outgrown or same else _of_whole(quiet, target, growth)
    generator = np.random.default_rng(joint.SEED)
    together, of_whole = _sum(quiet, chosen), _sum(quiet, whole)
    rests_on_whole = not told_apart and of_whole.width < together.width
    span_s = max(observation.span_s for observation in observations)
    moved = drift.draws(span_s, target.cores, joint.DRAWS, generator)
    usually = slower.disturbance(joint.DRAWS, generator)
    run = _Part.of(of_whole if rests_on_whole else together, usually)
    for some in apart:
        by = usually if some.slower is slower else some.slower.disturbance(joint.DRAWS, generator)
        run = run.with_(_Part.of(_sum(some.observations, some.fitted).shuffled(generator), by))
    priced_s = _priced_s({phase: chosen[phase] for phase in outgrown if phase in chosen}, pricings, target)
    spreads = (
        (priced_s * slower.middle, UNSEEN),
        *((some.value_s * some.slower.middle, some.spread) for some in apart),
    )
    unseen = _unseen(spreads, run.value_s, generator)
    usual_s = run.usual_s * moved * unseen
    calm_s = together.value_s + sum(some.value_s for some in apart)
    as_whole = of_whole.value_s / calm_s if rests_on_whole and calm_s > 0.0 else 1.0
    factors = {phase: some.slower.middle for some in apart for phase in some.fitted}
    usual = Estimate.containing(run.value_s, *ends(usual_s))
    # Draws are finite: one run is no surer than what runs usually take.
    low, high = ends(run.one_s * moved * unseen)
    return Prediction(
        usual,
        Estimate.containing(run.value_s, min(low, usual.low), max(high, usual.high)),
        tuple(
            _describe(
                phase,
                kinds[phase],
                (chosen | told_apart)[phase],
                calm_s,
                as_whole * factors.get(phase, slower.middle),
            )
            for phase in every
        ),
        tuple((level, *ends(usual_s, level)) for level in LEVELS),
        _ways(quiet, every, slower.middle, usually.usual * moved, unseen),
        outgrown,
        tuple(emptied),
        tuple(phase for phase in streams if phase not in emptied),
        _describe(WHOLE, "compute", whole[WHOLE], of_whole.value_s, slower.middle)
        if rests_on_whole
        else None,
    )


def _pricings(every: Mapping[str, Fitted], machine: Machine | None) -> dict[str, Pricing]:
    return {
        phase: pricing_of(machine, phase, one.data.points, one.data.time_s)
        for phase, one in every.items()
        if one.priced
    }


def _priced_s(chosen: Mapping[str, Fitted], pricings: Mapping[str, Pricing], target: Point) -> float:
    """What the traffic of these phases takes of them by its price."""
    return sum(min(one.value_s, pricings[phase].traffic_s(target) or 0.0) for phase, one in chosen.items())


def _unseen(
    uncertain: Sequence[tuple[float, float]], run_s: float, generator: np.random.Generator
) -> np.ndarray:
    """Draws (n,) of what a run takes over what is foretold, where nobody saw parts of it beyond the caches: (seconds, spread of their ln)."""
    found = np.ones(joint.DRAWS)
    for seconds, spread in uncertain:
        share = seconds / run_s if run_s > 0.0 else 0.0
        found += share * (np.exp(spread * generator.standard_normal(joint.DRAWS)) - 1.0)
    return found


@dataclass(frozen=True)
class _Apart:
    """Phases that calm observations of their own tell, the spread of the ln of what these tell, and how much longer they usually take."""

    observations: Sequence[Observation]
    fitted: Mapping[str, Fitted]
    spread: float
    slower: calm.Slower

    @property
    def value_s(self) -> float:
        return sum(one.value_s for one in self.fitted.values())


def _emptied(
    cold: Sequence[Observation], target: Point, outgrown: Mapping[str, str], growth: Growth | None
) -> _Apart:
    """Growth of the ``outgrown`` phases (with their kinds) in runs with empty caches, where these have enough sizes. Not of phases that load
    by index: what they gather from leaves the inner caches as it grows, which empty caches do not show. States of the machine that
    slow runs in caches down are not those that slow memory down."""
    cold = [_only(one, outgrown) for one in cold]
    quiet = _quiet(cold)
    told = _every(quiet, target, outgrown, growth, None, emptied=True) if len(quiet) >= LEAST_SIZES else {}
    return _Apart(quiet, told, EMPTIED, calm.slower(cold, quiet, target.cores))


def _only(observation: Observation, phases: Iterable[str]) -> Observation:
    """Of these phases alone."""
    kept, elsewhere = (
        tuple({phase: run.get(phase, 0.0) for phase in phases} for run in runs)
        for runs in (observation.launches, observation.elsewhere)
    )
    return replace(observation, launches=kept, walls_s=(), elsewhere=elsewhere)


def _probed(
    quiet: Sequence[Observation],
    target: Point,
    pricings: Mapping[str, Pricing],
    kinds: Mapping[str, str],
    growth: Growth | None,
    machine: Machine | None,
    slower: calm.Slower,
) -> _Apart:
    """The runs of phases that load by index from data whose size is known, and what the probe of sparse products says of the wanted size as
    one more of them, where the largest run took about as long as the probe says of it: they do the same. Only where some run was in a
    cache that the wanted one is not in. Its times are usual ones, and so ``slower`` than calm runs."""
    points = [one.point for one in quiet]
    largest = max(quiet, key=lambda one: (one.point.memory_bytes or 0.0) / one.point.cores)
    known = {
        phase: (one.traffic_s(target) or 0.0) / slower.middle
        for phase, one in pricings.items()
        if one.by_index
        and one.leaves_caches(points, target, max)
        and target.count(phase, "gathered_bytes")
        and 1.0 / LIKE < median(largest.values(phase)) / (one.traffic_s(largest.point) or math.inf) < LIKE
    }
    runs = [_only(one, known) for one in quiet]
    spread = [{phase: at * (1.0 + part) for phase, at in known.items()} for part in (-PROBED, 0.0, PROBED)]
    beside = [*runs, Observation(target, tuple(spread))]
    told = _every(beside, target, {phase: kinds[phase] for phase in known}, growth, machine) if known else {}
    return _Apart(beside, {phase: one.only(priced=True) for phase, one in told.items()}, PROBED, slower)


def _quiet(observations: Iterable[Observation]) -> list[Observation]:
    return [calm.calmest(one) for one in observations]


def _every(
    quiet: Sequence[Observation],
    target: Point,
    kinds: Mapping[str, str],
    growth: Growth | None,
    machine: Machine | None,
    emptied: bool = False,
) -> dict[str, Fitted]:
    points = tuple(observation.point for observation in quiet)
    totals = [observation.totals() for observation in quiet]
    found = {}
    for phase, kind in kinds.items():
        data = fit.series(points, [observation.values(phase) for observation in quiet], totals)
        situation = Situation(phase, kind, points, target, growth, machine, tuple(data.time_s), emptied)
        found[phase] = fitted(data, situation)
    return found


def _sum(quiet: Sequence[Observation], chosen: Mapping[str, Fitted]) -> _Sum:
    value_s = sum(one.value_s for one in chosen.values())
    return _Sum(value_s, joint.draws(quiet, chosen, fit.SMALL_PHASE * value_s))


def _of_whole(quiet: Sequence[Observation], target: Point, growth: Growth | None) -> dict[str, Fitted]:
    """The growth of whole launches as one phase: all of them tell it, and no share of a phase has to be known."""
    together = [replace(one, launches=tuple({WHOLE: value} for value in one.totals())) for one in quiet]
    return _every(together, target, {WHOLE: "compute"}, growth, None)


def ends(draws_s: np.ndarray, level: float = CONFIDENCE) -> tuple[float, float]:
    """Low and high of the interval that holds so much of the draws."""
    low, high = np.quantile(draws_s, [0.5 * (1.0 - level), 0.5 * (1.0 + level)])
    return float(low), float(high)


def _ways(
    observations: Sequence[Observation],
    every: Mapping[str, Fitted],
    slower: float,
    usually: np.ndarray,
    unseen: np.ndarray,
) -> tuple[Way, ...]:
    """Both ways where the machine's facts price most of the time; phases that they do not price are in both."""
    told_s = sum(one.value_s for one in every.values() if one.priced)
    if told_s <= 0.5 * sum(one.value_s for one in every.values()):
        return ()
    found = []
    for name, priced, factor in (("growth", False, usually), ("facts", True, usually * unseen)):
        run = _sum(observations, {phase: one.only(priced) for phase, one in every.items()})
        found.append(Way(name, Estimate.containing(slower * run.value_s, *ends(factor * run.draws_s))))
    return tuple(found)


def _describe(phase: str, kind: str, one: Fitted, run_s: float, factor: float) -> PhasePrediction:
    """``run_s``: what all phases take, ``factor``: on what their models say."""
    if one.parts is None:
        return PhasePrediction(phase, kind, Estimate(0.0, 0.0, 0.0), "0", "0", one.reason, (), 0.0)
    low, high = one.parts.mixture(fit.SMALL_PHASE * run_s).quantiles(np.array([0.025, 0.975]))
    chosen = one.scored[one.chosen]
    order = sorted(one.scored, key=lambda item: item.cross_validation_error)
    return PhasePrediction(
        phase,
        kind,
        Estimate.containing(one.value_s, low, high).scaled(factor),
        chosen.candidate.name,
        chosen.candidate.formula(factor * one.parts.coefficients[one.chosen][one.departure]),
        one.reason,
        tuple((item.candidate.name, item.cross_validation_error) for item in order),
        _disagreement(one),
    )


def _disagreement(one: Fitted) -> float:
    """Largest |other / chosen - 1| among candidates whose weight, over all departures, is at least 5 % of
    the whole."""
    weights = one.parts.weights()
    near = np.flatnonzero(weights.sum(axis=0) >= NEAR_WEIGHT)
    if one.value_s <= 0.0 or not near.size:
        return 0.0
    centres = one.parts.centre_s[weights[:, near].argmax(axis=0), near]
    return float(np.abs(centres / one.value_s - 1.0).max())
