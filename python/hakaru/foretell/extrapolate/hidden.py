"""Sizes that nobody said: what ranks share, when the sum over all of them is the same in every run.

Shares that differ by a unit within a run give the unit, and with it the size in units and which ranks have the longer shares.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from hakaru.foretell.extrapolate.factors import DIVISIONS, share
from hakaru.foretell.extrapolate.items import Op
from hakaru.foretell.extrapolate.points import Values
from hakaru.foretell.extrapolate.solve import Source
from hakaru.foretell.extrapolate.template import Node, walk

NAMES = ("bytes", "flops", "moved", "allocated", "items")
MOST = 2  # sizes that are taken


def with_hidden(
    nodes: Sequence[Node], sources: Sequence[Source], target: Source
) -> tuple[list[Source], Source]:
    """The same with hidden sizes as sizes of the problem, and how they are divided."""
    found: Counter[tuple[int, str]] = Counter()
    for columns in _columns(nodes, sources):
        found.update(_sizes(columns, sources))
    if not found:
        return list(sources), target
    division = max(DIVISIONS, key=lambda one: sum(many for (_, how), many in found.items() if how == one))
    sizes = [size for (size, how), _ in found.most_common() if how == division]
    known = {value for source in sources for value in source.sizes.values()}
    fresh = {f"{size} items": float(size) for size in sizes[:MOST] if size not in known}
    made = [replace(source, sizes={**source.sizes, **fresh}, division=division) for source in sources]
    return made, replace(target, sizes={**target.sizes, **fresh}, division=division)


def without_aliases(sources: Sequence[Source], target: Source) -> tuple[list[Source], Source]:
    """Of sizes that are equal in every run, one."""
    first: dict[tuple[float, ...], str] = {}
    for name in target.sizes:
        first.setdefault(tuple(source.sizes[name] for source in (*sources, target)), name)
    kept = set(first.values())

    def only(source: Source) -> Source:
        return replace(source, sizes={name: value for name, value in source.sizes.items() if name in kept})

    return [only(source) for source in sources], only(target)


def _columns(nodes: Sequence[Node], sources: Sequence[Source]) -> Iterable[list[Values]]:
    """Values of all ranks of every run, one array a run."""
    everybody = sum(source.ranks for source in sources)
    for node in walk(nodes):
        points = sorted(node.seen)
        if len(points) != everybody or any(point[3] > 1 for point in points):
            continue
        for name in NAMES:
            items = [node.seen[point] for point in points]
            if all(isinstance(item, Op) and name in item.values for item in items):
                values = [(point[0], item.values[name]) for point, item in zip(points, items, strict=True)]  # type: ignore[union-attr]
                yield [
                    np.array([value for run, value in values if run == number])
                    for number in range(len(sources))
                ]


def _sizes(columns: Sequence[Values], sources: Sequence[Source]) -> Iterable[tuple[int, str]]:
    sums = {float(column.sum()) for column in columns}
    steps = [float(np.diff(np.unique(column)).min()) for column in columns if len(np.unique(column)) == 2]
    if len(sums) != 1 or not steps or len({source.ranks for source in sources}) < 2:
        return
    unit, total = min(steps), sums.pop()
    size = round(total / unit)
    for division in DIVISIONS:
        if all(
            np.allclose(
                unit * share(size, source.ranks, np.arange(source.ranks), division), column, rtol=1e-12
            )
            for source, column in zip(sources, columns, strict=True)
        ):
            yield size, division
