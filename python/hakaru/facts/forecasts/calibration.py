"""Whether intervals are as wide as they say: how often those of each level held, beside the level."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from hakaru.facts.forecasts.forecast import Forecast


@dataclass(frozen=True)
class Held:
    """Of ``scored`` intervals of a nominal ``level``, ``held`` contained what runs usually took."""

    level: float
    held: int
    scored: int

    @property
    def share(self) -> float:
        return self.held / self.scored

    def bounds(self) -> tuple[float, float]:
        """95 % interval of the share (Clopper and Pearson, 1934)."""
        from scipy.stats import binomtest

        found = binomtest(self.held, self.scored).proportion_ci(confidence_level=0.95, method="exact")
        return float(found.low), float(found.high)


def calibration(forecasts: Iterable[Forecast]) -> list[Held]:
    """By level, narrowest first; forecasts without a score or without levels say nothing."""
    return counted(one.held_by_level for one in forecasts)


def counted(held_by_level: Iterable[Mapping[float, bool]]) -> list[Held]:
    told = list(held_by_level)
    levels = sorted({level for one in told for level in one})
    return [_held(level, [one[level] for one in told if level in one]) for level in levels]


def _held(level: float, held: list[bool]) -> Held:
    return Held(level, sum(held), len(held))
