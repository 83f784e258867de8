"""Collectives with one length for each partner: a law of the partner alone, or of both."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hakaru.base.errors import UserError
from hakaru.facts.schedules.schedule import Communicator, members
from hakaru.foretell.extrapolate.conditions import Condition
from hakaru.foretell.extrapolate.grids import Grid
from hakaru.foretell.extrapolate.items import Op
from hakaru.foretell.extrapolate.points import Block, Values
from hakaru.foretell.extrapolate.values import Fitter, Simple, ValueLaw

MOST_SOUGHT = 20_000  # lengths that a law is sought for
MOST_WRITTEN = 1 << 24  # lengths of a target where ranks have lists of their own
ITSELF = Condition("to itself", 1.0, lambda block: block.peers == block.who)


class Members:
    """Of a run: who is in one group with a rank, in order."""

    def __init__(self, families: Sequence[Communicator], ranks: int):
        self.families, self.ranks = families, ranks
        self._kept: dict[int, tuple[list[Values], Values]] = {}

    def groups(self, communicator: int) -> tuple[list[Values], Values]:
        """The groups, and the group of each rank; -1 of ranks that are in none."""
        if communicator not in self._kept:
            self._kept[communicator] = self._groups(self.families[communicator])
        return self._kept[communicator]

    def _groups(self, family: Communicator) -> tuple[list[Values], Values]:
        everybody = np.arange(self.ranks)
        if family.alone:
            return [np.array([rank]) for rank in everybody], everybody
        groups = [np.fromiter(members(one), int) for one in family.groups] or [everybody]
        number = np.full(self.ranks, -1)
        for index, group in enumerate(groups):
            number[group] = index
        return groups, number

    def of(self, communicator: int, rank: int) -> Values:
        groups, number = self.groups(communicator)
        return groups[number[rank]] if number[rank] >= 0 else np.arange(0)


@dataclass(frozen=True)
class ListLaw:
    """``own``: the length follows both ranks, and not the partner alone."""

    law: ValueLaw
    communicator: int
    own: bool

    def lists(self, block: Block, target: Members) -> list[tuple[int, ...]]:
        """Of each point, in order. Raises UserError where they do not fit into memory."""
        if self.own:
            self._require_few(target)
            points = enumerate(block.who.tolist())
            return [self._list(block, at, target.of(self.communicator, rank)) for at, rank in points]
        made, which = self._of_groups(block, target)
        return [made[number] for number in which.tolist()]

    def codes(self, block: Block, target: Members) -> Values:
        """Equal for points with equal lists."""
        if self.own:
            return np.array([hash(one) for one in self.lists(block, target)], np.int64)
        made, which = self._of_groups(block, target)
        return np.array([hash(one) for one in made], np.int64)[which]

    def _of_groups(self, block: Block, target: Members) -> tuple[list[tuple[int, ...]], Values]:
        """Lists of the groups that the points are in, and which of them each point has."""
        groups, number = target.groups(self.communicator)
        mine, first, which = np.unique(number[block.who], return_index=True, return_inverse=True)
        found = zip(mine.tolist(), first.tolist(), strict=True)
        return [self._list(block, at, groups[group]) for group, at in found], which

    def _require_few(self, target: Members) -> None:
        groups, _ = target.groups(self.communicator)
        if (many := sum(len(group) ** 2 for group in groups)) > MOST_WRITTEN:
            raise UserError(
                f"a collective would have {many} lengths",
                "every rank has another one for every partner",
                "ask for fewer ranks",
            )

    def _list(self, block: Block, at: int, partners: Values) -> tuple[int, ...]:
        many = np.full(len(partners), at)
        one = block.part(many)
        one.peers = partners if self.own else None
        if not self.own:
            one.who = partners
        return tuple(np.rint(self.law.of(one)).astype(np.int64).tolist())


def fit(
    blocks: Sequence[Block], items: Sequence[Op], runs: Sequence[Members], grids: Sequence[Grid]
) -> ListLaw | None:
    """``runs``: of each block. None where the lengths follow no law, or are of no group of ranks."""
    communicator = items[0].key[2]
    lengths = [item.lengths or () for item in items]
    ranks = [
        run.of(communicator, int(who)) for run, block in zip(runs, blocks, strict=True) for who in block.who
    ]
    if [len(one) for one in ranks] != [len(one) for one in lengths] or sum(map(len, lengths)) > MOST_SOUGHT:
        return None
    column = np.concatenate([np.array(one, float) for one in lengths])
    if (law := Simple(_pairs(blocks, ranks, False), grids, []).fit(column)) is not None:
        return ListLaw(law, communicator, False)
    law = Fitter(_pairs(blocks, ranks, True), grids, [ITSELF]).fit(column)
    return None if law is None else ListLaw(law, communicator, True)


def _pairs(blocks: Sequence[Block], partners: Sequence[Values], own: bool) -> list[Block]:
    """A point for each length: its rank with the partner as its peer, or the partner alone."""
    found, done = [], 0
    for block in blocks:
        mine = partners[done : done + len(block.who)]
        done += len(block.who)
        one = block.part(np.repeat(np.arange(len(block.who)), [len(ranks) for ranks in mine]))
        if own:
            one.peers = np.concatenate(mine)
        else:
            one.who = np.concatenate(mine)
        found.append(one)
    return found
