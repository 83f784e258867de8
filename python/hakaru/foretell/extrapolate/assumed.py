"""What an extrapolated schedule takes for granted, and what no trace says at all."""

from collections.abc import Iterable, Mapping, Sequence

from hakaru.base.errors import UserError
from hakaru.foretell.extrapolate.grids import LINE, Grid
from hakaru.foretell.extrapolate.solve import Solved, Source
from hakaru.foretell.extrapolate.template import Node, walk


def _short_axes(
    solved: Sequence[Solved], sources: Sequence[Source], target: Source, grid: Grid
) -> Iterable[str]:
    """Along two ranks a neighbour, a ring and a butterfly are the same."""
    if not any(one.peers is not None and one.peers.grid is grid for one in walk(solved)):
        return
    for axis, seen, wanted in _axes(sources, target, grid):
        if seen <= 2 < wanted:
            yield (
                f"axis {axis} has {wanted} ranks and had {seen} at most in the traces: that neighbours are meant there, and no "
                f"butterflies, is a guess; trace more ranks to make it sure"
            )


def assumed(
    solved: Sequence[Solved],
    places: Mapping[Node, str],
    sources: Sequence[Source],
    target: Source,
    grid: Grid,
) -> Iterable[str]:
    if grid is not LINE:
        extents = " x ".join(map(str, grid.extents(target.ranks) or ()))
        yield f"ranks make {grid.name}, as in the traces: {extents}"
    yield from _short_axes(solved, sources, target, grid)
    for one in walk(solved):
        for name, law in one.values.items():
            if law.error:
                yield f"{places[one.node]}: its {name} follow {law.name}, within {law.error:.0%} on the traces"
        for name, law in one.values.items():
            if law.since:
                found = f"its {name} follow {law.name}; fewer ranks have others, and no more were traced"
                yield f"{places[one.node]}: {found}"
        if one.uneven:
            yield f"{places[one.node]}: its lengths follow the data; their mean stands for them"


def _axes(sources: Sequence[Source], target: Source, grid: Grid) -> Iterable[tuple[int, int, int]]:
    """Of each axis its number, the most ranks along it in the traces, and those of the target."""
    most = map(max, zip(*(grid.extents(source.ranks) or () for source in sources), strict=True))
    for axis, (seen, wanted) in enumerate(zip(most, grid.extents(target.ranks) or (), strict=True), 1):
        yield axis, seen, wanted


def require_seen(solved: Sequence[Solved], sources: Sequence[Source], target: Source, grid: Grid) -> None:
    """Raises UserError where ranks are divided along an axis that no trace divides: its messages are in none."""
    steps = [one.peers.step for one in walk(solved) if one.peers is not None and one.peers.grid is grid]
    for axis, seen, wanted in _axes(sources, target, grid):
        if steps and seen == 1 < wanted and not any(step[axis - 1] for step in steps if step):
            largest = max(source.ranks for source in sources)
            more = range(largest, target.ranks, largest)
            enough = (ranks for ranks in more if (grid.extents(ranks) or (1,) * axis)[axis - 1] > 1)
            raise UserError(
                f"{target.ranks} ranks make {grid.name}, {wanted} along axis {axis}",
                "no trace has two ranks along it, so that none shows what is sent there",
                f"trace a number of ranks that are divided along it, such as {next(enough, target.ranks)}",
            )
