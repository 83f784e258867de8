"""From schedules at a few numbers of ranks and sizes to the schedule at others."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from hakaru.base.errors import UserError
from hakaru.facts.schedules import Schedule
from hakaru.facts.schedules.schedule import members
from hakaru.foretell.extrapolate import generate, places, seconds
from hakaru.foretell.extrapolate.assumed import assumed, require_seen
from hakaru.foretell.extrapolate.folding import fold
from hakaru.foretell.extrapolate.grids import LINE, Grid
from hakaru.foretell.extrapolate.groups import communicators, grid_of
from hakaru.foretell.extrapolate.hidden import with_hidden, without_aliases
from hakaru.foretell.extrapolate.items import Item, Loop, Op, of_rank
from hakaru.foretell.extrapolate.lists import Members
from hakaru.foretell.extrapolate.refusals import Refused
from hakaru.foretell.extrapolate.solve import Solved, Solver, Source, cost_of_grid, grids_by_cost, laws_of
from hakaru.foretell.extrapolate.template import Node, Runs, Sequences, link, merge, walk

TRIED = 3  # arrangements of ranks for which the program is aligned anew


@dataclass(frozen=True)
class Given:
    """A run: its schedule, and the sizes of its problem, as far as they were said."""

    schedule: Schedule
    sizes: Mapping[str, float]
    name: str


@dataclass(frozen=True)
class Extrapolated:
    """``assumed``: what was taken for granted, in words; ``computing``: the law of each part of the computing with its share and error."""

    schedule: Schedule
    grid: Grid
    assumed: tuple[str, ...]
    computing: tuple[tuple[str, float, seconds.SecondsLaw], ...]
    solved: tuple[Solved, ...]


def extrapolate(given: Sequence[Given], ranks: int, sizes: Mapping[str, float]) -> Extrapolated:
    """The schedule on so many ranks with these sizes. Raises UserError naming the place where no law was found."""
    target = Source(ranks, {**_common(given), **sizes})
    _require(given, target)
    sources = [
        Source(one.schedule.ranks, {k: v for k, v in one.sizes.items() if k in target.sizes}) for one in given
    ]
    sequences = _sequences(given)
    grid, nodes = _arranged(sequences, sources, _tagged(given, sequences))
    link(nodes)
    if grid is LINE:
        grid = grid_of([one.schedule for one in given]) or LINE
    sources, target = with_hidden(nodes, sources, target)
    sources, target = without_aliases(sources, target)
    try:
        if grid.extents(ranks) is None:
            raise UserError(
                f"{ranks} ranks do not make {grid.name}", "the traces do", "choose another number of ranks"
            )
        solver = Solver(sources, grid)
        solver.asked = ranks
        solver.members = [Members(one.schedule.communicators, one.schedule.ranks) for one in given]
        solver.tell_directions(nodes, list(sequences))
        solver.solve(nodes, list(sequences))
        solver.messages_known = True
        solved = solver.solve(nodes, list(sequences))
    except Refused as refused:
        raise places.refusal(refused, nodes, [one.name for one in given]) from None
    require_seen(solved, sources, target, grid)
    computing = _computing(solved, solver)
    laws = {one: law for one, (_, law) in computing.items()}
    first = given[0].schedule
    frame = generate.Frame(
        first.program,
        _described(given, target),
        first.phases,
        communicators([one.schedule for one in given], ranks),
    )
    made = generate.schedule(solved, target, frame, laws)
    names = places.places(nodes)
    shares = tuple((names[one.node], share, law) for one, (share, law) in computing.items())
    return Extrapolated(
        made, grid, tuple(assumed(solved, names, sources, target, grid)), shares, tuple(solved)
    )


def _arranged(sequences: Sequences, sources: Sequence[Source], tagged: bool) -> tuple[Grid, list[Node]]:
    """The arrangement of ranks by which the program is the shortest, and the program by it."""
    runs = Runs(tuple(source.ranks for source in sources), tagged)
    nodes, points = merge(sequences, runs), list(sequences)
    first = grids_by_cost(nodes, sources, points)
    best, found, least = first[0][1], nodes, first[0][0]
    ways = [(grid, around) for _, grid in first[:TRIED] for around in (False, True)] + [(first[0][1], None)]
    for grid, around in ways if first[0][1] is not LINE else ():
        mine = merge(sequences, replace(runs, laws=laws_of(grid, around)))
        cost = grid.cost + cost_of_grid(mine, sources, points, grid)
        if cost < least:
            best, found, least = grid, mine, cost
    return best, found


def _common(given: Sequence[Given]) -> dict[str, float]:
    """Sizes that are the same in all runs."""
    first = dict(given[0].sizes)
    return {
        name: value for name, value in first.items() if all(one.sizes.get(name) == value for one in given)
    }


def _require(given: Sequence[Given], target: Source) -> None:
    """Raises UserError for runs that do not belong together, or that do not say how what is asked for changes."""
    programs = sorted({_program(one.schedule) for one in given})
    if len(programs) > 1:
        raise UserError(
            f"these are runs of {len(programs)} programs",
            ", ".join(programs),
            "give traces of one program",
        )
    counts = sorted({one.schedule.ranks for one in given})
    if len(counts) < 2 and target.ranks not in counts:
        raise UserError(
            "all traces have the same number of ranks",
            f"{counts[0]}, and nothing says how the program changes with it",
            f"trace it on two more numbers of ranks, such as {2 * counts[0]} and {4 * counts[0]}",
        )
    for name, value in target.sizes.items():
        seen = {one.sizes.get(name) for one in given}
        if None in seen:
            lacking = next(one.name for one in given if name not in one.sizes)
            raise UserError(f"{lacking} does not say its {name}", "", f"give it as {lacking}:{name}=64")
        if len(seen) == 1 and value not in seen:
            raise UserError(
                f"all traces have {name}={next(iter(seen)):g}",
                f"nothing says how the program changes with it to {name}={value:g}",
                f"trace another {name}, too",
            )
    for name in sorted({name for one in given for name in one.sizes} - set(target.sizes)):
        raise UserError(
            f"the traces have different {name}", "the run that is asked for has none", f"give {name}=..."
        )
    _require_phases(given)


def _program(schedule: Schedule) -> str:
    """Its name; programs that are built for a number of ranks have it in their names."""
    parts = re.split(r"([._-])", Path(schedule.program).name)
    return "".join("P" if part == str(schedule.ranks) else part for part in parts)


def _require_phases(given: Sequence[Given]) -> None:
    first = given[0]
    for one in given[1:]:
        if {p.name for p in one.schedule.phases} != {p.name for p in first.schedule.phases}:
            raise UserError(
                f"{first.name} and {one.name} have different phases",
                "they are of two versions of the program, or of different inputs",
                "trace one version with one input",
            )


def _sequences(given: Sequence[Given]) -> Sequences:
    found: Sequences = {}
    for number, one in enumerate(given):
        for stream in one.schedule.streams:
            for rank in members(stream.ranks):
                found[number, rank, 0, 1] = _folded(of_rank(one.schedule, stream.operations, rank))
    return found


def _folded(items: list[Item]) -> list[Item]:
    """With loops in traces found, and those that a schedule has looked into."""
    for one in items:
        if isinstance(one, Loop):
            one.items = _folded(one.items)
    return fold(items)


def _tagged(given: Sequence[Given], sequences: Sequences) -> bool:
    """Whether tags say what a message is: the two largest runs use the same ones."""
    tags: dict[int, set[int]] = {}
    for point, items in sequences.items():
        for one in _ops(items):
            if "tag" in one.values:
                tags.setdefault(given[point[0]].schedule.ranks, set()).add(int(one.values["tag"]))
    largest = sorted(tags)[-2:]
    return len(largest) < 2 or tags[largest[0]] == tags[largest[1]]


def _ops(items: Iterable) -> Iterable[Op]:
    for one in items:
        if isinstance(one, Loop):
            yield from _ops(one.items)
        else:
            yield one


def _described(given: Sequence[Given], target: Source) -> str:
    words = [f"{name}={value:g}" for name, value in target.sizes.items()]
    from_ranks = ", ".join(str(one.schedule.ranks) for one in given)
    return f"{given[0].schedule.program} {' '.join(words)}, {target.ranks} ranks, extrapolated from {from_ranks} ranks"


def _computing(solved: Sequence[Solved], solver: Solver) -> dict[Solved, tuple[float, seconds.SecondsLaw]]:
    """The law of each operation with computing in front of it: its own where it has much of the time, else that of all."""
    timed = [one for one in walk(solved) if one.seconds is not None]
    if not timed:
        return {}
    times = dict(_repetitions(solved))
    worth = {one: float(np.sum(one.seconds)) * times[one] for one in timed}
    whole = sum(worth.values())
    blocks, sums = seconds.total([(one.blocks, one.seconds) for one in timed if one.seconds is not None])
    common = seconds.fit(blocks, sums, solver.grids)
    found = {}
    for one in timed:
        own = (
            seconds.fit(one.blocks, one.seconds, solver.grids)
            if worth[one] >= seconds.SMALL * whole
            else None
        )
        found[one] = (worth[one] / whole, own or _like(common, one, float(sums.mean())))
    return found


def _like(common: seconds.SecondsLaw, one: Solved, mean: float) -> seconds.SecondsLaw:
    """The growth of all computing together, at this operation's own mean."""
    mine = float(np.mean(one.seconds)) / mean if one.seconds is not None and mean else 0.0
    return seconds.SecondsLaw(
        f"{mine:.3g} of {common.name}", common.error, lambda block: mine * common.of(block)
    )


def _repetitions(solved: Sequence[Solved], times: float = 1.0) -> Iterator[tuple[Solved, float]]:
    """How often each is done, in the first run."""
    for one in solved:
        yield one, times
        inner = times * (float(np.mean(one.times.of(one.blocks[0]))) if one.times else 1.0)
        yield from _repetitions(one.children, inner)
