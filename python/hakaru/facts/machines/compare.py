"""Two machine files side by side."""

from dataclasses import dataclass

from hakaru.facts.machines.fact import Fact, Keys
from hakaru.facts.machines.machine import Machine


@dataclass(frozen=True)
class Compared:
    """A numeric fact of two machines: path, keys, both values, ratio second / first, and whether the intervals are apart (None when one
    has no interval)."""

    fact: str
    keys: Keys
    unit: str
    first: float
    second: float
    ratio: float | None
    differs: bool | None


def compare(first: Machine, second: Machine) -> list[Compared]:
    """Numeric facts that both machines have."""
    index = {(path, _about(fact)): fact for path, fact in second.walk()}
    rows = []
    for path, fact in first.walk():
        other = index.get((path, _about(fact)))
        if other is None or not fact.is_number or not other.is_number:
            continue
        rows.append(
            Compared(
                path,
                fact.keys,
                fact.unit or "1",
                fact.value,
                other.value,
                other.value / fact.value if fact.value else None,
                _apart(fact, other),
            )
        )
    return rows


def _about(fact: Fact) -> tuple:
    return tuple(sorted(fact.keys.items()))


def _apart(first: Fact, second: Fact) -> bool | None:
    if not (first.has_interval and second.has_interval):
        return None
    return first.high < second.low or second.high < first.low
