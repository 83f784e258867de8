"""The power of a program on a layout, by the meters of its runs.

The logarithm of a launch's mean power is taken to vary as it did: around the median of the runs nearest in size, by the deviations of all
launches from it, so that a power which changes with the size widens the interval. It holds 95 % of single launches by Student's t with one
degree of freedom less than launches (Hahn & Meeker, Statistical Intervals, section 4.7).
"""

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from hakaru.facts.forecasts.energy import Amount
from hakaru.facts.records import Record
from hakaru.facts.records.power import WITHOUT_METER

LEAST_LAUNCHES = 3
CONFIDENCE = 0.95


@dataclass(frozen=True)
class Watts:
    """``scope``: what the meters cover; ``meter``: their kind."""

    amount: Amount
    launches: int
    scope: str
    meter: str

    @property
    def source(self) -> str:
        return f"{self.meter} meters in {self.launches} launches"


def watts(records: Sequence[Record], size: float | None) -> Watts | str:
    """Of runs on one layout, for a run of ``size``; or why it is not known."""
    ran = [record for record in records if record.ran]
    groups: dict[tuple[str, str], list[Record]] = defaultdict(list)
    for record in ran:
        if record.power and (total := record.power.total):
            groups[total.scope, total.source.split()[0]].append(record)
    if not groups:
        return next((one.power.why_not for one in reversed(ran) if one.power), WITHOUT_METER)
    (scope, meter), own = max(groups.items(), key=lambda group: len(group[1]))
    if len(own) < LEAST_LAUNCHES:
        return f"{len(own)} launches on this layout had a meter, and an interval needs {LEAST_LAUNCHES}"
    return Watts(_amount(own, size), len(own), scope, meter)


def _amount(records: Sequence[Record], size: float | None) -> Amount:
    from scipy.special import stdtrit

    logs = [math.log(record.power.total.watts) for record in records]
    apart = [_apart(record.work.size, size) for record in records]
    nearest = min(apart)
    centre = median(one for one, far in zip(logs, apart, strict=True) if far == nearest)
    count = len(logs)
    deviation = math.sqrt(sum((one - centre) ** 2 for one in logs) / (count - 1))
    reach = float(stdtrit(count - 1, 0.5 + 0.5 * CONFIDENCE)) * deviation * math.sqrt(1.0 + 1.0 / count)
    return Amount(value=math.exp(centre), low=math.exp(centre - reach), high=math.exp(centre + reach))


def _apart(size: float | None, wanted: float | None) -> float:
    """Of two sizes, as a ratio."""
    return abs(math.log(size / wanted)) if size and wanted else 0.0


def product(power: Amount, time) -> Amount:
    """Energy of a power over a time, both with intervals and wrong independently: their logarithms' reaches add up as squares.

    ``time`` has value, low and high in s."""
    value = power.value * time.value
    if min(power.low, time.low) <= 0.0:
        low = 0.0
    else:
        low = value * math.exp(
            -math.hypot(math.log(power.value / power.low), math.log(time.value / time.low))
        )
    up = math.hypot(math.log(power.high / power.value), math.log(time.high / time.value)) if value else 0.0
    return Amount(value=value, low=low, high=value * math.exp(up))
