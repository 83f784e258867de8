"""What the runs of a report took, as far as their nodes have meters."""

from collections import Counter

from hakaru.base import units
from hakaru.base.statistics import Interval
from hakaru.tell.explain import Explanation
from hakaru.tell.report.tables import Table

COLUMNS = ["run", "layout", "energy of a repetition", "95 % interval", "energy of a launch", "power", "launches", "of", "meter"]  # fmt: skip


def table(explanation: Explanation) -> Table | None:
    """A row for each layout of which a meter said something."""
    rows = [
        [
            case.label,
            layout.name,
            _middle(layout.energy.repetition_j, "J"),
            _range(layout.energy.repetition_j, "J"),
            _middle(layout.energy.joules, "J"),
            _middle(layout.energy.watts, "W"),
            str(layout.energy.launches),
            layout.energy.scope,
            layout.energy.meter,
        ]
        for case in explanation.cases
        for layout in case.layouts
        if layout.energy.joules
    ]
    return Table("Energy of runs", COLUMNS, rows, 2, texts=("of", "meter")) if rows else None


def missing(explanation: Explanation) -> list[str]:
    """``not available (why)``, and of how many layouts that is so."""
    found = Counter(
        layout.energy.words
        for case in explanation.cases
        for layout in case.layouts
        if layout.energy.joules is None
    )
    return [f"{units.count(count, 'layout')}: {words}" for words, count in found.items()]


def _middle(found: Interval | None, unit: str) -> str:
    return units.quantity(found.value, unit) if found else ""


def _range(found: Interval | None, unit: str) -> str:
    return f"{units.quantity(found.low, unit)} to {units.quantity(found.high, unit)}" if found else ""
