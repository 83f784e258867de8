"""What the publication concludes (chapter 4.3), as ratios of times that can be asked of any table of layouts and orders of loops."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from hakaru.base.statistics import Interval, median_interval
from hakaru.studies.conclusions import ALIKE, FASTEST, NOT_MUCH_SLOWER, SLOWER, Bounds, geometric_mean

from .description import KERNELS

Table = Mapping[tuple[str, int], float]  # seconds by layout and kernel
DYNAMIC = "ABCEF"  # layouts with something of run-time size


@dataclass(frozen=True)
class Rule:
    """``value`` of a table, or of a table ``over`` another."""

    name: str
    words: str
    value: Callable[..., float]
    bounds: Bounds
    over: bool = False

    def verdict(self, found: Interval) -> str:
        return self.bounds.verdict(found)


def of(table: Table, layouts: str, kernels: Sequence[int] = KERNELS) -> float:
    return geometric_mean(table[layout, kernel] for layout in layouts for kernel in kernels)


def best(table: Table, layout: str) -> float:
    return min(table[layout, kernel] for kernel in KERNELS)


def _layouts(table: Table) -> str:
    return "".join(dict.fromkeys(layout for layout, _ in table))


RULES = (
    Rule(
        "derived types",
        "Derived types cost little: the best of A and the best of B against the best of G.",
        lambda table: max(best(table, "A"), best(table, "B")) / best(table, "G"),
        NOT_MUCH_SLOWER,
    ),
    Rule(
        "dynamic arrays",
        "Dynamic arrays are slower than static ones: A against C and D.",
        lambda table: of(table, "A") / of(table, "CD"),
        SLOWER,
    ),
    Rule(
        "static arrays",
        "C, D and G, whose arrays are static, are faster than the others.",
        lambda table: of(table, "ABEF") / of(table, "CDG"),
        SLOWER,
    ),
    Rule(
        "three levels",
        "E, whose components are allocated point by point, is the slowest: against the slowest other.",
        lambda table: of(table, "E") / max(of(table, one) for one in _layouts(table) if one != "E"),
        SLOWER,
    ),
    Rule(
        "cells",
        "F, an array of cells, is bad in general: against C, D and G.",
        lambda table: of(table, "F") / of(table, "CDG"),
        SLOWER,
    ),
    Rule(
        "cells by points",
        "F with kernel 3 is the fastest of all (on the PC): against the fastest.",
        lambda table: table["F", 3] / min(table.values()),
        FASTEST,
    ),
    Rule(
        "loops along the sweep",
        "Loops that follow the sweep are bad: kernels 2 and 3 against 0 and 1.",
        lambda table: of(table, _layouts(table), (2, 3)) / of(table, _layouts(table), (0, 1)),
        SLOWER,
    ),
    Rule(
        "components",
        "Whether the loop over components is outermost or innermost matters little: kernel 0 against 1.",
        lambda table: of(table, _layouts(table), (0,)) / of(table, _layouts(table), (1,)),
        ALIKE,
    ),
    Rule(
        "allocatable on the PC",
        "allocatable and pointer differ little (on the PC): allocatable against pointer, A, B, C, E, F.",
        lambda table, pointer: of(table, DYNAMIC) / of(pointer, DYNAMIC),
        ALIKE,
        over=True,
    ),
    Rule(
        "allocatable on FX1",
        "pointer is better than allocatable (on FX1): allocatable against pointer, A, B, C, E, F.",
        lambda table, pointer: of(table, DYNAMIC) / of(pointer, DYNAMIC),
        SLOWER,
        over=True,
    ),
)


def found(rule: Rule, rounds: Sequence[Table], other: Sequence[Table] = ()) -> Interval | None:
    """The rule's ratio over rounds; None where it needs another table, or a layout, and there is none."""
    if rule.over and not other:
        return None
    try:
        pairs = zip(rounds, other, strict=True) if rule.over else ((one,) for one in rounds)
        return median_interval([rule.value(*pair) for pair in pairs])
    except KeyError:
        return None
