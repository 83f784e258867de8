"""Which ranks do something: all, the first of an axis, all but the last, those inside, every second one."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from hakaru.foretell.extrapolate.grids import LINE, Grid
from hakaru.foretell.extrapolate.points import Block, Values, together


@dataclass(frozen=True)
class Condition:
    name: str
    cost: float
    of: Callable[[Block], Values]
    of_run: bool = False  # the same for all ranks of a run

    def __and__(self, other: "Condition") -> "Condition":
        return Condition(
            f"{self.name} and {other.name}",
            self.cost + other.cost + 0.5,
            lambda block: self.of(block) & other.of(block),
        )

    def __or__(self, other: "Condition") -> "Condition":
        return Condition(
            f"{self.name} or {other.name}",
            self.cost + other.cost + 1.0,
            lambda block: self.of(block) | other.of(block),
        )


def _everywhere(answer: bool) -> Callable[[Block], Values]:
    return lambda block: np.full(block.who.shape, answer)


ALWAYS = Condition("everywhere", 0.0, _everywhere(True))
NEVER = Condition("nowhere", 0.0, _everywhere(False))


def _axis(grid: Grid, axis: int) -> list[Condition]:
    def x(block: Block) -> Values:
        return block.coordinate(grid, axis)

    def last(block: Block) -> Values:
        return block.coordinate(grid, axis) == block.extent(grid, axis) - 1

    of = "" if grid is LINE else f" of axis {axis + 1}"
    who = "rank" if grid is LINE else "coordinate"
    found = [
        Condition(f"first {who}{of}", 1.0, lambda block: x(block) == 0),
        Condition(f"not the first {who}{of}", 1.0, lambda block: x(block) > 0),
        Condition(f"last {who}{of}", 1.0, last),
        Condition(f"not the last {who}{of}", 1.0, lambda block: ~last(block)),
        Condition(f"inside{of or ' the line'}", 1.1, lambda block: (x(block) > 0) & ~last(block)),
        Condition(f"at an end{of or ' of the line'}", 1.1, lambda block: (x(block) == 0) | last(block)),
        Condition(f"even {who}{of}", 1.5, lambda block: x(block) % 2 == 0),
        Condition(f"odd {who}{of}", 1.5, lambda block: x(block) % 2 == 1),
    ]
    for least in (2, 3):
        found.append(
            Condition(
                f"extent {least} or more{of}",
                1.2 + 0.3 * least,
                lambda block, least=least: np.full(block.who.shape, block.extent(grid, axis) >= least),
                True,
            )
        )
    return found


_TURNS = (
    Condition("first turn", 1.0, lambda block: block.turn == 0),
    Condition("not the first turn", 1.0, lambda block: block.turn > 0),
    Condition("last turn", 1.0, lambda block: block.turn == block.turns - 1),
    Condition("not the last turn", 1.0, lambda block: block.turn < block.turns - 1),
    Condition("odd turn", 1.5, lambda block: block.turn % 2 == 1),
    Condition("even turn", 1.5, lambda block: block.turn % 2 == 0),
)


def atoms(grids: Iterable[Grid]) -> list[Condition]:
    """The simplest first."""
    every = [ALWAYS, *_TURNS]
    for grid in grids:
        for axis in range(grid.axes):
            every += _axis(grid, axis)
    return sorted(every, key=lambda one: one.cost)


class Search:
    """Conditions on fixed points."""

    def __init__(self, blocks: Sequence[Block], of: Sequence[Condition]):
        self.conditions = list(of)
        self.table = np.stack([together(blocks, one.of).astype(bool) for one in of])
        self._found: dict[tuple[bytes, bytes, bool], list[Condition]] = {}

    def holding(self, wanted: Values, where: Values, pairs: bool = True) -> list[Condition]:
        """What is true exactly where ``wanted`` is, among the points ``where``; the simplest first, two together where none is alone."""
        key = (wanted.tobytes(), where.tobytes(), pairs)
        if key not in self._found:
            self._found[key] = self._holding(wanted, where, pairs)
        return self._found[key]

    def _holding(self, wanted: Values, where: Values, pairs: bool) -> list[Condition]:
        table, wanted = self.table[:, where], wanted[where]
        found = [self.conditions[i] for i in np.flatnonzero((table == wanted).all(axis=1))]
        if found or not pairs or not wanted.size:
            return found
        found = self._both(table, wanted, True) + self._both(~table, ~wanted, False)
        return sorted(found, key=lambda one: one.cost)

    def _both(self, table: Values, wanted: Values, conjunction: bool) -> list[Condition]:
        """Of conditions that hold wherever it is wanted, two that hold nowhere else."""
        everywhere = np.flatnonzero((table | ~wanted).all(axis=1))
        implied = [self.conditions[i] for i in everywhere]
        elsewhere = table[everywhere][:, ~wanted].astype(np.float32)
        apart = np.triu(elsewhere @ elsewhere.T == 0.0, 1)
        pairs = ((implied[i], implied[j]) for i, j in zip(*np.nonzero(apart), strict=True))
        return [one & two if conjunction else one | two for one, two in pairs]
