"""Laws of what small numbers of ranks do not show yet, or show no more.

*From some number of ranks on*: with few ranks an axis is not divided, or no point is inside.
*Used up*: pieces that cannot be divided are dealt to ranks; once some ranks have none, more ranks change nothing.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from hakaru.foretell.extrapolate.conditions import Condition
from hakaru.foretell.extrapolate.points import Block, Values, together
from hakaru.foretell.extrapolate.values import EXACT, Fitter, ValueLaw

FEWEST, SURE = 2, 3  # numbers of ranks that show a constant, and any other law
BITS, SPLIT = 0.2, 2.0  # cost of a bit; of saying where a law begins


def from_some_on(fitter: Fitter, values: Values, asked: int) -> ValueLaw | None:
    """A law that is exact on all but the fewest ranks, where no more than these are asked for."""
    ranks = together(fitter.blocks, lambda block: np.full(block.who.shape, block.ranks))
    counts = np.unique(ranks)
    for number, first in enumerate(counts[1:], 1):
        left = len(counts) - number
        if asked < first or left < FEWEST:
            return None
        chosen = ranks >= first
        law = fitter.within(chosen).fit(values[chosen], False)
        if law is not None and (left >= SURE or len(np.unique(values[chosen])) == 1):
            others = sum(BITS * abs(round(one)).bit_length() for one in np.unique(values[~chosen]).tolist())
            name = f"{law.name} from {first} ranks on"
            return replace(law, name=name, cost=law.cost + others + SPLIT, since=int(first))
    return None


def first_ranks(blocks: Sequence[Block], present: Values) -> Condition | None:
    """A fixed number of ranks, the first ones, where the most ranks are more than these."""
    ranks = together(blocks, lambda block: np.full(block.who.shape, block.ranks))
    who = together(blocks, lambda block: block.who)
    if not present.any():
        return None
    many = int(who[present].max()) + 1
    if many >= ranks.max() or (present != (who < many)).any():
        return None
    cost = 2.0 + BITS * many.bit_length()
    return Condition(f"one of the first {many} ranks", cost, lambda block: block.who < many)


def used_up(blocks: Sequence[Block], values: Values, asked: int) -> ValueLaw | None:
    """What each rank has on the most ranks, where some of these have nothing and the sum over all ranks is the same in every run."""
    largest = max(blocks, key=lambda block: block.ranks)
    runs = np.split(values, np.cumsum([len(block.who) for block in blocks])[:-1])
    sums = [float(one.sum()) for one in runs]
    once = all(len(np.unique(block.who)) == len(block.who) for block in blocks)
    idle = len(largest.who) < largest.ranks <= asked
    if not (once and idle and np.ptp(sums) <= EXACT * max(map(abs, sums))):
        return None
    table = np.zeros(int(largest.who.max()) + 1)
    table[largest.who] = runs[list(blocks).index(largest)]
    name = f"what each rank has on {largest.ranks} ranks"
    return ValueLaw(name, float(len(table)), lambda block: table[block.who], since=largest.ranks)
