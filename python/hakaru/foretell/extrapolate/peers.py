"""Whom a rank may mean: neighbours on grids, rings, butterflies, trees, roots, transposed grids. Nobody is -1.

Inside a loop whose turns grow with the ranks, ``turn`` counts from 0 and the law may depend on it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import TypeAlias

import numpy as np

from hakaru.foretell.extrapolate.grids import GRIDS, Grid

Ranks: TypeAlias = np.ndarray
OfTurn: TypeAlias = Callable[[int, Ranks, Ranks, Ranks], Ranks]  # (ranks, who, turn, turns) -> peers


@dataclass(frozen=True)
class PeerLaw:
    """``fixed``: the same rank for everybody. ``grid``: None where it does not matter how ranks are arranged.

    ``shifts``: ranks of a class have the same distance to their peers in every turn.
    """

    name: str
    cost: float
    of: OfTurn
    grid: Grid | None = None
    fixed: bool = False
    shifts: bool = False
    turning: bool = False
    around: bool = False  # periodic
    step: tuple[int, ...] = ()  # of a neighbour

    def peers(self, ranks: int, who: Ranks, turn: Ranks | int = 0, turns: Ranks | int = 1) -> Ranks:
        many = np.broadcast_to
        return self.of(ranks, who, many(turn, who.shape), many(turns, who.shape))


def _neighbour(grid: Grid, step: tuple[int, ...], around: bool) -> PeerLaw:
    def of(ranks: int, who: Ranks, turn: Ranks, turns: Ranks) -> Ranks:
        extents = grid.extents(ranks)
        if extents is None:
            return np.full(who.shape, -1)
        there, inside = [], np.ones(who.shape, bool)
        for at, by, extent in zip(np.unravel_index(who, extents), step, extents, strict=True):
            if around and by and extent == 1:
                inside &= False
            there.append((at + by) % extent)
            inside &= around | (at + by == there[-1])
        return np.where(inside, np.ravel_multi_index(there, extents), -1)

    moves = sum(map(abs, step))
    how = "periodic neighbour" if around else "neighbour"
    name = f"{how} {_signed(step)} on {grid.name}"
    cost = 1.0 + grid.cost + 0.5 * (moves - 1) + (0.2 if around else 0.0)
    return PeerLaw(name, cost, of, grid, around=around, step=step)


def _signed(step: tuple[int, ...]) -> str:
    return "(" + ",".join(f"{by:+d}" if by else "0" for by in step) + ")"


def _steps(axes: int) -> list[tuple[int, ...]]:
    every = [step for step in product((-1, 0, 1), repeat=axes) if any(step)]
    return every if axes < 4 else [step for step in every if sum(map(abs, step)) == 1]


def _law(name: str, cost: float, of: OfTurn, **more: bool) -> PeerLaw:
    return PeerLaw(name, cost, of, None, **more)


def _root(name: str, cost: float, of: Callable[[int], int]) -> PeerLaw:
    return _law(
        name, cost, lambda ranks, who, turn, turns: np.full(who.shape, of(ranks)), fixed=True, shifts=True
    )


def _exchange(name: str, cost: float, bits: OfTurn, turning: bool = False) -> PeerLaw:
    def of(ranks: int, who: Ranks, turn: Ranks, turns: Ranks) -> Ranks:
        mask = bits(ranks, who, turn, turns)
        other = who ^ mask
        return np.where((mask > 0) & (other < ranks), other, -1)

    return _law(name, cost, of, turning=turning)


def _ring(name: str, cost: float, by: OfTurn, turning: bool) -> PeerLaw:
    def of(ranks: int, who: Ranks, turn: Ranks, turns: Ranks) -> Ranks:
        return (who + by(ranks, who, turn, turns)) % ranks

    return _law(name, cost, of, turning=turning, shifts=True)


def _far(name: str, cost: float, by: int) -> PeerLaw:
    def of(ranks: int, who: Ranks, turn: Ranks, turns: Ranks) -> Ranks:
        return np.where((who + by >= 0) & (who + by < ranks), who + by, -1)

    return _law(name, cost, of, shifts=True)


def trailing_zeros(who: Ranks, ranks: int) -> Ranks:
    """Of each rank's number; of 0 as many as the tree has levels."""
    levels = max(int(ranks - 1).bit_length(), 0)
    low = np.where(who == 0, 1 << levels, who & -who)
    return np.log2(low).astype(np.int64)


