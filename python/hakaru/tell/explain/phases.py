"""Where the time of a layout goes: phases over ranks, kinds on every rank."""

from collections.abc import Sequence
from dataclasses import dataclass

from hakaru.base.statistics import Interval
from hakaru.facts.records.groups import Group
from hakaru.facts.records.record import KINDS


@dataclass(frozen=True)
class Phase:
    """One phase of one layout; times in s are medians over launches of the minimum, mean and maximum over
    ranks.

    ``imbalance`` is maximum / mean - 1: the part of the mean that the slowest rank spends on top. ``share``
    is the mean over ranks over the run's wall time; with ``other`` and waiting the shares add up to one.
    """

    name: str
    kind: str
    minimum_s: float
    mean_s: float
    maximum_s: float
    maximum: Interval
    imbalance: float
    share: float


@dataclass(frozen=True)
class Rank:
    """Time of one rank by kind in s: compute (with what no phase claims), communicate, io, idle."""

    rank: int
    compute: float
    communicate: float
    io: float
    idle: float


def phases(group: Group) -> list[Phase]:
    wall_s = group.wall().value
    result = []
    for name, kind in group.phase_kinds.items():
        mean_s = group.middle(lambda repetition, name=name: _mean(repetition.rank_times(name)))
        maximum = group.over_launches(lambda repetition, name=name: max(repetition.rank_times(name)))
        minimum_s = group.middle(lambda repetition, name=name: min(repetition.rank_times(name)))
        imbalance = maximum.value / mean_s - 1.0 if mean_s > 0.0 else 0.0
        share = mean_s / wall_s if wall_s > 0.0 else 0.0
        result.append(Phase(name, kind, minimum_s, mean_s, maximum.value, maximum, imbalance, share))
    return result


def ranks(group: Group) -> list[Rank]:
    kinds = group.phase_kinds

    def time_s(rank: int, kind: str) -> float:
        return group.middle(lambda repetition: repetition.kind_times(kinds, kind)[rank])

    return [Rank(rank, *(time_s(rank, kind) for kind in KINDS)) for rank in range(group.ranks)]


def kind_shares(group: Group) -> dict[str, float]:
    """Mean over ranks of each kind over the wall time."""
    wall_s = group.wall().value
    kinds = group.phase_kinds
    means = {kind: group.middle(lambda r, kind=kind: _mean(r.kind_times(kinds, kind))) for kind in KINDS}
    return {kind: mean / wall_s if wall_s > 0.0 else 0.0 for kind, mean in means.items()}


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)
