"""What spoiled or may have spoiled the measurements: failures, noise, binding, too few launches."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from hakaru.base import units
from hakaru.facts.records import Record
from hakaru.facts.records.groups import Group
from hakaru.facts.records.record import layout_name

ENOUGH_LAUNCHES = 5
WIDE = 0.10
STEAL = 0.01
SWITCHES_PER_SECOND = 100.0


@dataclass(frozen=True)
class Finding:
    """One thing that weakens the figures; ``severity`` is ``bad`` (do not trust) or ``mind`` (wider
    intervals, bias).
    """

    severity: str
    title: str
    detail: str
    what_to_do: str
    records: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Failure:
    """A run that failed or whose result was wrong; it stays visible with its standard error."""

    id: str
    program: str
    command: str
    parameters: dict
    layout: str
    reason: str
    exit_code: int | None
    standard_error: str


def failures(records: Iterable[Record]) -> list[Failure]:
    return sorted(
        (_failure(record) for record in records if not record.ok or record.disproved),
        key=lambda failure: failure.id,
    )


def _failure(record: Record) -> Failure:
    wrong = [f"{check.name}: {check.reason or check.value}" for check in record.checks if not check.passed]
    failure = record.failure
    return Failure(
        record.id,
        record.program,
        record.command,
        record.parameters,
        layout_name(record.ranks, record.threads),
        (failure.reason if failure else "") or "; ".join(wrong) or "verification failed",
        failure.exit_code if failure else None,
        failure.standard_error if failure else "",
    )


def findings(records: list[Record], groups: list[Group]) -> list[Finding]:
    """Everything worth saying, the worst first."""
    checks = (_failed, _wrong, _oversubscribed, _binding, _steal, _switches, _load, _faults)
    found = [finding for check in checks if (finding := check(records))]
    found += [finding for check in (_few, _wide) if (finding := check(groups))]
    return sorted(found, key=lambda finding: finding.severity != "bad")


def _ids(records: Iterable[Record]) -> list[str]:
    return [record.id for record in records]


def _failed(records: list[Record]) -> Finding | None:
    hit = [record for record in records if not record.ok]
    if not hit:
        return None
    title = f"{units.count(len(hit), 'run')} failed"
    return Finding(
        "bad",
        title,
        "hakaru records --failed shows everything that they said",
        "mend the cause and run again",
        _ids(hit),
    )


def _wrong(records: list[Record]) -> Finding | None:
    hit = [record for record in records if record.ok and record.disproved]
    if not hit:
        return None
    names = sorted({record.program for record in hit})
    detail = f"results of {', '.join(names)} did not pass their checks; those times are left out"
    return Finding(
        "bad", f"{units.count(len(hit), 'result')} wrong", detail, "do not use this build", _ids(hit)
    )


def _oversubscribed(records: list[Record]) -> Finding | None:
    hit = [record for record in records if record.layout.oversubscribed]
    if not hit:
        return None
    return Finding(
        "bad",
        f"{units.count(len(hit), 'run')} oversubscribed",
        "more ranks x threads than cores took turns on the cores; the times are marked",
        "use such runs for correctness only",
        _ids(hit),
    )


def _binding(records: list[Record]) -> Finding | None:
    hit = [record for record in records if record.layout.binding_problems]
    if not hit:
        return None
    problems = sorted({problem for record in hit for problem in record.layout.binding_problems})
    more = f" (and {len(problems) - 3} more)" if len(problems) > 3 else ""
    advice = "give ranks and threads cores of their own (OMP_PROC_BIND=close, mpirun --bind-to core)"
    title = f"binding not as it should be in {units.count(len(hit), 'run')}"
    return Finding("mind", title, "; ".join(problems[:3]) + more, advice, _ids(hit))


def _rates(records: list[Record], key: str) -> list[tuple[Record, float]]:
    """Records with the environment's ``key`` per second of their duration."""
    return [
        (record, amount / record.duration_s)
        for record in records
        if (amount := getattr(record.environment, key)) is not None and record.duration_s > 0.0
    ]


def _steal(records: list[Record]) -> Finding | None:
    hit = [(record, rate) for record, rate in _rates(records, "steal_s") if rate > STEAL]
    if not hit:
        return None
    worst = units.percent(max(rate for _, rate in hit))
    title = f"the hypervisor took time away in {units.count(len(hit), 'run')}"
    detail = f"at worst {worst} of one core's time (steal)"
    return Finding(
        "mind",
        title,
        detail,
        "repeat at a quieter hour, or on a machine of your own",
        _ids(r for r, _ in hit),
    )


def _switches(records: list[Record]) -> Finding | None:
    hit = [pair for pair in _rates(records, "involuntary_switches") if pair[1] > SWITCHES_PER_SECOND]
    if not hit:
        return None
    worst = max(rate for _, rate in hit)
    title = f"other work pushed {units.count(len(hit), 'run')} off the cores"
    detail = f"at worst {worst:.0f} involuntary context switches a second"
    return Finding(
        "mind", title, detail, "stop other programs, or leave one core to the system", _ids(r for r, _ in hit)
    )


def _load(records: list[Record]) -> Finding | None:
    hit = []
    for record in records:
        load, online = record.environment.load_average, record.environment.cpus_online
        if load and online and load[0] > 1.25 * online:
            hit.append((record, load[0]))
    if not hit:
        return None
    detail = f"load average up to {max(load for _, load in hit):.1f} before a run"
    title = f"the machine was already busy before {units.count(len(hit), 'run')}"
    return Finding("mind", title, detail, "stop other programs and repeat", _ids(r for r, _ in hit))


def _faults(records: list[Record]) -> Finding | None:
    hit = [record for record in records if (record.environment.major_faults or 0) > 100]
    if not hit:
        return None
    title = f"pages were read from disk in {units.count(len(hit), 'run')}"
    detail = f"up to {max(record.environment.major_faults for record in hit)} major page faults"
    return Finding("mind", title, detail, "use a smaller problem or free memory", _ids(hit))


def _few(groups: list[Group]) -> Finding | None:
    hit = [group for group in groups if len(group.records) < ENOUGH_LAUNCHES]
    if not hit:
        return None
    fewest = min(len(group.records) for group in hit)
    title = f"{units.count(len(hit), 'layout')} with fewer than {ENOUGH_LAUNCHES} launches"
    detail = f"as few as {fewest}; the interval is then the whole range and covers less than 95 %"
    return Finding("mind", title, detail, "repeat the campaign; finished runs are kept and added to")


def _wide(groups: list[Group]) -> Finding | None:
    hit = []
    for group in groups:
        wall = group.wall()
        if wall.relative_width > WIDE:
            hit.append(wall.relative_width)
    if not hit:
        return None
    title = f"{units.count(len(hit), 'layout')} with an interval wider than {units.percent(WIDE)}"
    return Finding("mind", title, f"the widest is {units.percent(max(hit))} of its median", "add repeats")
