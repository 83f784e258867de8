"""The answer of ``hakaru mix`` in a terminal."""

from collections.abc import Sequence
from pathlib import Path

from hakaru.base import units
from hakaru.base.tables import print_table
from hakaru.facts.forecasts import Span
from hakaru.foretell.mix.answer import Figures, MixResult, Ratio, WhatIf
from hakaru.foretell.mix.ask import Answered
from hakaru.foretell.mix.placing import bars
from hakaru.foretell.mix.simulate import POLICIES
from hakaru.tell.mix import gantt

COLUMNS = 64
SAME = 5e-4  # of ratios: less is not shown


def show(found: Answered, page: Path | None, by: str = "time") -> None:
    """``by``: what the table of what-ifs is ordered by."""
    result = found.result
    print(headline(result))
    for name, text in figures(result.figures):
        print(f"  {name:<22}{text}")
    if result.power_source:
        print(f"  {'':<22}by {result.power_source}")
    for why in dict.fromkeys(order.unavailable for order in result.orders or () if order.unavailable):
        print(f"  {'energy':<22}not available ({why})")
    print()
    _show_schedule(found)
    _show_kinds(result)
    show_what_if(result, by)
    for line in orders(result):
        print(line)
    for note in result.notes:
        print(f"note: {note}")
    print(basis(result))
    if page:
        print(f"page: {page}")


def headline(result: MixResult) -> str:
    what = f"{units.count(result.jobs, 'job')} on {units.count(result.nodes, 'node')} of {units.count(result.cores, 'core')}"
    return f"{result.name}: {what}, {POLICIES[result.policy]}" + (" (nodes shared)" if result.shared else "")


def basis(result: MixResult) -> str:
    if result.draws == 1:
        return "all times are known, so there is one answer and no interval"
    return f"medians of {result.draws} draws (seed {result.seed}); 95 of 100 lie in the intervals"


def figures(found: Figures) -> list[tuple[str, str]]:
    """Name and value of everything that is said of a mix."""
    rows = [
        ("makespan", units.seconds_interval(found.makespan_s)),
        ("throughput", f"{interval(found.jobs_per_hour)} jobs per hour"),
        ("utilisation", f"{_percent(found.utilisation)}"),
        ("mean wait", units.seconds_interval(found.mean_wait_s)),
        ("95 of 100 wait up to", units.seconds_interval(found.wait_95_s)),
        ("longest wait", units.seconds_interval(found.longest_wait_s)),
        ("bounded slow-down", interval(found.bounded_slowdown)),
        ("node-hours", interval(found.node_hours)),
    ]
    if found.ended_at_limit.high:
        rows.append(("ended at their limit", _count(found.ended_at_limit)))
    if found.energy_j is not None:
        rows.append(("energy", joules(found.energy_j)))
    return rows


def interval(found: Span) -> str:
    if found.low == found.high:
        return units.digits(found.value)
    return f"{units.digits(found.value)} ({units.digits(found.low)} to {units.digits(found.high)})"


def _count(found: Span) -> str:
    few = f"{found.value:.0f}"
    return f"{few} jobs" if found.low == found.high else f"{few} ({found.low:.0f} to {found.high:.0f}) jobs"


def joules(found: Span) -> str:
    if found.low == found.high:
        return units.quantity(found.value, "J")
    low, high = units.quantity(found.low, "J"), units.quantity(found.high, "J")
    return f"{units.quantity(found.value, 'J')} ({low} to {high})"


def _percent(found: Span) -> str:
    if found.low == found.high:
        return units.percent(found.value)
    return f"{units.percent(found.value)} ({units.percent(found.low)} to {units.percent(found.high)})"


def _show_schedule(found: Answered) -> None:
    result = found.result
    outcome = found.scenario.played(result.shown_draw)
    drawn = bars(outcome, result.nodes, result.cores)
    begin_s, end_s = float(outcome.jobs.submit_s.min()), float(outcome.end_s.max())
    if not drawn or end_s <= begin_s:
        return
    print("    nodes  time from left to right; each letter is a kind of jobs")
    for line in gantt.lines(drawn, result.nodes, begin_s, end_s, COLUMNS):
        print(line)
    print(f"{'':>10}0{units.seconds(end_s - begin_s):>{COLUMNS - 1}}\n")


def _show_kinds(result: MixResult) -> None:
    if not result.kinds:
        return
    rows = [
        [
            gantt.letter(number),
            kind.name,
            str(kind.count),
            str(kind.nodes),
            units.seconds(kind.limit_s),
            units.seconds_interval(kind.run_s),
            units.seconds_interval(kind.wait_s),
        ]
        for number, kind in enumerate(result.kinds)
    ]
    columns = ["", "jobs", "count", "nodes", "limit", "mean time", "mean wait"]
    print_table("Kinds of jobs", columns, rows, right=(2, 3, 4))


def show_what_if(result: MixResult, by: str = "time") -> None:
    if result.what_if:
        print_table("What if", WHAT_IF_COLUMNS, what_if_rows(result, by))


def orders(result: MixResult) -> list[str]:
    """For time, node-hours and joules a line: what takes least, then each other with how many times as much."""
    if not result.what_if:
        return []
    lines = []
    for order in result.orders or ():
        if not order.places:
            lines.append(f"least {order.by}: not available")
            continue
        first, *others = order.places
        told = [f"{one.name} {_ratio(one.times)} times{'' if one.sure else ' (not sure)'}" for one in others]
        lines.append(f"least {order.by}: {first.name}; then {', '.join(told)}")
    return lines


def _ordered(result: MixResult, by: str) -> list[WhatIf]:
    """As they were asked where nobody can say what they take."""
    names = [place.name for order in result.orders or () if order.by == by for place in order.places]
    return sorted(result.what_if, key=lambda one: names.index(one.name) if one.name in names else 0)


WHAT_IF_COLUMNS = ("", "makespan", "mean wait", "makespan times", "wait times", "energy times")


def what_if_rows(result: MixResult, by: str = "time") -> list[list[str]]:
    return [
        [
            one.name,
            units.seconds(one.figures.makespan_s.value),
            units.seconds(one.figures.mean_wait_s.value),
            *map(_ratio, (one.makespan, one.mean_wait, one.energy)),
        ]
        for one in _ordered(result, by)
    ]


def _ratio(found: Ratio | None) -> str:
    if found is None:
        return "-"
    if found.high - found.low < SAME:
        return units.digits(found.value)
    return f"{units.digits(found.value)} ({units.digits(found.low)} to {units.digits(found.high)})"


def what_it_buys(result: MixResult) -> Sequence[str]:
    """Each what-if in a sentence; nothing is called better or worse where the interval holds both."""
    found = []
    for one in result.what_if:
        ratio = one.makespan
        if ratio is None:
            continue
        if ratio.high - ratio.low < SAME and abs(ratio.value - 1.0) < SAME:
            found.append(f"{one.name}: the makespan is the same.")
        elif ratio.low <= 1.0 <= ratio.high:
            found.append(
                f"{one.name}: whether the makespan changes is not sure: {_ratio(ratio)} times what it is."
            )
        else:
            word = "shorter" if ratio.high < 1.0 else "longer"
            found.append(f"{one.name}: the makespan is {units.percent(abs(1.0 - ratio.value))} {word}.")
    return found
