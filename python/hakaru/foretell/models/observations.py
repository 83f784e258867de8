"""What the models are fitted on: points (problem, ranks, threads) with the phase times of every launch."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from statistics import fmean, median

from hakaru.facts.records.record import OTHER, WAIT, Record
from hakaru.facts.work import Work


@dataclass(frozen=True)
class Point:
    """A problem on a layout. ``work`` maps a phase to its counts over all ranks for one repetition (flops,
    bytes, messages, ...)."""

    size: float
    ranks: int = 1
    threads: int = 1
    work: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    parameters: Mapping[str, object] = field(default_factory=dict)
    memory_bytes: float | None = None

    @property
    def cores(self) -> int:
        return self.ranks * self.threads

    def is_at(self, other: "Point") -> bool:
        """Whether both are the same size on the same layout."""
        return (self.size, self.ranks, self.threads) == (other.size, other.ranks, other.threads)

    def count(self, phase: str | None, name: str) -> float:
        """Work count ``name`` of one phase, or of the whole program when the phase is None or declares no
        work."""
        own = self.work.get(phase) if phase is not None else None
        rows = [own] if own is not None else self.work.values()
        return float(sum(row.get(name) or 0.0 for row in rows))


@dataclass(frozen=True)
class Observation:
    """Launches of one point: each maps every phase to seconds, and its phases add up to the launch's time when other programs leave it
    alone. ``walls_s``: what the launches took, disturbed or not; () where that is the same. ``longer``: the point's work over that of
    the longest of its runs, whose times were multiplied. ``span_s``: between the starts of the first launch and the last; infinite where unknown."""

    point: Point
    launches: tuple[Mapping[str, float], ...]
    record_ids: tuple[str, ...] = ()
    walls_s: tuple[float, ...] = ()
    longer: float = 1.0
    span_s: float = math.inf

    def values(self, phase: str) -> list[float]:
        return [launch.get(phase, 0.0) for launch in self.launches]

    def totals(self) -> list[float]:
        return [sum(launch.values()) for launch in self.launches]

    def walls(self) -> list[float]:
        return list(self.walls_s) or self.totals()


def point_of(work: Work) -> Point:
    return Point(
        float(work.size or 0.0),
        work.ranks,
        work.threads,
        {phase.phase: phase.counts() for phase in work.phases},
        work.parameters,
        work.memory_bytes,
    )


def launch_phases(record: Record, left_alone: bool = False, others: float = 0.0) -> dict[str, float]:
    """Phase times of one launch (s); they add up to the launch's time, the median over repetitions of
    ``wall_s``. ``left_alone``: less the time that the thread that was disturbed most waited for its processor,
    and a share of what the ``others`` waited (models.waiting).

    On every rank, phases + ``other`` + ``wait for others`` = wall_s, so the mean over ranks of each phase
    adds up exactly within a repetition (the maximum over ranks would not: its phases come from different
    ranks). The median over repetitions is taken phase by phase and the small difference to the median wall
    time is spread in proportion.
    """
    names = list(record.phase_kinds())
    samples: dict[str, list[float]] = {name: [] for name in (*names, OTHER, WAIT)}
    for repetition in record.repetitions:
        ranks = repetition.rank_s
        share = repetition.left_alone(others) if left_alone else 1.0
        for name in names:
            samples[name].append(share * fmean(repetition.rank_times(name)))
        claimed = [sum(times) for times in zip(*map(repetition.rank_times, names), strict=True)]
        rest = [
            max(rank - phases, 0.0) for rank, phases in zip(ranks, claimed or [0.0] * len(ranks), strict=True)
        ]
        samples[OTHER].append(share * fmean(rest))
        samples[WAIT].append(share * fmean(max(repetition.wall_s - rank, 0.0) for rank in ranks))
    medians = {name: median(values) for name, values in samples.items()}
    wall = record.middle(lambda one: one.wall_s * (one.left_alone(others) if left_alone else 1.0))
    claimed_total = sum(medians.values())
    scale = wall / claimed_total if claimed_total > 0.0 else 0.0
    return {name: value * scale for name, value in medians.items()}


def phase_kinds(records: Iterable[Record]) -> dict[str, str]:
    """Kind of every phase in order of first appearance; ``other`` is compute and ``wait for others`` idle."""
    kinds = {name: kind for record in records for name, kind in record.phase_kinds().items()}
    return {**kinds, OTHER: "compute", WAIT: "idle"}
