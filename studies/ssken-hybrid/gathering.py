"""Daemons scattered and gathered: what they take from the layouts, told."""

import math
from dataclasses import dataclass

from hakaru.base import units
from hakaru.studies.daemons import MANNERS, Lost, told
from hakaru.studies.result import Row, Section


@dataclass(frozen=True)
class Case:
    """A layout on so many nodes, with detours of one length; what an iteration takes without them."""

    nodes: int
    layout: str
    length: str
    iterations: int
    quiet_s: float
    lost: Lost


def iterations(fewest: int, iteration_s: float, between_s: float, periods: int) -> int:
    """As many as take a whole number of the times between two gathered detours, so that a run meets as many of them wherever it begins; at
    least ``periods`` and no fewer iterations than ``fewest``."""
    whole = max(periods, math.ceil(fewest * iteration_s / between_s))
    return max(round(whole * between_s / iteration_s), 1) if iteration_s > 0.0 else fewest


def rows(cases: list[Case]) -> list[Row]:
    return [row for case in cases for row in case.lost.rows()]


def section(cases: list[Case], share: float) -> Section:
    lines = [
        [
            str(case.nodes),
            case.layout,
            units.seconds(case.quiet_s),
            case.length,
            str(case.iterations),
            *(case.lost.told(manner) for manner in MANNERS),
        ]
        for case in cases
    ]
    words = [f"What {100.0 * share:.2f} % of each node adds: mean of the seeds, smallest and largest."]
    columns = ["nodes", "layout", "iteration without", "detours of", "iterations", *MANNERS]
    return Section("Daemons scattered and gathered", words, [], columns, lines)


def summary(cases: list[Case]) -> list[str]:
    """On the most nodes."""
    most = max((case.nodes for case in cases), default=0)
    return [
        f"{units.count(case.nodes, 'node')}, {case.layout}, detours of {case.length}: {told(case.lost)}."
        for case in cases
        if case.nodes == most
    ]
