"""What a measured program gave: a row for each point, what the tracer cost, what failed, and what to ask next."""

from collections import Counter
from collections.abc import Sequence
from statistics import median
from typing import Any

from hakaru.base import units
from hakaru.base.last_words import last_words
from hakaru.base.statistics import Interval, median_interval
from hakaru.base.tables import print_table
from hakaru.facts import programs
from hakaru.facts.records import Record
from hakaru.facts.records.energies import energies
from hakaru.facts.records.record import Check
from hakaru.facts.records.shares import shared
from hakaru.run.campaign.runner import Outcome, PointState
from hakaru.tell.measured import inside

WRONG_SHOWN = 5
CHANGED_SHOWN = 5


def samples(state: PointState) -> list[Record]:
    """Of a point: the right ones that were not traced where there are any, with the shares of those that were."""
    return shared([record for record in state.good if not record.disproved])


def wrong(outcome: Outcome) -> list[Record]:
    """Launches that ended well with a wrong result."""
    return [record for record in outcome.records if record.disproved]


def time_of(state: PointState) -> Interval | None:
    times = [record.wall_s for record in samples(state) if record.wall_s is not None]
    return median_interval(times) if times else None


def memory_of(state: PointState) -> tuple[float, float] | None:
    """Largest resident set of a rank and of a node in B, the median over launches."""
    known = [record for record in state.good if record.memory]
    if not known:
        return None
    ranks = median(max(record.memory.rank_peak_bytes) for record in known)
    nodes = median(
        record.memory.node_peak_bytes([one.host for one in record.layout.binding]) for record in known
    )
    return ranks, nodes


def parts_of(state: PointState) -> dict[str, float]:
    """Share of each phase in the time, largest first."""
    found: dict[str, list[float]] = {}
    for record in samples(state):
        for repetition in record.repetitions:
            total = repetition.wall_s * len(repetition.rank_s)
            for name in record.phase_kinds():
                found.setdefault(name, []).append(sum(repetition.rank_times(name)) / total)
    shares = {name: median(values) for name, values in found.items()}
    return dict(sorted(shares.items(), key=lambda one: -one[1]))


def tracing_cost(states: Sequence[PointState]) -> float | None:
    """How much longer traced launches took, the median over points; None where there is nothing to compare."""
    ratios = []
    for state in states:
        traced = [record.wall_s for record in state.good if record.traced and record.wall_s]
        others = [record.wall_s for record in state.good if not record.traced and record.wall_s]
        if traced and others:
            ratios.append(median(traced) / median(others) - 1.0)
    return median(ratios) if ratios else None


def as_dict(program: programs.Program, outcome: Outcome) -> dict[str, Any]:
    return {
        "program": program.name,
        "campaign": outcome.campaign,
        "complete": outcome.complete,
        "points": [_point(state) for state in outcome.states],
        "tracing_cost": tracing_cost(outcome.states),
        "notes": outcome.notes,
        "failures": [{"id": one.id, "reason": one.failure.reason} for one in outcome.failures],
        "wrong": [{"id": one.id, "checks": _wrong_checks(one)} for one in wrong(outcome)],
    }


def _point(state: PointState) -> dict[str, Any]:
    time, memory = time_of(state), memory_of(state)
    return {
        "parameters": dict(state.point.parameters),
        "ranks": state.point.layout.ranks,
        "threads": state.point.layout.threads,
        "launches": len(state.good),
        "time_s": time and {"value": time.value, "low": time.low, "high": time.high},
        "rank_peak_bytes": memory and memory[0],
        "node_peak_bytes": memory and memory[1],
        "phases": parts_of(state),
        "energy": energies(state.good).as_dict(),
    }


def show(program: programs.Program, outcome: Outcome) -> None:
    columns = ["run", "launches", "time", "95 % interval", "peak of a rank", "most of it in"]
    varied = _varied(outcome)
    rows = [_row(state, varied) for state in outcome.states]
    print_table(f"{program.name} measured", columns, rows, right=(2, 3, 4))
    inside.show(outcome.records)
    cost = tracing_cost(outcome.states)
    if cost is not None:
        print(
            f"Launches with the tracer took {units.signed_percent(cost)}; they say where the time goes, not how long it takes."
        )
    for reason in dict.fromkeys(_not_traced(outcome)):
        print(f"Not traced: {reason}.")
    _show_energies(outcome, varied)
    for note in [*outcome.notes, *_changed(outcome)]:
        print(f"note: {note}")
    _show_failures(outcome)
    _show_wrong(wrong(outcome))
    if outcome.complete and not wrong(outcome):
        print(f"Next: hakaru predict {program.name} {_larger(outcome)}")


