"""Where something was seen, or is asked for: ranks of a run of some size, and the turn where turns count."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from hakaru.foretell.extrapolate.grids import Grid

Values = np.ndarray


@dataclass(eq=False)
class Block:
    """Points of one run: ``sizes`` of its problem, ``who`` the ranks, their ``turn`` and how many ``turns`` each makes."""

    ranks: int
    sizes: Mapping[str, float]
    who: Values
    turn: Values
    turns: Values
    peers: Values | None = None  # whom an operation means
    division: str = "first"  # of sizes that ranks do not divide evenly: factors.DIVISIONS
    _kept: dict[object, Values] = field(default_factory=dict)

    def coordinate(self, grid: Grid, axis: int, peers: bool = False) -> Values:
        who = self.peers if peers and self.peers is not None else self.who
        key = (grid.name, axis, peers)
        if key not in self._kept:
            for number, one in enumerate(grid.coordinates(self.ranks, np.maximum(who, 0))):
                self._kept[grid.name, number, peers] = one
        return self._kept[key]

    def extent(self, grid: Grid, axis: int) -> int:
        return (grid.extents(self.ranks) or (self.ranks, *(1,) * grid.axes))[axis]

    def part(self, chosen: Values) -> "Block":
        """The chosen points alone."""
        peers = None if self.peers is None else self.peers[chosen]
        return Block(
            self.ranks,
            self.sizes,
            self.who[chosen],
            self.turn[chosen],
            self.turns[chosen],
            peers,
            self.division,
        )


def every_rank(ranks: int, sizes: Mapping[str, float], division: str, who: Values | None = None) -> Block:
    who = np.arange(ranks) if who is None else who
    return Block(ranks, sizes, who, np.zeros_like(who), np.ones_like(who), None, division)


def together(blocks: Sequence[Block], of: Callable[[Block], Values]) -> Values:
    """A function of the points of all blocks, one after the other."""
    return np.concatenate([np.asarray(of(block)) for block in blocks])
