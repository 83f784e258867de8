"""Fits of one phase: least squares in relative error with non-negative coefficients, chosen by
leave-one-point-out."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

import numpy as np

from hakaru.foretell.models import noise
from hakaru.foretell.models.candidates import Candidate
from hakaru.foretell.models.least_squares import non_negative
from hakaru.foretell.models.observations import Point

RESOLUTION = (
    1e-3  # relative; no launch repeats better, because of clock and scheduler: smaller errors say nothing
)
MOST_STRETCH = 3.0  # times that of the size: how far a term may go beyond its values in the runs
SLIGHT = 0.1  # of a logarithm
SMALL_PHASE = 0.01  # below this share of the run a phase's error is counted relative to that share of the run
_LARGEST_CONDITION = 1e4
MOST_DIGITS = 4  # after the point, of times that are printed


@dataclass(frozen=True)
class Series:
    """Times of one phase at K points. ``time_s`` and ``scale_s`` are (K,); errors are relative to
    ``scale_s``.

    ``median_variance`` (K,) is the variance of a point's median in units of a launch's variance;
    ``spread_squares`` the sum of squared relative deviations of launches from their point's median (models.noise),
    with ``spread_freedom`` degrees of freedom. ``rounding`` (K,) is the standard deviation of what printed digits leave out, relative to
    ``scale_s``.
    """

    points: tuple[Point, ...]
    time_s: np.ndarray
    scale_s: np.ndarray
    median_variance: np.ndarray
    spread_squares: float
    spread_freedom: int
    rounding: np.ndarray


def series(
    points: Sequence[Point], launches: Sequence[Sequence[float]], totals: Sequence[Sequence[float]]
) -> Series:
    """Series of one phase from each point's launches (s) and the same launches' total times (s)."""
    time_s = np.array([median(values) for values in launches])
    total_s = np.array([median(values) for values in totals])
    scale_s = np.maximum(time_s, SMALL_PHASE * total_s)
    apart = noise.winsorised(noise.deviations(launches, scale_s))
    freedom = sum(len(values) - 1 for values, scale in zip(launches, scale_s, strict=True) if scale > 0.0)
    squares = float(np.mean(apart**2)) * freedom if freedom else 0.0
    return Series(
        tuple(points),
        time_s,
        scale_s,
        np.array([noise.median_variance(len(v)) for v in launches]),
        squares,
        freedom,
        _quantum([value for values in launches for value in values]) / (math.sqrt(12.0) * scale_s),
    )


def _quantum(values: Sequence[float]) -> float:
    """Step of which all values are multiples, a power of ten of at least 1e-4: a program that prints so many digits; 0 for measured times."""
    for digits in range(MOST_DIGITS + 1):
        steps = np.array(values) * 10.0**digits
        if steps.max() >= 1.0 and np.abs(steps - steps.round()).max() < 1e-6:
            return 10.0**-digits
    return 0.0


def design(candidate: Candidate, points: Sequence[Point]) -> np.ndarray:
    """Matrix (points, terms) of the candidate's term values."""
    return np.array([[term.value(point) for term in candidate.terms] for point in points], dtype=float)


def usable(candidate: Candidate, data: Series, target: Point) -> np.ndarray | None:
    """The design matrix in relative units (K, p) with columns of unit norm, or None when the data cannot
    carry the candidate.

    That is when fewer than p + 1 points are there, a column is zero or not finite, or columns cannot be
    told apart.
    """
    matrix = design(candidate, data.points)
    wanted = design(candidate, [target])
    count, terms = matrix.shape
    if count < terms + 1 and not (count == 1 and terms == 1):
        return None
    if not (np.isfinite(matrix).all() and np.isfinite(wanted).all()) or (matrix <= 0.0).all(axis=0).any():
        return None
    relative = matrix / data.scale_s[:, None]
    relative = relative / np.linalg.norm(relative, axis=0)
    if terms > 1 and np.linalg.cond(relative) > _LARGEST_CONDITION:
        return None
    return relative


def held_out_errors(relative: np.ndarray, data: Series) -> np.ndarray:
    """Errors (M, K) of M candidates (M, K, p) at each point, relative to its scale, fitted without that
    point (equal weights)."""
    wanted = data.time_s / data.scale_s
    count = len(wanted)
    if count == 1:
        return np.full((len(relative), 1), math.inf)
    kept = 1.0 - np.eye(count)
    coefficients = non_negative(
        kept[:, None, :, None] * relative[None],
        np.broadcast_to((kept * wanted)[:, None, :], (count, *relative.shape[:2])),
    )
    return np.einsum("mkp,kmp->mk", relative, coefficients) - wanted


