"""What runs do not tell of the wanted one, in words: a forecast made of them says so."""

import itertools
import math
from collections.abc import Iterator, Sequence
from statistics import median

from hakaru.base import units
from hakaru.foretell.models import Observation

CLOSE = 1.1  # largest size over smallest, below which no growth can be seen
SAME = 0.05  # of the time: below it nothing changed
SUDDEN, BEYOND = 1.5, 1.5  # an exponent so many times the middle one, and so much more, is a jump
DISTURBED = 1.5  # the longest launch of a size over its shortest


def lacking(used: Sequence[Observation]) -> list[str]:
    """Clauses, the worst first; of runs of one layout, since layouts differ in more than their size."""
    layouts = {(one.point.ranks, one.point.threads) for one in used}
    told = list(_of_launches(used))
    if len(layouts) == 1:
        told = [*_of_sizes(sorted(used, key=lambda one: one.point.size)), *told]
    return told


def _of_sizes(used: Sequence[Observation]) -> Iterator[str]:
    sizes = [one.point.size for one in used]
    if len(sizes) < 2:
        return
    times_s = [median(one.totals()) for one in used]
    if sizes[-1] / sizes[0] <= CLOSE:
        apart = 100.0 * (sizes[-1] / sizes[0] - 1.0)
        yield f"the sizes lie within {apart:.2g} % of each other, too close to see how the time grows"
        return
    if times_s[-1] < (1.0 - SAME) * times_s[0]:
        yield f"the time falls as the size grows, from {_at(sizes[0], times_s[0])} to {_at(sizes[-1], times_s[-1])}"
    elif max(times_s) < (1.0 + SAME) * min(times_s):
        yield "the time does not depend on the size in these runs, and may beyond them"
    yield from _jumps(sizes, times_s)


def _jumps(sizes: Sequence[float], times_s: Sequence[float]) -> Iterator[str]:
    steps = [
        (math.log(after_s / before_s) / math.log(after / before), before, after, after_s / before_s)
        for (before, after), (before_s, after_s) in zip(
            itertools.pairwise(sizes), itertools.pairwise(times_s), strict=True
        )
        if before_s > 0.0 and after_s > 0.0
    ]
    if len(steps) < 3:
        return
    usual = median(exponent for exponent, *_ in steps)
    for exponent, before, after, times in steps:
        if exponent > SUDDEN * max(usual, 0.0) + BEYOND:
            yield (
                f"between N = {before:g} and {after:g} the time jumps by a factor of {times:.3g}: "
                "a step in cost or a disturbed hour, which other sizes or the same runs again would tell apart"
            )


def _of_launches(used: Sequence[Observation]) -> Iterator[str]:
    once = sorted({one.point.size for one in used if len(one.launches) == 1})
    if once and len(once) == len({one.point.size for one in used}):
        yield "every size was launched once, so that how much launches differ is not known"
    ratios = [max(walls) / min(walls) for walls in (one.usual_walls() for one in used) if min(walls) > 0.0]
    if ratios and max(ratios) > DISTURBED:
        yield (
            f"launches of one size differ by a factor of up to {max(ratios):.3g}: "
            "something disturbed them, and calm launches would tell more"
        )


def _at(size: float, time_s: float) -> str:
    return f"{units.seconds(time_s)} at N = {size:g}"
