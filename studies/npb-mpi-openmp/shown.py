"""Tables and sentences of the page."""

from hakaru.base import units
from hakaru.studies.conclusions import geometric_mean
from hakaru.studies.result import Section

from .cases import Case
from .pricing import FASTER, ONE_MEMORY, ROOFLINE, SLOWER

NONE, CLOSE = "cannot run", "too close to call"
KINDS = ("all threads", "a mix", "one rank a core")
EVEN = 0.05  # within it nothing is called


def ratios_section(cases: list[Case]) -> Section:
    words = [
        "Time of a layout (ranks x threads) over that of all cores as threads of one rank: above 1 threads are faster.",
        "Slower, faster: the same if computing takes three times what the roofline says, or a third; "
        "one memory: if the threads' data lie in one memory node.",
    ]
    columns = [
        "program",
        "machine",
        "cores",
        "one rank a core",
        "slower",
        "faster",
        "one memory",
        "mixes",
        "fastest",
    ]
    return Section("Ratio of times, MPI over OpenMP", words, [], columns, [_ratios(case) for case in cases])


def _ratios(case: Case) -> list[str]:
    if case.flat in case.refused:
        flat = [NONE, "", "", ""]
    else:
        flat = [_times(case.ratio(case.flat, way)) for way in (ROOFLINE, SLOWER, FASTER, ONE_MEMORY)]
    mixes = [f"{one}: {_times(case.ratio(one))}" for one in case.layouts if one != case.flat]
    return [case.program, case.node.machine, str(case.node.cores), *flat, ", ".join(mixes), str(case.fastest)]


def parts_section(cases: list[Case]) -> Section:
    words = [
        "Messages: share of the flat run's time that free messages would save. Computing: the flat ranks' time of it over the threads'. "
        "Uneven ranks: the most planes of a rank over the mean.",
        "Regions: share of the threads' time that starts and joins teams. Copies: share in which one thread copies what ranks would send. "
        "Uneven threads: the longest thread's loops over the mean.",
        "Break even: what a level of a team's tree may cost until both take as long; below nothing ranks are ahead whatever it costs.",
    ]
    columns = [
        "program",
        "machine",
        "cores",
        "one rank a core",
        "threads",
        "messages",
        "uneven ranks",
        "regions",
    ]
    lines = [_parts(case) for case in cases]
    return Section(
        "Where the time goes", words, [], [*columns, "copies", "uneven threads", "break even"], lines
    )


def _parts(case: Case) -> list[str]:
    team = case.found[case.team, ROOFLINE]
    own = [units.percent(team.forks_s / team.time_s), units.percent(team.copies), f"{team.imbalance:.2f}"]
    start = [case.program, case.node.machine, str(case.node.cores)]
    if case.flat in case.refused:
        return [*start, NONE, units.seconds(team.time_s), "", "", "", *own, ""]
    flat = case.found[case.flat, ROOFLINE]
    times = [units.seconds(flat.time_s), units.seconds(team.time_s)]
    even_s = case.break_even_s
    shown = units.seconds(even_s) if even_s > 0.0 else "below nothing"
    return [
        *start,
        *times,
        units.percent(case.messages),
        _times(case.computing),
        f"{case.uneven_ranks:.2f}",
        *own,
        shown,
    ]


def cannot(cases: list[Case]) -> Section:
    lines = [
        [case.program, case.node.machine, str(layout), why]
        for case in cases
        for layout, why in case.refused.items()
    ]
    return Section("What cannot run", [], [], ["program", "machine", "layout", "why"], lines)


def summary(cases: list[Case]) -> list[str]:
    told = []
    for program in dict.fromkeys(case.program for case in cases):
        own = [case for case in cases if case.program == program]
        ran = [case for case in own if case.flat not in case.refused]
        told.append(f"{program}: {_program(ran)}{_refused(own, ran)}")
    return [*told, fastest(cases)]


def fastest(cases: list[Case]) -> str:
    """How often each kind of layout is the fastest, by more than is worth naming."""
    counts = dict.fromkeys((*KINDS, CLOSE), 0)
    for case in cases:
        counts[fastest_kind(case)] += 1
    told = ", ".join(f"{kind} {count}" for kind, count in counts.items())
    return f"Fastest of {units.count(len(cases), 'case')}: {told}."


def fastest_kind(case: Case) -> str:
    """CLOSE where the next kind is within EVEN."""
    best: dict[str, float] = {}
    for (layout, way), found in case.found.items():
        if way == ROOFLINE:
            kind = KINDS[0 if layout == case.team else 2 if layout == case.flat else 1]
            best[kind] = min(found.time_s, best.get(kind, found.time_s))
    first, *others = sorted(best, key=best.__getitem__)
    return CLOSE if others and best[others[0]] <= (1.0 + EVEN) * best[first] else first


def _program(ran: list[Case]) -> str:
    if not ran:
        return "one rank a core runs nowhere"
    ratios = [case.ratio(case.flat) for case in ran]
    mean = geometric_mean(ratios)
    messages = [case.messages for case in ran]
    computing = [case.computing for case in ran]
    return (
        f"one rank a core takes {_between(ratios)} times as long as threads (geometric mean {_times(mean)}), "
        f"{verdict(mean)}; messages are {units.percent(min(messages))} to {units.percent(max(messages))} of its time, "
        f"and it computes {_between(computing)} times as long"
    )


def _between(values: list[float]) -> str:
    return f"{_times(min(values))} to {_times(max(values))}"


def _refused(own: list[Case], ran: list[Case]) -> str:
    missing = len(own) - len(ran)
    return f"; on {units.count(missing, 'node')} of {len(own)} it cannot run" if missing else ""


def verdict(ratio: float) -> str:
    if abs(ratio - 1.0) <= EVEN:
        return "no difference worth naming"
    return "threads are faster" if ratio > 1.0 else "ranks are faster"


def _times(ratio: float) -> str:
    return f"{ratio:.2f}" if ratio < 99.5 else f"{ratio:.0f}"
