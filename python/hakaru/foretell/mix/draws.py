"""Run times drawn from forecasts: what runs usually take, which is the same for all jobs of a kind, and what any one run takes."""

import math
from dataclasses import dataclass

import numpy as np

from hakaru.facts.forecasts import Span

NORMAL_95 = 1.959963984540054  # 95 % of a standard normal lie within
LEAST_RATIO = 1e-3  # of a time to its value: an interval may reach down to nothing


@dataclass(frozen=True)
class Spread:
    """ln(time / value) is normal, with one deviation below the value and one above, so that 95 % lie in the interval."""

    below: float
    above: float

    @classmethod
    def of(cls, span: Span) -> "Spread":
        if span.value <= 0.0:
            return cls(0.0, 0.0)
        low = max(span.low / span.value, LEAST_RATIO)
        return cls(-math.log(low) / NORMAL_95, math.log(max(span.high / span.value, 1.0)) / NORMAL_95)

    def without(self, other: "Spread") -> "Spread":
        """What this one has more: variances of independent deviations add."""
        return Spread(
            math.sqrt(max(self.below**2 - other.below**2, 0.0)),
            math.sqrt(max(self.above**2 - other.above**2, 0.0)),
        )

    def factors(self, normal: np.ndarray) -> np.ndarray:
        return np.exp(normal * np.where(normal < 0.0, self.below, self.above))


@dataclass(frozen=True)
class Times:
    """Of one kind of jobs, in s: ``usual`` and ``any_one`` as in a forecast."""

    usual: Span
    any_one: Span

    @classmethod
    def known(cls, seconds: float) -> "Times":
        exact = Span(value=seconds, low=seconds, high=seconds)
        return cls(exact, exact)

    def scaled(self, factor: float) -> "Times":
        return Times(self.usual.scaled(factor), self.any_one.scaled(factor))

    def plus(self, other: "Times") -> "Times":
        """Of both, one after the other, which are wrong independently."""
        return Times(_sum(self.usual, other.usual), _sum(self.any_one, other.any_one))

    def drawn(self, shared: float, own: np.ndarray) -> np.ndarray:
        """(n,) run times: ``shared`` is a standard normal number of the kind, ``own`` (n,) of each job."""
        usual = Spread.of(self.usual)
        middle = self.usual.value * usual.factors(np.array(shared))
        return middle * Spread.of(self.any_one).without(usual).factors(own)


def _sum(one: Span, other: Span) -> Span:
    value = one.value + other.value
    below = math.hypot(one.value - one.low, other.value - other.low)
    above = math.hypot(one.high - one.value, other.high - other.value)
    return Span(value=value, low=max(value - below, 0.0), high=value + above)
