"""What sizes of messages and work may be made of: ranks, extents of the grid, sizes of the problem, and shares of them along an axis."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import combinations_with_replacement

import numpy as np

from hakaru.foretell.extrapolate.grids import LINE, Grid
from hakaru.foretell.extrapolate.points import Block, Values, together

MOST_FACTORS = 45  # of which three are multiplied


@dataclass(frozen=True)
class Factor:
    name: str
    cost: float
    of: Callable[[Block], Values]


DIVISIONS = (
    "first",
    "spread",
    "last",
    "blocks",
)  # which shares are the longer ones; blocks: all but the last are


def share(size: float, parts: int, index: Values, division: str = DIVISIONS[0]) -> Values:
    """Of ``size`` items in ``parts`` shares as even as can be."""
    size = int(size)
    if division == "spread":
        return (index + 1) * size // parts - index * size // parts
    if division == "last":
        return size // parts + (index >= parts - size % parts)
    if division == "blocks":
        each = -(-size // parts)
        return np.clip(size - index * each, 0, each)
    return size // parts + (index < size % parts)


def _all(value: Callable[[Block], float]) -> Callable[[Block], Values]:
    return lambda block: np.full(block.who.shape, float(value(block)))


def _plain(sizes: Sequence[str], grids: Sequence[Grid]) -> list[Factor]:
    found = [
        Factor("P", 1.0, _all(lambda block: block.ranks)),
        Factor("1/P", 1.0, _all(lambda block: 1 / block.ranks)),
    ]
    for grid in grids:
        if grid is not LINE:
            for axis in range(grid.axes):
                name = f"P{axis + 1}"
                found.append(Factor(name, 1.2, _all(lambda block, g=grid, a=axis: block.extent(g, a))))
                found.append(
                    Factor(f"1/{name}", 1.2, _all(lambda block, g=grid, a=axis: 1 / block.extent(g, a)))
                )
    for size in sizes:
        found.append(Factor(size, 0.5, _all(lambda block, s=size: block.sizes[s])))
        found.append(Factor(f"log2 {size}", 2.5, _all(lambda block, s=size: np.log2(max(block.sizes[s], 1)))))
    found.append(Factor("log2 P", 2.5, _all(lambda block: np.log2(block.ranks))))
    return found


@dataclass(frozen=True)
class Style:
    """How the sizes of the problem are divided: ``change`` is made to a size; ``first`` and ``last`` are taken off the shares at the ends
    of an axis, ``beside`` for each neighbour along it; ``more`` is added to each;
    what comes out is rounded up to a ``multiple``, as rows in memory are."""

    name: str
    cost: float
    change: Callable[[float], float] = lambda size: size
    first: int = 0
    last: int = 0
    beside: int = 0
    more: int = 0
    multiple: int = 1

    @property
    def beside_it(self) -> "list[Style]":
        """Ways in which other axes of the same array are divided."""
        found = []
        if self.multiple > 1:
            found.append(replace(self, name=self.name.partition(", ")[0], multiple=1))
        if self.first or self.last or self.beside or self.more:
            found.append(Style(self.name.partition(" ")[0], self.cost, self.change))
        return found

    def longest(self, block: Block, size: str, grid: Grid, axis: int) -> Values:
        """The longest share, which all ranks use for buffers and blocks of one length."""
        return np.full(
            block.who.shape, -(-self.change(block.sizes[size]) // block.extent(grid, axis)) + self.more
        )

    def of(self, block: Block, size: str, grid: Grid, axis: int, peers: bool) -> Values:
        at, extent = block.coordinate(grid, axis, peers), block.extent(grid, axis)
        parts = share(self.change(block.sizes[size]), extent, at, block.division)
        ends = self.first * (at == 0) + self.last * (at == extent - 1)
        parts = parts + self.more - ends - self.beside * ((at > 0) + 0 + (at < extent - 1))
        return parts if self.multiple == 1 else -(-parts // self.multiple) * self.multiple


PLAIN = Style("", 0.0)
_CHANGES: tuple[tuple[str, float, Callable[[float], float]], ...] = (
    ("", 0.0, lambda size: size),
    ("-2", 0.3, lambda size: size - 2),
    ("-1", 0.3, lambda size: size - 1),
    ("+1", 0.3, lambda size: size + 1),
    ("+2", 0.3, lambda size: size + 2),
    ("/2", 0.3, lambda size: size // 2),
    ("/4", 0.35, lambda size: size // 4),
    ("/8", 0.35, lambda size: size // 8),
    ("/16", 0.35, lambda size: size // 16),
    ("/2+1", 0.4, lambda size: size // 2 + 1),
    ("*2", 0.4, lambda size: 2 * size),
)
_TRIMS: tuple[tuple[str, float, dict[str, int]], ...] = (
    ("", 0.0, {}),
    (" and two", 0.3, {"more": 2}),
    (" less two", 0.3, {"more": -2}),
    (" and one", 0.4, {"more": 1}),
    (" and two, a multiple of 8", 0.7, {"more": 2, "multiple": 8}),
    (" and two, a multiple of 16", 0.7, {"more": 2, "multiple": 16}),
    (" without the ends", 0.5, {"first": 1, "last": 1}),
    (" without the sides to neighbours", 0.5, {"beside": 1}),
    (" with the sides to neighbours", 0.5, {"beside": -1}),
    (" without the first", 0.6, {"first": 1}),
    (" without the last", 0.6, {"last": 1}),
)
_ALONE = {"/2": 2, "/4": 2, "/8": 2, "/16": 2}  # of multigrids: as they are, and with a point on either side
STYLES = tuple(
    sorted(
        (
            Style(change + trim, 1.2 * cost + more, of, **takes)
            for change, cost, of in _CHANGES
            for trim, more, takes in (
                _TRIMS if change in ("", "-2", "-1", "+1", "+2") else _TRIMS[: _ALONE.get(change, 1)]
            )
        ),
        key=lambda style: style.cost,
    )
)


def _shares(sizes: Sequence[str], grids: Sequence[Grid], style: Style, peers: bool) -> list[Factor]:
    found = []
    for size in sizes:
        for grid in grids:
            for axis in range(grid.axes):
                where = "rank" if grid is LINE else f"axis {axis + 1}"
                if style.cost == 0:
                    name = f"longest share of {size} by {where}"

                    def longest(block: Block, s: str = size, g: Grid = grid, a: int = axis) -> Values:
                        return style.longest(block, s, g, a)

                    found.append(Factor(name, 0.5, longest))
                for at_peer in (False, True)[: 1 + peers]:
                    name = f"share of {size}{style.name} by {where}{' of the peer' if at_peer else ''}"

                    def of(
                        block: Block, s: str = size, g: Grid = grid, a: int = axis, p: bool = at_peer
                    ) -> Values:
                        return style.of(block, s, g, a, p)

                    found.append(Factor(name, 0.4 + style.cost + 0.3 * at_peer, of))
    return found


def cost_of(product: Sequence[Factor]) -> float:
    """A factor that is there twice costs more: areas and volumes are products of different sides."""
    names = [factor.name for factor in product]
    return sum(factor.cost for factor in product) + 0.3 * (len(names) - len(set(names)))


def value_of(product: Iterable[Factor], block: Block) -> Values:
    found = np.ones(block.who.shape)
    for factor in product:
        found = found * factor.of(block)
    return found


class Monomials:
    """Products of up to three factors as columns over fixed points, the simplest first; of those that are proportional there, one.

    ``picked``: a point of each kind, where factors differ; ``kind``: of each point.
    """

    def __init__(
        self, blocks: Sequence[Block], sizes: Sequence[str], grids: Sequence[Grid], style: Style, peers: bool
    ):
        most = max(block.ranks for block in blocks)
        divided = [size for size in sizes if all(block.sizes[size] >= most for block in blocks)]
        self.factors = [*_plain(sizes, grids), *_shares(divided, grids, style, peers)]
        for other in style.beside_it:
            self.factors += _shares(divided, grids, other, False)
        every = np.stack([together(blocks, factor.of) for factor in self.factors])
        _, self.picked, kind = np.unique(np.round(every, 9), axis=1, return_index=True, return_inverse=True)
        self.kind = kind.reshape(-1)
        self.indices = _combinations(tuple((factor.name, factor.cost) for factor in self.factors))
        columns = np.vstack([every[:, self.picked], np.ones((1, len(self.picked)))])
        table = columns[self.indices[:, 0]] * columns[self.indices[:, 1]] * columns[self.indices[:, 2]]
        self.first, self.same = _distinct(table)
        self.table = table[self.first]

    def product(self, index: int) -> tuple[Factor, ...]:
        return tuple(self.factors[i] for i in self.indices[index] if i < len(self.factors))

    def proportional(self, row: int, most: int = 12) -> list[tuple[Factor, ...]]:
        """All products that are proportional to this column."""
        return [self.product(i) for i in np.flatnonzero(self.same == row)[:most]]


@lru_cache(maxsize=64)
def _combinations(factors: tuple[tuple[str, float], ...]) -> Values:
    """Rows of three indices, the number of factors standing for none; no factor beside its inverse; the simplest first."""
    names, costs = [name for name, _ in factors], np.array([*(cost for _, cost in factors), 0.0])
    none = len(names)
    chosen: list[tuple[int, ...]] = [(none, none, none)]
    for degree in (1, 2, 3) if none < MOST_FACTORS else (1, 2):
        chosen += [
            (*one, *(none,) * (3 - degree)) for one in combinations_with_replacement(range(none), degree)
        ]
    indices = np.array(chosen)
    for i, name in enumerate(names):
        if f"1/{name}" in names:
            j = names.index(f"1/{name}")
            indices = indices[~((indices == i).any(axis=1) & (indices == j).any(axis=1))]
    return indices[np.argsort(costs[indices].sum(axis=1), kind="stable")]


def _distinct(table: Values) -> tuple[Values, Values]:
    """The first of each set of proportional columns, and for each column the number of its set (-1: not usable)."""
    scale = np.abs(table).max(axis=1)
    usable = np.flatnonzero((scale > 0) & np.isfinite(table).all(axis=1))
    normal = np.round(table[usable] / scale[usable, None], 10)
    weights = np.random.default_rng(1).standard_normal((table.shape[1], 1))
    _, first, inverse = np.unique(
        np.round(normal @ weights, 8).ravel(), return_index=True, return_inverse=True
    )
    order = np.argsort(first)
    number = np.empty_like(order)
    number[order] = np.arange(len(order))
    same = np.full(len(table), -1)
    same[usable] = number[inverse.reshape(-1)]
    return usable[first[order]], same
