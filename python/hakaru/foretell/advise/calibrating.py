"""Short runs of the program here, so that computing is priced by what it takes and not by its bound: launches of all thread counts in turn."""

import math
from collections.abc import Callable, Sequence

from hakaru.base import units
from hakaru.base.errors import UserError
from hakaru.base.topology import usable_cores
from hakaru.facts import programs
from hakaru.facts.machines import Machine
from hakaru.facts.records import RecordStore
from hakaru.facts.work import Parameters, Work
from hakaru.foretell.advise import caches
from hakaru.foretell.advise.candidates import Candidate
from hakaru.foretell.replay import compute
from hakaru.foretell.replay.levels import Told
from hakaru.foretell.replay.placement import Placement
from hakaru.run.campaign.execute import perform
from hakaru.run.campaign.plan import Layout, Point

AUTOMATIC = "auto"
SHORTER = 5  # times fewer repeats of the work, where a run must have the size asked for,
LEAST_S = 0.05  # but not shorter than this on a core by its roofline: ranks out of step at the start would count as work, and launching takes longer
PROPORTIONAL = 0.01
LAUNCHES = 5
REPETITIONS = 3
TIMEOUT_S = 120.0


def layouts_to_run(wanted: Sequence[Candidate], cores: int) -> list[Layout]:
    """For each number of threads that fits here, as many ranks as fill the cores, but no more than any candidate has."""
    result = []
    for threads in sorted({one.threads for one in wanted if one.threads <= cores}):
        most = max(one.ranks for one in wanted if one.threads == threads)
        for ranks in sorted({1, min(cores // threads, most)}):
            result.append(Layout(ranks, threads))
    return result


def runs(wanted: Sequence[Candidate], cores: int) -> list[tuple[Layout, Parameters]]:
    """These layouts with the program's own way of communicating, and candidates that fit here as they are."""
    result = [(layout, {}) for layout in layouts_to_run(wanted, cores)]
    for one in wanted:
        pair = (Layout(one.ranks, one.threads), dict(one.parameters))
        if one.nodes == 1 and one.ranks * one.threads <= cores and pair not in result:
            result.append(pair)
    return result


def short_runs(
    program: str,
    given: Parameters,
    asked: Sequence[str],
    machine: Machine | None,
    say: Callable[[str], None],
) -> Parameters:
    """Parameters of the short runs: those asked for where a cache of this machine serves their working set as it serves that of the wanted run;
    else, and for ``auto``, the wanted size with fewer repeats of its work, where the program has a parameter for them."""
    fewer = repeats(program, given, machine)
    if list(asked) == [AUTOMATIC]:
        if fewer is None:
            raise UserError(
                f"no parameter of {program} makes its work shorter at the same size",
                f"--calibrate {AUTOMATIC} looks for one",
                "give parameters of a smaller run",
            )
        return dict(given) | fewer
    own = dict(given) | programs.parse_assignments(list(asked))
    sets = [caches.of_run(programs.named(program).work(one, 1, 1)) for one in (own, given)]
    cache = caches.changing(*sets, machine)
    if cache is None:
        return own
    words = f"{cache} serves {' '.join(asked)} ({units.capacity(sets[0].node_bytes)}) unlike the run asked for ({units.capacity(sets[1].node_bytes)})"
    if fewer is None:
        say(
            f"{words}, so that its computing may take another time; {program} has no parameter for a shorter run of that size"
        )
        return own
    say(f"{words}: calibrating with {' '.join(programs.assignments(fewer))} at its size instead")
    return dict(given) | fewer


def repeats(program: str, given: Parameters, machine: Machine | None = None) -> dict[str, int] | None:
    """The whole-number parameter that multiplies all work and changes neither size nor memory, such as a number of steps, made smaller
    where the run is not short already."""
    described = programs.named(program).describe(dict(given), 1, 1)
    whole = described.evaluated
    for entry in described.parameters:
        value = whole.parameters.get(entry.name)
        if entry.type != "integer" or int(value) < 2:
            continue
        fewer = -(-int(value) // SHORTER)
        try:
            part = programs.named(program).work(dict(given) | {entry.name: fewer}, 1, 1)
        except UserError:
            continue
        same = (part.size, part.memory_bytes) == (whole.size, whole.memory_bytes)
        if same and not part.refused and _multiplies(part, whole, int(value) / fewer):
            bound_s = _bound_s(whole, machine)
            least = math.ceil(LEAST_S * int(value) / bound_s) if bound_s else 1
            return {entry.name: min(int(value), max(fewer, least))}
    return None


def _bound_s(whole: Work, machine: Machine | None) -> float | None:
    """Of what ``describe`` says of one rank and thread, on a core: each phase at its peak or its bandwidth. None when the machine does not say."""
    if machine is None:
        return None
    try:
        rates = compute.rates(machine, Placement(1, 1, None, 1, 1), 1, Told())
    except UserError:
        return None
    return sum(max(one.flops / rates.flops_per_s, one.bytes / rates.bytes_per_s) for one in whole.phases)


def _multiplies(part: Work, whole: Work, times: float) -> bool:
    """Whether all work is so many times that of the part, but for phases that are the same in both: what a run does once."""
    once = sum(one.bytes + one.flops for one in part.phases if one == whole.phase(one.phase))
    more = part.amount - once
    return more > 0.0 and abs((whole.amount - once) / more / times - 1.0) < PROPORTIONAL


def run(
    program: str,
    parameters: Parameters,
    wanted: Sequence[Candidate],
    store: RecordStore,
    say: Callable[[str], None],
    launches: int = LAUNCHES,
) -> None:
    """Launches interleaved; their records go to the store. Raises UserError when none of a layout's launches succeeds."""
    store.prepare()
    points: list[Point] = []
    for layout, own in runs(wanted, usable_cores()):
        described = programs.named(program).work(dict(parameters) | own, layout.ranks, layout.threads)
        point = Point(program, "run", tuple(sorted(described.parameters.items())), layout, 1, REPETITIONS, 1)
        if not described.refused and point not in points:
            points.append(point)
    failures: dict[Layout, str] = {}
    good: set[Layout] = set()
    for _ in range(launches):
        for point in points:
            say(f"calibrating: {program} on {point.layout.ranks} x {point.layout.threads}")
            record = perform(point, store, None, None, TIMEOUT_S)
            if record.ok:
                good.add(point.layout)
            else:
                failures[point.layout] = record.failure.reason[:200]
    for layout, reason in failures.items():
        if layout not in good:
            raise UserError(
                f"{program} does not run on {layout.ranks} x {layout.threads} here",
                reason,
                "give other --calibrate parameters",
            )
