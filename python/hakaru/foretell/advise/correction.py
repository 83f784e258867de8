"""What runs of a program showed beside their replays: how many times as long their phases took, and what lies outside of all phases."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from statistics import median
from typing import Any

from hakaru.base.statistics import Interval
from hakaru.facts.records.record import OTHER
from hakaru.foretell import models
from hakaru.foretell.replay import source as sources


@dataclass(frozen=True)
class Correction:
    """What runs of a layout showed: how many times as long as replayed its phases took, and seconds outside of all phases, such as setting
    the initial state, which are once for a run and not for each repeat of its work."""

    ratio: Interval = Interval(1.0, 1.0, 1.0, 0, 0.0)
    outside_s: float = 0.0


def outside_s(run: models.Observation, source: sources.Source) -> float:
    """Outside of all phases, once for the wanted run: an observation has it as often as its work was repeated. It grows with the memory of a
    core."""
    from hakaru.foretell.forecast import evaluate

    point, wanted = run.point, source.evaluated
    again = evaluate(source.program, point.parameters, point.ranks, point.threads)
    repeats = amount(point.work.values()) / again.amount
    grown = (wanted.memory_bytes or 1.0) / (point.memory_bytes or 1.0)
    return median(run.values(OTHER)) / repeats * grown * point.cores / (source.ranks * source.threads)


def amount(rows: Iterable[Mapping[str, Any]]) -> float:
    """Bytes moved and flops of all phases: equal shares of them are equal shares of the work."""
    return sum(float(row.get("bytes") or 0.0) + float(row.get("flops") or 0.0) for row in rows)
