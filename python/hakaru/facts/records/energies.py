"""The energy of several launches of one thing: medians with intervals, or why it is not known. J and W."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from hakaru.base import units
from hakaru.base.statistics import Interval, median_interval
from hakaru.facts.records.power import WITHOUT_METER
from hakaru.facts.records.record import Record


@dataclass(frozen=True)
class Energies:
    """``joules`` of a launch, ``watts`` of it, and ``repetition_j`` of a repetition: the power times its time. ``launches``: that had such
    meters. ``unavailable``: why there are none; then there is nothing else."""

    launches: int = 0
    scope: str = ""
    meter: str = ""
    joules: Interval | None = None
    watts: Interval | None = None
    repetition_j: Interval | None = None
    unavailable: str = ""

    @property
    def words(self) -> str:
        """``512 J, 128 W (package, powercap)``, or ``not available (why)``."""
        if self.joules is None or self.watts is None:
            return f"not available ({self.unavailable})"
        joules, watts = units.quantity(self.joules.value, "J"), units.quantity(self.watts.value, "W")
        return f"{joules}, {watts} ({self.scope}, {self.meter})"

    def as_dict(self) -> dict[str, object]:
        if self.joules is None or self.watts is None:
            return {"unavailable": self.unavailable}
        found = {"joules": self.joules, "watts": self.watts, "repetition_j": self.repetition_j}
        spans = {
            name: {"value": one.value, "low": one.low, "high": one.high} if one else None
            for name, one in found.items()
        }
        return spans | {"launches": self.launches, "scope": self.scope, "meter": self.meter}


def energies(records: Sequence[Record]) -> Energies:
    """Of launches by the same kind of meter over the same scope, the most there are."""
    groups: dict[tuple[str, str], list[Record]] = defaultdict(list)
    for record in records:
        if record.power and (total := record.power.total):
            groups[total.scope, total.source.split()[0]].append(record)
    if not groups:
        why = next((one.power.why_not for one in reversed(records) if one.power), WITHOUT_METER)
        return Energies(unavailable=why)
    (scope, meter), own = max(groups.items(), key=lambda group: len(group[1]))
    totals = [record.power.total for record in own]
    timed = [record.wall_s * total.watts for record, total in zip(own, totals, strict=True) if record.wall_s]
    return Energies(
        len(own),
        scope,
        meter,
        median_interval([total.joules for total in totals]),
        median_interval([total.watts for total in totals]),
        median_interval(timed) if timed else None,
    )
