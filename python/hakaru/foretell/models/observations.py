"""What the models are fitted on: points (problem, ranks, threads) with the phase times of every launch."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean, median

from hakaru.facts.records.record import OTHER, WAIT, Record, Repetition
from hakaru.facts.work import Work

LEAST_SIZES = 3  # that show how a time grows
WAITING = ("communicate", "idle")  # kinds of phases in which a rank waits for others


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
        return self.size == other.size and self.has_layout_of(other)

    def has_layout_of(self, other: "Point") -> bool:
        return (self.ranks, self.threads) == (other.ranks, other.threads)

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
    the longest of its runs, whose times were multiplied. ``span_s``: between the starts of the first launch and the last; infinite where unknown.
    ``elsewhere``: phases of launches that met another state of the machine than the usual one (facts.records.nearness), after the others
    in ``record_ids`` and ``walls_s``."""

    point: Point
    launches: tuple[Mapping[str, float], ...]
    record_ids: tuple[str, ...] = ()
    walls_s: tuple[float, ...] = ()
    longer: float = 1.0
    span_s: float = math.inf
    elsewhere: tuple[Mapping[str, float], ...] = ()

    def values(self, phase: str) -> list[float]:
        return [launch.get(phase, 0.0) for launch in self.launches]

    def totals(self) -> list[float]:
        return [sum(launch.values()) for launch in self.launches]

    def walls(self) -> list[float]:
        return list(self.walls_s) or [sum(launch.values()) for launch in (*self.launches, *self.elsewhere)]

    def usual_walls(self) -> list[float]:
        """Of ``launches``."""
        return self.walls()[: len(self.launches)]

    def usual_ids(self) -> tuple[str, ...]:
        """Records of ``launches``."""
        return self.record_ids[: len(self.launches)]


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
    kinds = phase_kinds([record])
    samples: dict[str, list[float]] = {name: [] for name in kinds}
    for repetition in record.repetitions:
        times = _ranks(repetition, kinds)
        if left_alone:
            times = _without_waits(times, kinds, repetition, others)
        for name in kinds:
            samples[name].append(fmean(own[name] for own in times))
    medians = {name: median(values) for name, values in samples.items()}
    wall = record.middle(lambda one: one.wall_s * (one.left_alone(others) if left_alone else 1.0))
    claimed_total = sum(medians.values())
    scale = wall / claimed_total if claimed_total > 0.0 else 0.0
    return {name: value * scale for name, value in medians.items()}


def _ranks(repetition: Repetition, kinds: Mapping[str, str]) -> list[dict[str, float]]:
    """Seconds of every phase on every rank, with what no phase claims and the wait for the last rank."""
    columns = {name: repetition.rank_times(name) for name in kinds if name not in (OTHER, WAIT)}
    found = []
    for rank, whole_s in enumerate(repetition.rank_s):
        own = {name: times[rank] for name, times in columns.items()}
        rest = {OTHER: max(whole_s - sum(own.values()), 0.0), WAIT: max(repetition.wall_s - whole_s, 0.0)}
        found.append(own | rest)
    return found


def _without_waits(
    times: Sequence[dict[str, float]], kinds: Mapping[str, str], repetition: Repetition, others: float
) -> list[dict[str, float]]:
    """The same without what waiting for processors added: a rank waited for its own while it worked, and for
    the other ranks' while it communicated or was idle."""
    lost_s = repetition.wall_s * (1.0 - repetition.left_alone(others))
    waited_s = repetition.waited_s or (0.0,) * len(times)
    return [
        _less(own, kinds, min(waited, lost_s), lost_s) for own, waited in zip(times, waited_s, strict=True)
    ]


def _less(
    own: Mapping[str, float], kinds: Mapping[str, str], working_s: float, lost_s: float
) -> dict[str, float]:
    """``lost_s`` less, of which ``working_s`` where the rank works; what one part has not is taken from the other."""
    waiting = {name for name in own if kinds[name] in WAITING}
    there = {part: sum(own[name] for name in own if (name in waiting) == part) for part in (True, False)}
    from_waiting = min(lost_s - working_s, there[True])
    from_working = min(lost_s - from_waiting, there[False])
    from_waiting = min(lost_s - from_working, there[True])
    left = {
        part: 1.0 - taken / there[part] if there[part] > 0.0 else 0.0
        for part, taken in ((True, from_waiting), (False, from_working))
    }
    return {name: value * left[name in waiting] for name, value in own.items()}


def phase_kinds(records: Iterable[Record]) -> dict[str, str]:
    """Kind of every phase in order of first appearance; ``other`` is compute and ``wait for others`` idle."""
    kinds = {name: kind for record in records for name, kind in record.phase_kinds().items()}
    return {**kinds, OTHER: "compute", WAIT: "idle"}