@dataclass(frozen=True)
class Scored:
    """A candidate that the data can carry, its relative design (K, p) and its leave-one-point-out errors
    (K,)."""

    candidate: Candidate
    relative: np.ndarray
    errors: np.ndarray

    @property
    def cross_validation_error(self) -> float:
        """Root mean square of the held-out relative errors (1); infinite when nothing could be held out."""
        return float(np.sqrt(np.mean(self.errors**2)))


def in_reach(candidates: Sequence[Candidate], data: Series, target: Point) -> list[Candidate]:
    """Those whose terms were seen to change: a count that is the same in all runs and a thousand times as much at the target tells nothing.

    Compared are logarithms of how far a term goes beyond its values in the runs and of how far these span, with the size's own; what the
    machine's facts price is known without runs. All candidates where the rule leaves none.
    """
    most = MOST_STRETCH * max(1.0, _stretch([point.size for point in data.points], target.size))
    kept = [
        one
        for one in candidates
        if one.priced
        or all(
            _stretch([term.value(point) for point in data.points], term.value(target)) <= most
            for term in one.terms
        )
    ]
    return kept or list(candidates)


def _stretch(values: Sequence[float], wanted: float) -> float:
    """0 inside of the values' range, and where a logarithm is not defined."""
    low, high = min(values), max(values)
    if not (low > 0.0 and 0.0 < wanted < math.inf and high < math.inf):
        return 0.0
    beyond = max(math.log(wanted / high), math.log(low / wanted), 0.0)
    return beyond / max(math.log(high / low), 1e-9) if beyond > SLIGHT else 0.0


def score(candidates: Sequence[Candidate], data: Series, target: Point) -> list[Scored]:
    """Usable candidates with their held-out errors; of candidates of one way that are the same function here
    only the first is kept."""
    candidates = in_reach(candidates, data, target)
    groups: dict[int, list[tuple[int, Candidate, np.ndarray]]] = {}
    seen: set[tuple[bool, bytes]] = set()
    for position, candidate in enumerate(candidates):
        relative = usable(candidate, data, target)
        if relative is None or (shape := (candidate.priced, _shape(candidate, data, target))) in seen:
            continue
        seen.add(shape)
        groups.setdefault(len(candidate.terms), []).append((position, candidate, relative))
    scored = {}
    for members in groups.values():
        errors = held_out_errors(np.stack([relative for _, _, relative in members]), data)
        scored |= {
            position: Scored(candidate, relative, row)
            for (position, candidate, relative), row in zip(members, errors, strict=True)
        }
    return [scored[position] for position in sorted(scored)]


def _shape(candidate: Candidate, data: Series, target: Point) -> bytes:
    """What two candidates that are the same function here have in common: columns over their largest
    value, in a fixed order."""
    matrix = design(candidate, [*data.points, target])
    matrix = (matrix / np.abs(matrix).max(axis=0)).round(9)
    return matrix[:, np.lexsort(matrix)].tobytes()


def choose(scored: Sequence[Scored]) -> tuple[Scored, str]:
    """The one-standard-error rule (Breiman et al., 1984): fewest terms among those within one standard error
    of the best.

    Returns the choice and the reason in words. Ties go to the smaller held-out error, then to the earlier
    proposal.
    """
    best = min(scored, key=lambda item: item.cross_validation_error)
    if not math.isfinite(best.cross_validation_error):
        return best, "the only growth law at hand; one point leaves nothing to check it with"
    squares = best.errors**2
    allowed = float(np.mean(squares) + np.std(squares, ddof=1) / math.sqrt(len(squares))) + RESOLUTION**2
    near = [item for item in scored if item.cross_validation_error**2 <= allowed]
    chosen = min(
        near, key=lambda item: (len(item.candidate.terms), item.candidate.rarity, item.cross_validation_error)
    )
    reason = (
        f"held-out error {100 * chosen.cross_validation_error:.1f} %; best of {len(scored)} candidates"
        if chosen is best
        else f"simplest of {len(near)} candidates within one standard error of the best "
        f"({100 * chosen.cross_validation_error:.1f} % against {100 * best.cross_validation_error:.1f} %)"
    )
    return chosen, reason
