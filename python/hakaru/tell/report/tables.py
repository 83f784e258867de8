"""The report's tables as plain text cells; the template escapes every one of them."""

import re
from dataclasses import dataclass, field

from hakaru.base import units
from hakaru.facts.machines.fact import Fact
from hakaru.facts.machines.machine import LEVELS, Machine
from hakaru.facts.records import Record
from hakaru.facts.records.groups import plain
from hakaru.facts.records.record import Cache, Environment
from hakaru.tell.explain import CaseResult, LayoutResult, MetricResult
from hakaru.tell.explain.forecasts import Comparison


@dataclass(frozen=True)
class Table:
    """``columns`` are headings; from ``numbers`` on they are numbers, set to the right, but for ``texts``."""

    caption: str
    columns: list[str]
    rows: list[list[str]]
    numbers: int = 1
    marked: list[bool] = field(default_factory=list)
    texts: tuple[str, ...] = ()


def layouts(case: CaseResult) -> Table:
    columns = [
        "layout",
        "kind",
        "wall time",
        "95 % interval",
        "launches",
        "speed-up",
        "efficiency",
        "share computing",
    ]
    metrics = {(metric.name, metric.unit) for layout in case.layouts for metric in layout.metrics}
    names = sorted(metrics)
    rows = []
    for layout in case.layouts:
        known = {(metric.name, metric.unit): metric for metric in layout.metrics}
        row = [
            layout.name + (" (oversubscribed)" if layout.oversubscribed else ""),
            layout.style,
            units.seconds(layout.wall.value),
            units.seconds_range(layout.wall.low, layout.wall.high),
            f"{layout.launches} ({layout.repetitions / layout.launches:.3g} each)",
            "reference" if layout is case.layouts[0] else f"{layout.scaling.speed_up.value:.2f}",
            "" if layout is case.layouts[0] else units.percent(layout.scaling.efficiency.value),
            units.percent(layout.kind_shares["compute"]),
        ]
        row += [_metric(known.get(name), name[1]) for name in names]
        rows.append(row)
    heads = columns + [name for name, _ in names]
    marked = [layout.oversubscribed for layout in case.layouts]
    return Table(f"{case.label}: layouts", heads, rows, 2, marked)


def _metric(metric: MetricResult | None, unit: str) -> str:
    return units.quantity(metric.value, unit) if metric else ""


def efficiencies(case: CaseResult) -> Table:
    columns = ["layout", "load balance", "communication", "parallel", "computation scaling", "global"]
    rows = []
    for layout in case.layouts:
        pop = layout.efficiency
        values = (pop.load_balance, pop.communication, pop.parallel, pop.computation_scaling, pop.overall)
        rows.append([layout.name, *(units.percent(value) for value in values)])
    return Table(f"{case.label}: POP efficiencies", columns, rows)


def phases(case: CaseResult) -> Table:
    columns = [
        "layout",
        "phase",
        "kind",
        "share",
        "mean",
        "minimum over ranks",
        "maximum over ranks",
        "imbalance",
    ]
    rows = [
        [
            layout.name,
            phase.name,
            phase.kind,
            units.percent(phase.share),
            units.seconds(phase.mean_s),
            units.seconds(phase.minimum_s),
            units.seconds(phase.maximum_s),
            units.percent(phase.imbalance),
        ]
        for layout in case.layouts
        for phase in layout.phases
    ]
    return Table(f"{case.label}: phases", columns, rows, 3)


def per_rank(case: CaseResult) -> Table:
    columns = ["layout", "rank", "compute", "communicate", "input and output", "idle"]
    rows = [
        [layout.name, str(r.rank), *(units.seconds(v) for v in (r.compute, r.communicate, r.io, r.idle))]
        for layout in case.layouts
        for r in layout.per_rank
    ]
    return Table(f"{case.label}: time of each rank by kind", columns, rows, 1)


def bounds(case: CaseResult) -> Table | None:
    columns = ["layout", "phase", "limited by", "of its bound", "flop/s", "B/s", "flop/B", "shortest", "note"]
    rows = [_bound_row(layout, bound) for layout in case.layouts for bound in layout.bounds]
    return (
        Table(f"{case.label}: phases against the machine's bounds", columns, rows, 3, texts=("note",))
        if rows
        else None
    )


def _bound_row(layout: LayoutResult, bound) -> list[str]:
    def text(value: float | None, unit: str) -> str:
        return units.quantity(value, unit) if value is not None else "-"

    fraction = "-" if bound.fraction is None else units.percent(bound.fraction)
    cached = bound.limit == "memory bandwidth" and (layout.fits_in_cache or (bound.fraction or 0.0) > 1.0)
    return [
        layout.name,
        bound.phase,
        "cache" if cached else bound.limit.removesuffix(" bandwidth"),
        f"{fraction} of memory" if cached else fraction,
        text(bound.flop_rate, "flop/s"),
        text(bound.byte_rate, "B/s"),
        units.digits(bound.intensity) if bound.intensity is not None else "-",
        units.seconds(bound.bound_s) if bound.bound_s is not None else "-",
        bound.note,
    ]


_STEP = re.compile(r"\.|\[([^]]*)\]")