def _show_energies(outcome: Outcome, varied: set[str]) -> None:
    """Of a launch of each point; what several say alike is said once."""
    said: dict[str, list[str]] = {}
    for state in outcome.states:
        if state.good:
            said.setdefault(energies(state.good).words, []).append(_row(state, varied)[0])
    for words, runs in said.items():
        print(f"Energy of a launch{f' ({runs[0]})' if len(said) > 1 else ''}: {words}.")


def _varied(outcome: Outcome) -> set[str]:
    """Names of the parameters in which points differ."""
    seen: dict[str, set] = {}
    for state in outcome.states:
        for name, value in state.point.parameters:
            seen.setdefault(name, set()).add(value)
    return {name for name, values in seen.items() if len(values) > 1}


def _row(state: PointState, varied: set[str]) -> list[str]:
    time, memory, parts = time_of(state), memory_of(state), parts_of(state)
    words = programs.assignments({name: value for name, value in state.point.parameters if name in varied})
    most = next(iter(parts), None)
    bad = sum(record.disproved for record in state.good)
    return [
        " ".join([*words, str(state.point.layout)]),
        f"{len(state.good)} of {state.point.repeats}" + (f", {bad} wrong" if bad else ""),
        units.seconds(time.value) if time else "none",
        units.seconds_range(time.low, time.high) if time and time.low < time.high else "",
        units.capacity(memory[0]) if memory else "",
        f"{most} {units.percent(parts[most])}" if most else "",
    ]


def _changed(outcome: Outcome) -> list[str]:
    """The program's files that a launch changed: the next one may have run another problem."""
    found = [record.context.get("program", {}).get("changed", []) for record in outcome.records]
    names = sorted({name for names in found for name in names})
    if not names:
        return []
    shown = ", ".join(names[:CHANGED_SHOWN]) + (" ..." if len(names) > CHANGED_SHOWN else "")
    return [
        f"{units.count(sum(map(bool, found)), 'launch', 'launches')} changed files that were there before: {shown}; if the program reads "
        "them, name them as [[inputs]] in a program file: each launch then gets its own copy"
    ]


def _not_traced(outcome: Outcome) -> list[str]:
    told = (record.context.get("program", {}).get("not_traced") for record in outcome.records)
    return [reason for reason in told if reason]


def _wrong_checks(record: Record) -> list[str]:
    return [_told(check) for check in record.checks if not check.passed]


def _told(check: Check) -> str:
    found = "nothing" if check.value is None else f"{check.value:g}"
    return check.name + (f" gave {found}, not {check.reference:g}" if check.reference is not None else "")


def _show_wrong(records: Sequence[Record]) -> None:
    """Each check once with what it found, and how often it did."""
    said = Counter(told for record in records for told in _wrong_checks(record))
    for told, times in said.most_common(WRONG_SHOWN):
        print(f"WRONG: {units.count(times, 'launch', 'launches')}: {told}; their times are left out")


def _show_failures(outcome: Outcome) -> None:
    reasons: dict[str, list[Record]] = {}
    for record in outcome.failures:
        reasons.setdefault(record.failure.reason, []).append(record)
    for reason, records in reasons.items():
        print(f"failed: {units.count(len(records), 'launch', 'launches')}: {reason}")
        if text := last_words(records[0].failure.standard_error):
            print(f"        it said: {text}")
    if reasons:
        print("hakaru records --failed shows everything that they said")


def _larger(outcome: Outcome) -> str:
    """A question that the measured points can answer: twice the largest of each size."""
    last = max(outcome.states, key=lambda state: state.point.work().size or 0.0).point
    described = programs.named(last.program).file
    words = []
    for name, value in last.parameters:
        if described.parameters[name].role == "size":
            words.append(f"{name}={2 * value:g}" if isinstance(value, int | float) else f"{name}={value}")
    ranks = f" --ranks {last.layout.ranks}" if last.layout.ranks > 1 else ""
    return " ".join(words) + ranks
