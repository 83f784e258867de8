"""Which ranks of a run do the same, found without writing what each of them does.

Every rank has a number into which all that it does is mixed, operation by operation; ranks with the same number are a class.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from hakaru.foretell.extrapolate.lists import Members
from hakaru.foretell.extrapolate.points import Block, Values
from hakaru.foretell.extrapolate.solve import Solved

LOOKED_AT = 3  # turns at the beginning, the middle and the end of a loop whose turns grow


def classes(solved: Sequence[Solved], block: Block, members: Members) -> tuple[Values, Values]:
    """The first rank of each class, and the class of each rank."""
    marks = np.zeros(len(block.who), np.uint64)
    _mix_all(marks, solved, block, np.arange(len(block.who)), 1, members)
    _, first, which = np.unique(marks, return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank_of = np.empty_like(order)
    rank_of[order] = np.arange(len(order))
    return first[order], rank_of[which]


def placed(one: Solved, block: Block) -> tuple[Values, Values | None]:
    """Who does it among the points, and whom each of these means."""
    does = np.broadcast_to(one.condition.of(block), block.who.shape)
    if one.peers is None:
        return does, None
    peers = one.peers.peers(block.ranks, block.who, block.turn, block.turns)
    does = does & (peers >= 0)
    return does, peers[does]


def _mix_all(
    marks: Values, solved: Sequence[Solved], block: Block, where: Values, number: int, members: Members
) -> int:
    for one in solved:
        number += 1
        does, peers = placed(one, block)
        inner, at = block.part(does), where[does]
        inner.peers = peers
        _mix(marks, at, np.full(len(at), number))
        if peers is not None and one.peers is not None:
            _mix(marks, at, _code(one, inner))
        for law in (*one.values.values(), *(law for law in (one.times, one.lengths) if law)):
            _mix(marks, at, np.round(law.of(inner) * 1024).astype(np.int64))
        if one.lists is not None:
            _mix(marks, at, one.lists.codes(inner, members))
        if one.turns is not None:
            number = _mix_turns(marks, one, inner, at, number, members)
        elif one.children:
            number = _mix_all(marks, one.children, inner, at, number, members)
    return number


def _code(one: Solved, block: Block) -> Values:
    """Equal for ranks that may share a stream."""
    if one.peers is None or one.peers.shifts or block.peers is None:
        return np.zeros(len(block.who), np.int64)
    return block.who if one.peers.turning else (block.peers - block.who) % block.ranks


def _mix_turns(marks: Values, one: Solved, block: Block, where: Values, number: int, members: Members) -> int:
    turns = one.turns.of(block.ranks, block.who) if one.turns else np.ones_like(block.who)
    _mix(marks, where, turns)
    most = int(turns.max(initial=0))
    some = sorted({*range(min(LOOKED_AT, most)), *range(max(most - LOOKED_AT, 0), most), most // 2})
    last = number
    for turn in some:
        chosen = turns > turn
        inner = replace(block.part(chosen), turn=np.full(chosen.sum(), turn), turns=turns[chosen], _kept={})
        last = _mix_all(marks, one.children, inner, where[chosen], number, members)
    return last


def _mix(marks: Values, at: Values, code: Values) -> None:
    """The finaliser of MurmurHash3 (A. Appleby, public domain)."""
    with np.errstate(over="ignore"):
        x = (
            marks[at] * np.uint64(0x9E3779B97F4A7C15)
            + code.astype(np.int64).view(np.uint64)
            + np.uint64(0x632BE59BD9B4E019)
        )
        x = (x ^ (x >> np.uint64(33))) * np.uint64(0xFF51AFD7ED558CCD)
        x = (x ^ (x >> np.uint64(33))) * np.uint64(0xC4CEB9FE1A85EC53)
        marks[at] = x ^ (x >> np.uint64(33))
