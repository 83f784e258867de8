"""What the publication concludes, and what its tables show, as ratios that can be asked of any machine's speeds."""

from collections.abc import Callable
from dataclasses import dataclass

from hakaru.base.statistics import Interval, median_interval
from hakaru.studies.conclusions import (
    ALIKE,
    LITTLE,
    NOT_MUCH_SLOWER,
    SLOWER,
    Bounds,
    geometric_mean,
)

from .columns import Column, Table
from .variants import AUTOMATIC, COPIES, DOUBLE, INNER, OPENMP, OUTER, SCALAR

SMALL, LARGE, BESIDE = "XS", "L", "M"  # sizes; the last is that of copies and double precision
WAYS = (AUTOMATIC, OPENMP, INNER)


@dataclass(frozen=True)
class Rule:
    """``value`` of a table and of how many cores there are; KeyError where the table lacks something."""

    name: str
    words: str
    value: Callable[[Table, int], float]
    bounds: Bounds


def _sizes(table: Table) -> tuple[str, ...]:
    return tuple(dict.fromkeys(size for _, size in table))


def over(table: Table, mode: str, other: str) -> float:
    """Geometric mean over sizes. Raises KeyError where no size has both."""
    found = [
        table[mode, size] / table[other, size]
        for size in _sizes(table)
        if (mode, size) in table and (other, size) in table
    ]
    if not found:
        raise KeyError(mode)
    return geometric_mean(found)


def gain(table: Table, cores: int, mode: str, size: str) -> float:
    """Speed-up over one core, of the number of cores."""
    return table[mode, size] / table[SCALAR, size] / cores


def _ways(table: Table) -> float:
    found = [table[mode, LARGE] for mode in WAYS if (mode, LARGE) in table]
    if len(found) < 2:
        raise KeyError(LARGE)
    return max(found) / min(found)


def _worth_it(table: Table) -> float:
    """MPI against the best of the others, over sizes."""
    others = [
        max(table[mode, size] for mode in (AUTOMATIC, OPENMP) if (mode, size) in table)
        for size in _sizes(table)
        if (INNER, size) in table and (OPENMP, size) in table
    ]
    own = [table[INNER, size] for size in _sizes(table) if (INNER, size) in table and (OPENMP, size) in table]
    if not own:
        raise KeyError(INNER)
    return geometric_mean(one / other for one, other in zip(own, others, strict=True))


RULES = (
    Rule(
        "falls",
        "Larger grids are slower on one core: XS against L.",
        lambda table, _: table[SCALAR, SMALL] / table[SCALAR, LARGE],
        SLOWER,
    ),
    Rule(
        "first step",
        "The largest step down is the first, out of the cache: XS over S, against the larger of S over M and M over L.",
        lambda table, _: (
            (table[SCALAR, "XS"] / table[SCALAR, "S"])
            / max(table[SCALAR, "S"] / table[SCALAR, "M"], table[SCALAR, "M"] / table[SCALAR, "L"])
        ),
        Bounds(low=1.0),
    ),
    Rule(
        "cores, small",
        "Inside the caches all cores count: the speed-up by OpenMP of XS, of the number of cores.",
        lambda table, cores: gain(table, cores, OPENMP, SMALL),
        Bounds(low=1.0 / LITTLE),
    ),
    Rule(
        "cores, large",
        "On memory they do not: the same of L.",
        lambda table, cores: gain(table, cores, OPENMP, LARGE),
        Bounds(high=1.0 / LITTLE),
    ),
    Rule(
        "automatic",
        "The compiler's own parallelisation does as well as OpenMP: against it, all sizes.",
        lambda table, _: over(table, AUTOMATIC, OPENMP),
        ALIKE,
    ),
    Rule(
        "MPI",
        "MPI gains a little less than the others: along the innermost loop, against the best other, all sizes.",
        lambda table, _: _worth_it(table),
        Bounds(high=1.0),
    ),
    Rule(
        "ways, large",
        "For the large grid the way matters little: the fastest of three ways against the slowest, L.",
        lambda table, _: _ways(table),
        NOT_MUCH_SLOWER,
    ),
    Rule(
        "outermost",
        "With MPI the outermost loop is the one to divide: against the innermost, all sizes.",
        lambda table, _: over(table, OUTER, INNER),
        SLOWER,
    ),
    Rule(
        "copies",
        "Several copies at once slow each other: one of them against one alone, M.",
        lambda table, _: table[COPIES, BESIDE] / table[SCALAR, BESIDE],
        Bounds(high=1.0 / LITTLE),
    ),
    Rule(
        "double",
        "Double precision needs twice the bandwidth: against single, M.",
        lambda table, _: table[DOUBLE, BESIDE] / table[SCALAR, BESIDE],
        Bounds(high=1.0 / LITTLE),
    ),
)


def found(rule: Rule, column: Column) -> Interval | None:
    """The rule's ratio over rounds; None where the column lacks a mode or a size."""
    try:
        return median_interval([rule.value(one, column.cores) for one in column.rounds])
    except KeyError:
        return None