def _transposed(ranks: int, who: Ranks, turn: Ranks, turns: Ranks) -> Ranks:
    """Bailey et al., The NAS Parallel Benchmarks 2.0 (NAS-95-020), CG: the partner across the diagonal of 2^l x 2^l or 2^l x 2^(l+1) ranks."""
    bits = int(ranks).bit_length() - 1
    if ranks != 1 << bits:
        side = int(round(ranks**0.5))
        return (who % side) * side + who // side if side * side == ranks else np.full(who.shape, -1)
    side, halves = 1 << (bits // 2), 1 + bits % 2
    half = who // halves
    return halves * ((half % side) * side + half // side) + who % halves


def _parent(ranks: int, who: Ranks, turn: Ranks, turns: Ranks) -> Ranks:
    return np.where(who > 0, who - (who & -who), -1)


def _turning() -> list[PeerLaw]:
    """Laws that depend on the turn of a loop."""
    two: OfTurn = lambda ranks, who, turn, turns: np.left_shift(1, turn)  # noqa: E731
    half: OfTurn = lambda ranks, who, turn, turns: np.left_shift(1, np.maximum(turns - 1 - turn, 0))  # noqa: E731
    return [
        _ring("the rank that is turn + 1 further", 1.0, lambda r, w, k, n: k + 1, True),
        _ring("the rank that is turn + 1 before", 1.0, lambda r, w, k, n: -(k + 1), True),
        _ring("the rank that is turn further", 1.1, lambda r, w, k, n: k, True),
        _ring("the rank that is turn before", 1.1, lambda r, w, k, n: -k, True),
        _ring("the rank that is turn + 2 further", 1.2, lambda r, w, k, n: k + 2, True),
        _law(
            "the rank of the turn's number",
            1.0,
            lambda r, w, k, n: k + 0,
            turning=True,
            shifts=True,
            fixed=True,
        ),
        _law("the rank of turn + 1", 1.1, lambda r, w, k, n: k + 1, turning=True, shifts=True, fixed=True),
        _law("each other rank in order", 1.2, lambda r, w, k, n: k + (k >= w), turning=True),
        _exchange("the rank with bit number turn changed", 1.0, two, True),
        _exchange("the rank with bits from the highest changed", 1.0, half, True),
        _exchange("the rank xor turn + 1", 1.2, lambda r, w, k, n: k + 1, True),
        _ring("the rank 2^turn further", 1.1, two, True),
        _ring("the rank 2^turn before", 1.1, lambda r, w, k, n: -np.left_shift(1, k), True),
        _law(
            "the child 2^turn further",
            1.2,
            lambda r, w, k, n: np.where(w + (1 << k) < r, w + (1 << k), -1),
            turning=True,
            shifts=True,
        ),
    ]


def _all() -> list[PeerLaw]:
    laws = [_root("rank 0", 0.5, lambda ranks: 0), _root("the last rank", 1.0, lambda ranks: ranks - 1)]
    laws.append(_ring("itself", 0.8, lambda r, w, k, n: np.zeros_like(w), False))
    laws += [
        _neighbour(grid, step, around)
        for grid in GRIDS
        for step in _steps(grid.axes)
        for around in (False, True)
    ]
    laws += [_far(f"the rank {by:+d}", 3.0 + abs(by) / 10, by) for by in (-4, -3, -2, 2, 3, 4)]
    laws += [
        _root(f"rank {number}", 3.0, lambda ranks, n=number: n if n < ranks else -1) for number in (1, 2, 3)
    ]
    for bit in range(8):
        laws.append(
            _exchange(f"the rank xor {1 << bit}", 3.0, lambda r, w, k, n, b=bit: np.full(w.shape, 1 << b))
        )
        laws.append(
            _exchange(
                f"the rank xor P/{2 << bit}", 3.5, lambda r, w, k, n, b=bit: np.full(w.shape, r >> (b + 1))
            )
        )
    laws.append(
        _ring("the rank half of all further", 2.5, lambda r, w, k, n: np.full(w.shape, r // 2), False)
    )
    laws.append(_law("the partner on the transposed grid", 2.0, _transposed))
    laws.append(_law("the parent in a binomial tree", 2.0, _parent))
    laws.append(_law("the mirrored rank", 2.5, lambda r, w, k, n: r - 1 - w))
    return laws


LAWS: tuple[PeerLaw, ...] = tuple(sorted(_all(), key=lambda law: law.cost))  # the simplest first
TURNING: tuple[PeerLaw, ...] = tuple(_turning())


@lru_cache(maxsize=256)
def table(ranks: int) -> np.ndarray:
    """``LAWS`` by ranks: whom each rank means by each law."""
    return np.stack([law.peers(ranks, np.arange(ranks)) for law in LAWS])


@lru_cache(maxsize=1 << 16)
def laws_between(ranks: int, rank: int, peer: int) -> int:
    """The laws by which this rank means that peer, as bits."""
    found = np.flatnonzero(table(ranks)[:, rank] == peer)
    return sum(1 << int(one) for one in found)
