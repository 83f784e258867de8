"""What the models are fitted on: points (problem, ranks, threads) with the phase times of every launch."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from hakaru.base.statistics import median

OTHER = "other"
IDLE = "wait for others"


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

    def count(self, phase: str | None, name: str) -> float:
        """Work count ``name`` of one phase, or of the whole program when the phase is None or declares no
        work."""
        own = self.work.get(phase) if phase is not None else None
        rows = [own] if own is not None else self.work.values()
        return float(sum(row.get(name) or 0.0 for row in rows))


@dataclass(frozen=True)
class Observation:
    """Launches of one point: each maps every phase to seconds, and its phases add up to the launch's wall
    time."""

    point: Point
    launches: tuple[Mapping[str, float], ...]
    record_ids: tuple[str, ...] = ()

    def values(self, phase: str) -> list[float]:
        return [launch.get(phase, 0.0) for launch in self.launches]

    def totals(self) -> list[float]:
        return [sum(launch.values()) for launch in self.launches]


def point_of(evaluated: Mapping) -> Point:
    """Point of a description's or record's ``evaluated`` object."""
    work = {
        row["phase"]: {name: float(value or 0.0) for name, value in row.items() if name != "phase"}
        for row in evaluated.get("phases", [])
    }
    return Point(
        float(evaluated["size"]),
        int(evaluated["ranks"]),
        int(evaluated["threads"]),
        work,
        dict(evaluated.get("parameters", {})),
        evaluated.get("memory_bytes"),
    )


def launch_phases(record: Mapping) -> dict[str, float]:
    """Phase times of one launch (s); they add up to the launch's time, the median over repetitions of
    ``wall_s``.

    On every rank, phases + ``other`` + ``wait for others`` = wall_s, so the mean over ranks of each phase
    adds up exactly within a repetition (the maximum over ranks would not: its phases come from different
    ranks). The median over repetitions is taken phase by phase and the small difference to the median wall
    time is spread in proportion.
    """
    repetitions = record["repetitions"]
    names = [phase["name"] for phase in record["phases"] if phase["name"] not in (OTHER, IDLE)]
    samples: dict[str, list[float]] = {name: [] for name in (*names, OTHER, IDLE)}
    for repetition in repetitions:
        ranks = repetition["rank_s"]
        claimed = [0.0] * len(ranks)
        for name in names:
            times = repetition["phases"].get(name) or [0.0] * len(ranks)
            claimed = [total + time for total, time in zip(claimed, times, strict=True)]
            samples[name].append(sum(times) / len(ranks))
        samples[OTHER].append(
            sum(max(rank - phases, 0.0) for rank, phases in zip(ranks, claimed, strict=True)) / len(ranks)
        )
        samples[IDLE].append(sum(max(repetition["wall_s"] - rank, 0.0) for rank in ranks) / len(ranks))
    medians = {name: median(values) for name, values in samples.items()}
    wall = median([repetition["wall_s"] for repetition in repetitions])
    claimed_total = sum(medians.values())
    scale = wall / claimed_total if claimed_total > 0.0 else 0.0
    return {name: value * scale for name, value in medians.items()}


def phase_kinds(records: Sequence[Mapping]) -> dict[str, str]:
    """Kind of every phase in order of first appearance; ``other`` is compute and ``wait for others`` idle."""
    kinds = {
        phase["name"]: phase["kind"]
        for record in records
        for phase in record["phases"]
        if phase["name"] not in (OTHER, IDLE)
    }
    return {**kinds, OTHER: "compute", IDLE: "idle"}
