"""How long computing takes on ranks and sizes that were not run: c m, m a product of ranks, sizes and shares.

Of all products the one is taken whose logarithm leaves least, a little more counting for each factor (as in Calotoiu et al., SC13).
Times are measured, so a law is never exact: ``error`` is the spread of what was measured around it.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from hakaru.foretell.extrapolate.factors import PLAIN, Factor, Monomials, cost_of, value_of
from hakaru.foretell.extrapolate.grids import Grid
from hakaru.foretell.extrapolate.points import Block, Values

SMALL = 0.1  # share of the computing below which operations follow the law of all together
COST = 0.05  # in natural logarithms, for each unit of a product's cost


@dataclass(frozen=True)
class SecondsLaw:
    """``error``: root of the mean square of ln(measured / law)."""

    name: str
    error: float
    of: Callable[[Block], Values]


def fit(blocks: Sequence[Block], seconds: Values, grids: Sequence[Grid]) -> SecondsLaw:
    """Of computing that every point does; points where it takes no time are left out."""
    blocks, means = _by_run(blocks, seconds)
    sizes = sorted(set.intersection(*(set(block.sizes) for block in blocks)))
    table = Monomials(blocks, sizes, grids, PLAIN, False)
    columns = table.table[:, table.kind]
    known = means > 0
    fitting = [row for row in range(len(columns)) if (columns[row] > 0).all()]
    if not known.any() or not fitting:
        return _product((), float(np.mean(means)), 0.0)
    products = [table.product(int(i)) for i in table.first]
    best = min(
        fitting, key=lambda row: _left(columns[row][known], means[known]) + COST * cost_of(products[row])
    )
    ratio = np.log(means[known] / columns[best][known])
    return _product(products[best], float(np.exp(ratio.mean())), float(ratio.std()))


def _by_run(blocks: Sequence[Block], seconds: Values) -> tuple[list[Block], Values]:
    """One point a run, with the mean over its ranks and turns."""
    found, means, at = [], [], 0
    for block in blocks:
        means.append(float(np.mean(seconds[at : at + len(block.who)])))
        at += len(block.who)
        chosen = np.zeros(len(block.who), bool)
        chosen[len(block.who) // 2] = True
        found.append(block.part(chosen))
    return found, np.array(means)


def _left(column: Values, means: Values) -> float:
    return float(np.log(means / column).std())


def _product(product: tuple[Factor, ...], factor: float, error: float) -> SecondsLaw:
    name = " x ".join([f"{factor:.3g} s", *(one.name for one in product)])
    return SecondsLaw(name, error, lambda block: factor * value_of(product, block))


def total(parts: Sequence[tuple[Sequence[Block], Values]]) -> tuple[list[Block], Values]:
    """Sums over operations, one point a run; the points are those of the first operation."""
    blocks, first = _by_run(*parts[0])
    by_ranks = {(block.ranks, tuple(block.sizes.items())): i for i, block in enumerate(blocks)}
    sums = np.zeros_like(first)
    for mine, seconds in parts:
        found, means = _by_run(mine, seconds)
        for block, mean in zip(found, means, strict=True):
            if (index := by_ranks.get((block.ranks, tuple(block.sizes.items())))) is not None:
                sums[index] += mean
    return blocks, sums
