"""How ranks are arranged: grids whose extents follow from the number of ranks. The last coordinate changes fastest, as in MPI_Cart_create."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

Extents = tuple[int, ...]


@dataclass(frozen=True)
class Grid:
    """``extents``: of a number of ranks; None where there is no such grid."""

    name: str
    cost: float
    axes: int
    extents: Callable[[int], Extents | None]

    def coordinates(self, ranks: int, who: np.ndarray) -> list[np.ndarray]:
        """Of each of the ranks ``who``, one array an axis."""
        return list(np.unravel_index(who, self.extents(ranks) or (ranks, *(1,) * (self.axes - 1))))


@lru_cache(maxsize=4096)
def balanced(ranks: int, axes: int) -> Extents:
    """Extents as near to each other as divisors allow, the largest first: what MPI_Dims_create is asked for."""
    if axes == 1:
        return (ranks,)
    best: Extents | None = None
    largest = max(round(ranks ** (1 / axes)) + 1, 1)
    for last in range(1, largest + 1):
        if ranks % last == 0:
            found = (*balanced(ranks // last, axes - 1), last)
            if min(found) == last and (best is None or _worse(best) > _worse(found)):
                best = found
    return best or (*balanced(ranks, axes - 1), 1)


def _worse(extents: Extents) -> tuple[int, int]:
    return (max(extents) - min(extents), max(extents))


@lru_cache(maxsize=4096)
def least_surface(ranks: int, axes: int) -> Extents:
    """Extents that cut a cube with the least surface, the fewest axes cut, the largest first."""
    every = _factored(ranks, axes)
    return min(
        every, key=lambda extents: (sum(one for one in extents if one > 1), sum(one > 1 for one in extents))
    )


def _factored(ranks: int, axes: int, most: int | None = None) -> list[Extents]:
    """All descending extents whose product the ranks are."""
    if axes == 1:
        return [(ranks,)] if most is None or ranks <= most else []
    found = []
    for first in range(1, ranks + 1):
        if ranks % first == 0 and (most is None or first <= most) and first**axes >= ranks:
            found += [(first, *rest) for rest in _factored(ranks // first, axes - 1, first)]
    return found


def _cut(axes: int, turned: bool) -> Callable[[int], Extents]:
    def of(ranks: int) -> Extents:
        found = least_surface(ranks, axes)
        return found[::-1] if turned else found

    return of


def _first(axes: int) -> Callable[[int], Extents]:
    return lambda ranks: balanced(ranks, axes)


def _last(axes: int) -> Callable[[int], Extents]:
    return lambda ranks: balanced(ranks, axes)[::-1]


def _with_columns(columns: int) -> Callable[[int], Extents | None]:
    return lambda ranks: (ranks // columns, columns) if ranks % columns == 0 and ranks > columns else None


def _with_rows(rows: int) -> Callable[[int], Extents | None]:
    return lambda ranks: (rows, ranks // rows) if ranks % rows == 0 and ranks > rows else None


LINE = Grid("a line", 0.0, 1, lambda ranks: (ranks,))
GRIDS = (
    LINE,
    Grid("a grid of two axes, the longer first", 1.0, 2, _first(2)),
    Grid("a grid of two axes, the longer last", 1.0, 2, _last(2)),
    Grid("a grid of three axes, the longest first", 2.0, 3, _first(3)),
    Grid("a grid of three axes, the longest last", 2.0, 3, _last(3)),
    Grid("a grid of four axes, the longest first", 3.0, 4, _first(4)),
    Grid("a grid of four axes, the longest last", 3.0, 4, _last(4)),
    Grid("a grid of four axes with the least surface, the longest first", 3.2, 4, _cut(4, False)),
    Grid("a grid of four axes with the least surface, the longest last", 3.2, 4, _cut(4, True)),
    *(Grid(f"a grid with {size} columns", 2.5, 2, _with_columns(size)) for size in (2, 4)),
    *(Grid(f"a grid with {size} rows", 2.5, 2, _with_rows(size)) for size in (2, 4)),
)


def named(name: str) -> Grid:
    return next(grid for grid in GRIDS if grid.name == name)