def machine(of: Machine) -> Table:
    """Every fact of the machine file with its keys, interval and source."""
    rows = []
    for path, fact in of.walk():
        about = fact.keys if fact.residual is None else fact.keys | {"residual": fact.residual}
        words = ", ".join(
            f"{name} {plain(value)}" for name, value in about.items() if not isinstance(value, dict | list)
        )
        rows.append(
            [
                _STEP.sub(lambda step: f" {step[1] or ''}", path),
                words,
                _value(fact),
                _interval(fact),
                fact.source or "",
            ]
        )
    columns = ["fact", "for", "value", "95 % interval", "source"]
    return Table("All facts of the machine file", columns, rows, 2, texts=("source",))


def _value(fact: Fact) -> str:
    value, unit = fact.value, fact.unit or ""
    if isinstance(value, str) or isinstance(value, bool) or not isinstance(value, int | float):
        return plain(value)
    return units.capacity(value) if unit == "B" else units.quantity(value, unit)


def _interval(fact: Fact) -> str:
    if not fact.has_interval:
        return ""
    return f"{_value(fact.with_value(fact.low))} to {_value(fact.with_value(fact.high))}"


def machine_short(of: Machine) -> Table:
    """The facts that people ask for first."""
    cores = of.cores or 1
    rows = []
    if model := of.value("processor", "model"):
        rows.append(["processor", str(model.value)])
    rows.append(["cores", str(cores)])
    for count in sorted({1, cores}):
        if peak := of.peak(count):
            rows.append(
                [f"arithmetic peak, {units.count(count, 'core')}", units.quantity(peak.value, "flop/s")]
            )
        if memory := of.bandwidth(count, write_allocate=False):
            value = f"{units.quantity(memory.value, 'B/s')} ({memory.name.replace('_', ' ')})"
            rows.append([f"memory bandwidth, {units.count(count, 'core')}", value])
    rows += _levels(of)
    for name in LEVELS:
        if latency := of.value("network", name, "latency"):
            rows.append([f"message latency, level {name}", units.seconds(latency.value)])
    return Table("The facts asked for first", ["fact", "value"], rows, 9)


def _levels(of: Machine) -> list[list[str]]:
    """A row for each level of the memory hierarchy of which something is known; a cache that one probe names and whose step the latency
    curve does not show has the capacity that the system reports."""
    unseen = {fact.keys["level"]: fact.value for fact in of.values("memory", "levels_not_seen")}
    rows = []
    for level in of.levels:
        parts = []
        if capacity := level.capacity or unseen.get(level.name):
            parts.append(units.capacity(capacity))
        if level.latency:
            parts.append(f"{units.seconds(level.latency)} a load")
        elif level.name in unseen:
            parts.append("no step of its own in the latency")
        if parts:
            rows.append([level.name, ", ".join(parts)])
    return rows


def forecasts(compared: list[Comparison]) -> Table | None:
    columns = ["program", "layout", "predicted", "interval", "measured", "error", "inside", "range"]
    rows = []
    for forecast in compared:
        measured, span = forecast.measured, forecast.predicted
        rows.append(
            [
                forecast.label,
                forecast.layout,
                units.seconds(span.value),
                units.seconds_range(span.low, span.high),
                units.seconds(measured.value) if measured else "not run yet",
                units.signed_percent(forecast.error) if measured else "",
                ("yes" if forecast.inside else "no") if measured else "",
                forecast.flag
                if forecast.factor is None
                else f"{forecast.flag}, {units.digits(forecast.factor, 2)} x",
            ]
        )
    marked = [forecast.inside is False for forecast in compared]
    return Table("Forecasts and the runs that met them", columns, rows, 2, marked) if rows else None


def forecast_phases(forecast: Comparison) -> Table:
    columns = ["phase", "kind", "predicted", "interval", "measured", "model"]
    rows = [
        [
            phase.name,
            phase.kind,
            units.seconds(phase.predicted.value),
            units.seconds_range(phase.predicted.low, phase.predicted.high),
            units.seconds(phase.measured_s) if phase.measured_s is not None else "",
            phase.model,
        ]
        for phase in forecast.phases
    ]
    return Table(f"{forecast.label} on {forecast.layout}, phase by phase", columns, rows, 2, texts=("model",))


FIXED = (
    "host",
    "cpu_model",
    "cpus_online",
    "memory_bytes",
    "kernel",
    "compiler",
    "compiler_flags",
    "mpi_library",
)


def environments(records: list[Record]) -> list[Table]:
    """One table for each distinct setting of the records; programs without MPI need no table of their own."""
    known = [record.environment for record in records if record.environment.known]
    parallel = [one for one in known if one.mpi_library not in (None, "none")]
    found = {tuple(str(getattr(one, name)) for name in FIXED): one for one in parallel or known}
    return [_environment(environment) for environment in found.values()]


def _environment(environment: Environment) -> Table:
    rows = [[name.replace("_", " "), _environment_value(name, getattr(environment, name))] for name in FIXED]
    rows.append(["caches", "; ".join(map(_cache, environment.caches)) or "not known"])
    rows += [[name, value] for name, value in sorted(environment.variables.items()) if value]
    return Table(f"Setting on {environment.host or 'an unnamed host'}", ["what", "value"], rows, 9)


def _environment_value(name: str, value: object) -> str:
    if value in (None, ""):
        return "not known"
    return units.capacity(value) if name == "memory_bytes" else str(value)


def _cache(cache: Cache) -> str:
    shared = f" shared by {cache.shared_by}" if cache.shared_by > 1 else ""
    return f"L{cache.level} {cache.type} {units.capacity(cache.bytes)}{shared}"


def launch_lines(records: list[Record]) -> list[str]:
    """Distinct launch lines, as the starter noted them in the records' context."""
    return list(dict.fromkeys(line for record in records if (line := record.launch_line)))
