"""What a publication concludes from its times, asked of other times: a ratio with the bounds between which the conclusion holds."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from hakaru.base.statistics import Interval

LITTLE = 1.25  # "no great difference": within it, either way
MORE = 1.05  # within 5 % nothing is called
HOLDS, FAILS, OPEN = "holds", "does not hold", "open"


@dataclass(frozen=True)
class Bounds:
    """From ``low`` to ``high``."""

    low: float = 0.0
    high: float = math.inf

    def verdict(self, found: Interval) -> str:
        """OPEN where the interval reaches over a bound."""
        if found.high < self.low or found.low > self.high:
            return FAILS
        return HOLDS if self.low <= found.low and found.high <= self.high else OPEN


SLOWER = Bounds(low=MORE)
FASTEST = Bounds(high=MORE)
MUCH_SLOWER = Bounds(low=LITTLE)
NOT_MUCH_SLOWER = Bounds(high=LITTLE)
ALIKE = Bounds(1.0 / LITTLE, LITTLE)


def geometric_mean(values: Iterable[float]) -> float:
    """Of positive ratios, or of times that are compared by ratios."""
    values = list(values)
    return math.exp(math.fsum(map(math.log, values)) / len(values))


def held(verdicts: Mapping[str, Mapping[str, str]]) -> str:
    """How many conclusions hold with each column of times, and by name those that do not; ``verdicts`` by column and conclusion."""
    told = []
    for column, found in verdicts.items():
        count = sum(one == HOLDS for one in found.values())
        misses = [
            f"{verdict}: {', '.join(name for name, one in found.items() if one == verdict)}"
            for verdict in (FAILS, OPEN)
            if verdict in found.values()
        ]
        named = f" ({'; '.join(misses)})" if misses else ""
        told.append(f"with {column} {count} of {len(found)}{named}")
    return f"Conclusions of the publication that hold here: {'; '.join(told)}."
