"""Explanations: where the time of each program on each layout goes, and what limits it.

``explain(records, machine, forecasts)`` turns records, a machine and forecasts into
an ``Explanation``; ``as_dict`` gives the same as JSON-ready numbers in SI base units.
"""

import math
from dataclasses import asdict, astuple, dataclass
from statistics import median

import msgspec

from hakaru.base.statistics import Interval, median_interval
from hakaru.facts.forecasts import Forecast, TrackRecord
from hakaru.facts.machines import Machine
from hakaru.facts.records import Record, groups
from hakaru.facts.records.energies import Energies, energies
from hakaru.facts.work import Parameters
from hakaru.tell.explain import advice, bounds, conditions, efficiency, forecasts, phases


@dataclass(frozen=True)
class MetricResult:
    """A figure of merit: median over launches with its interval; a launch's value is the median of its samples."""

    name: str
    unit: str
    value: float
    low: float
    high: float
    count: int
    coverage: float


@dataclass(frozen=True)
class Verdicts:
    """How many results were checked, and how."""

    passed: int
    failed: int


@dataclass(frozen=True)
class LayoutResult:
    """One layout of one case: launches, times, efficiencies, bounds. ``shortest_s`` is the machine's lower
    bound.
    """

    name: str
    style: str
    ranks: int
    threads: int
    cores: int
    launches: int
    repetitions: int
    oversubscribed: bool
    fits_in_cache: bool
    wall: Interval
    phases: list[phases.Phase]
    per_rank: list[phases.Rank]
    kind_shares: dict[str, float]
    efficiency: efficiency.Efficiency
    scaling: efficiency.Scaling
    bounds: list[bounds.Bound]
    shortest_s: float | None
    metrics: list[MetricResult]
    record_ids: list[str]
    energy: Energies = Energies()


@dataclass(frozen=True)
class CaseResult:
    """One problem on all its layouts, the best first named by ``best``."""

    label: str
    program: str
    parameters: Parameters
    setting: dict[str, str | None]
    size: float | None
    size_meaning: str
    memory_bytes: float | None
    layouts: list[LayoutResult]
    verified: Verdicts

    @property
    def best(self) -> LayoutResult:
        """Shortest median among the layouts that were not oversubscribed, or of all where all were."""
        fair = [layout for layout in self.layouts if not layout.oversubscribed]
        return min(fair or self.layouts, key=lambda layout: layout.wall.value)


@dataclass(frozen=True)
class Explanation:
    cases: list[CaseResult]
    failures: list[conditions.Failure]
    findings: list[conditions.Finding]
    forecasts: list[forecasts.Comparison]
    track_record: TrackRecord
    advice: list["advice.Advice"]

    def as_dict(self) -> dict:
        """Plain numbers for JSON; what is not finite becomes None."""
        return _finite({"schema": "hakaru/explanation/1", **asdict(self)})


def explain(records: list[Record], machine: Machine, foretold: list[Forecast]) -> Explanation:
    """Everything the report says, from what a results folder holds; it measures and fits nothing."""
    grouped = groups.problems(records)
    results = [
        _case(case, label, records, machine)
        for case, label in zip(grouped, groups.labels(grouped), strict=True)
    ]
    compared = forecasts.comparisons(foretold)
    failed = conditions.failures(records)
    found = conditions.findings(records, [group for case in grouped for group in case.groups])
    track = TrackRecord.of(foretold)
    return Explanation(
        results, failed, found, compared, track, advice.advise(results, compared, found, machine)
    )


def _case(case: groups.Problem, label: str, records: list[Record], machine: Machine) -> CaseResult:
    same = [record for record in records if (record.program, record.command) == (case.program, "verify")]
    verdicts = [record.verdict for record in same]
    for group in case.groups:
        verdicts += [record.verdict for record in group.records]
    return CaseResult(
        label,
        case.program,
        case.parameters,
        case.setting.as_dict(),
        case.work.size,
        case.work.size_meaning,
        case.work.memory_bytes,
        [_layout(group, case.groups[0], machine) for group in case.groups],
        Verdicts(verdicts.count("passed"), verdicts.count("failed")),
    )


def _layout(group: groups.Group, reference: groups.Group, machine: Machine) -> LayoutResult:
    parts = phases.phases(group)
    return LayoutResult(
        group.name,
        group.style,
        group.ranks,
        group.threads,
        group.cores,
        len(group.records),
        sum(len(record.repetitions) for record in group.records),
        group.oversubscribed,
        bounds.fits_in_cache(group, machine),
        group.wall(),
        parts,
        phases.ranks(group),
        phases.kind_shares(group),
        efficiency.efficiency(group, reference),
        efficiency.scaling(group, reference),
        bounds.bounds(group, parts, machine),
        bounds.shortest_time(group, parts, machine),
        _metrics(group),
        [record.id for record in group.records],
        energies(group.records),
    )


def _metrics(group: groups.Group) -> list[MetricResult]:
    samples: dict[tuple[str, str], list[float]] = {}
    for record in group.records:
        for metric in record.metrics:
            if metric.samples:
                samples.setdefault((metric.name, metric.unit), []).append(median(metric.samples))
    return [
        MetricResult(name, unit, *astuple(median_interval(values)))
        for (name, unit), values in samples.items()
    ]


def _finite(node: object) -> object:
    if isinstance(node, msgspec.Struct):
        node = msgspec.to_builtins(node)
    if isinstance(node, dict):
        return {key: _finite(value) for key, value in node.items()}
    if isinstance(node, list | tuple):
        return [_finite(value) for value in node]
    return None if isinstance(node, float) and not math.isfinite(node) else node
