"""Sub-communicators: rows, columns and planes of a grid of ranks, blocks of neighbours, halves."""

from collections.abc import Callable, Iterable, Sequence
from itertools import combinations

import numpy as np

from hakaru.base.errors import UserError
from hakaru.facts.schedules import Schedule
from hakaru.facts.schedules.schedule import Communicator, members
from hakaru.foretell.extrapolate.generate import runs
from hakaru.foretell.extrapolate.grids import GRIDS, Grid

Division = Callable[[int], np.ndarray]  # of a number of ranks: the number of each rank's group, -1 for none


def _lines(grid: Grid, kept: tuple[int, ...]) -> Division:
    def of(ranks: int) -> np.ndarray:
        extents = grid.extents(ranks)
        if extents is None:
            return np.full(ranks, -1)
        at = grid.coordinates(ranks, np.arange(ranks))
        return np.ravel_multi_index([at[axis] for axis in kept], [extents[axis] for axis in kept])

    return of


def _power(ranks: int) -> int:
    return 1 << (ranks.bit_length() - 1)


def grid_of(schedules: Sequence[Schedule]) -> Grid | None:
    """The arrangement of ranks whose lines and planes the sub-communicators are."""
    for number in range(min(len(one.communicators) for one in schedules)):
        families = [one.communicators[number] for one in schedules]
        if not all(family.groups for family in families) or _known(schedules, families) is not None:
            continue
        for grid in GRIDS[1:]:
            if any(_divides(division, schedules, families) for division in _of_grid(grid)):
                return grid
    return None


def _known(schedules: Sequence[Schedule], families: Sequence[Communicator]) -> Division | None:
    return next((one for one in _plain() if _divides(one, schedules, families)), None)


def _divides(division: Division, schedules: Sequence[Schedule], families: Sequence[Communicator]) -> bool:
    return all(
        _groups(division(one.ranks)) == _said(family) for one, family in zip(schedules, families, strict=True)
    )


def _plain() -> Iterable[Division]:
    yield lambda ranks: np.zeros(ranks, int)
    yield lambda ranks: np.arange(ranks)
    yield lambda ranks: np.where(np.arange(ranks) < _power(ranks), 0, -1)
    yield lambda ranks: np.where(np.arange(ranks) < _power(ranks), 0, 1)


def _of_grid(grid: Grid) -> Iterable[Division]:
    for many in range(1, grid.axes):
        for kept in combinations(range(grid.axes), many):
            yield _lines(grid, kept)


def _divisions() -> Iterable[Division]:
    yield from _plain()
    for grid in GRIDS[1:]:
        yield from _of_grid(grid)
    for parts in (2, 3, 4, 8):
        yield lambda ranks, parts=parts: np.arange(ranks) // parts
        yield lambda ranks, parts=parts: np.arange(ranks) % parts
        yield lambda ranks, parts=parts: np.arange(ranks) * parts // ranks
    yield lambda ranks: np.where(np.arange(ranks) > 0, 0, -1)
    yield lambda ranks: np.where(np.arange(ranks) == 0, 0, -1)


def communicators(schedules: Sequence[Schedule], ranks: int) -> tuple[Communicator, ...]:
    """Of the target. Raises UserError where the families differ between runs or follow no law that is known."""
    counts = {len(one.communicators) for one in schedules}
    if len(counts) > 1:
        raise UserError(
            "the runs have different communicators",
            f"{', '.join(map(str, sorted(counts)))} families in runs of {', '.join(str(one.ranks) for one in schedules)} ranks",
            "trace rank counts at which the program divides its ranks alike",
        )
    return tuple(_family(schedules, number, ranks) for number in range(counts.pop()))


def _family(schedules: Sequence[Schedule], number: int, ranks: int) -> Communicator:
    families = [one.communicators[number] for one in schedules]
    first = families[0]
    if all(not family.groups for family in families):
        return first
    for division in _divisions():
        if _divides(division, schedules, families):
            groups = _runs(division(ranks))
            return Communicator(name=first.name, created_windows=first.created_windows, groups=groups)
    raise UserError(
        f"how the ranks of '{first.name}' are chosen was not recognised",
        f"its groups are no rows, columns, planes, blocks or halves of {', '.join(str(one.ranks) for one in schedules)} ranks",
        "trace other rank counts, or take the schedule of the program itself",
    )


def _groups(numbers: np.ndarray) -> set[tuple[int, ...]]:
    return {tuple(np.flatnonzero(numbers == group).tolist()) for group in np.unique(numbers) if group >= 0}


def _said(family: Communicator) -> set[tuple[int, ...]]:
    return {tuple(members(group)) for group in family.groups}


def _runs(numbers: np.ndarray) -> tuple:
    order = np.argsort(numbers, kind="stable")
    edges = np.flatnonzero(np.diff(numbers[order])) + 1
    return tuple(runs(part) for part in np.split(order, edges) if numbers[part[0]] >= 0)
