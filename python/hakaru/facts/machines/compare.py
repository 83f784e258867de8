"""Two machine files side by side."""

from typing import Any

from hakaru.facts.machines.fact import Fact
from hakaru.facts.machines.machine import Machine


def compare(first: Machine, second: Machine) -> list[dict[str, Any]]:
    """Rows for numeric facts that both machines have: path, keys, both values, ratio second / first, and whether the intervals are
    apart (None when one has no interval)."""
    index = {(path, _about(fact)): fact for path, fact in second.walk()}
    rows = []
    for path, fact in first.walk():
        other = index.get((path, _about(fact)))
        if other is None or not fact.is_number or not other.is_number:
            continue
        rows.append(
            {
                "fact": path,
                "keys": fact.keys,
                "unit": fact.unit or "1",
                "first": fact.value,
                "second": other.value,
                "ratio": other.value / fact.value if fact.value else None,
                "differs": _apart(fact, other),
            }
        )
    return rows


def _about(fact: Fact) -> tuple:
    return tuple(sorted(fact.keys.items()))


def _apart(first: Fact, second: Fact) -> bool | None:
    if not (first.has_interval and second.has_interval):
        return None
    return first.high < second.low or second.high < first.low
