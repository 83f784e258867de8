"""What the publication says of lengths of loops, as ratios and lengths that can be asked of times."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from hakaru.base.statistics import Interval
from hakaru.facts.machines.fact import Fact
from hakaru.studies.conclusions import LITTLE, OPEN, SLOWER, Bounds, geometric_mean

from .vectors import Vectors

PIPELINED = ("daxpy", "dot", "polynomial", "divide")  # whose operations a compiler vectorises
LONGER = "exponential"  # of the published test of lengths
MUCH = Bounds(low=LITTLE)


@dataclass(frozen=True)
class Rule:
    """``value`` of the times in one language; None where they do not tell."""

    name: str
    words: str
    value: Callable[[Vectors], Interval | None]
    bounds: Bounds

    def verdict(self, vectors: Vectors) -> str:
        value = self.value(vectors)
        return OPEN if value is None else self.bounds.verdict(value)


def _ratio(kernel: str, other: str) -> Callable[[Vectors], Interval | None]:
    return lambda one: one.ratio(kernel, other)


def _arithmetic(one: Vectors) -> Interval | None:
    """Of the rates: operations by time of an element."""
    found = one.ratio("daxpy", "polynomial")
    if found is None:
        return None
    more = one.operations["polynomial"] / one.operations["daxpy"]
    return Interval(more * found.value, more * found.low, more * found.high, found.count, found.coverage)


def _longest_half(one: Vectors) -> Interval | None:
    """The largest n_1/2, with the interval of its samples."""
    there = [one.halves[kernel] for kernel in PIPELINED if kernel in one.halves]
    return max((_interval(fact) for fact in there), key=lambda found: found.value, default=None)


def _interval(fact: Fact) -> Interval:
    value = float(fact.value)
    low, high = (value if end is None else end for end in (fact.low, fact.high))
    return Interval(value, low, high, fact.samples or 1, 0.95)


def _shared_from(one: Vectors) -> Interval | None:
    found = one.evens.get((LONGER, "inner"))
    return _interval(found) if found else None


def _inner_to_outer(one: Vectors) -> Interval | None:
    """Geometric mean over kernels, from their least to their greatest ratio."""
    ratios = [
        float(found.value) / float(one.evens[kernel, "outer"].value)
        for (kernel, way), found in one.evens.items()
        if way == "inner" and (kernel, "outer") in one.evens
    ]
    if not ratios:
        return None
    return Interval(geometric_mean(ratios), min(ratios), max(ratios), len(ratios), 1.0)


RULES = (
    Rule(
        "equal division",
        "Division is much faster where one value repeats: time with values that differ, to that with one value.",
        _ratio("divide", "divide equal"),
        MUCH,
    ),
    Rule(
        "much arithmetic",
        "Rates are high where there is much arithmetic: rate of the polynomial to that of daxpy.",
        _arithmetic,
        MUCH,
    ),
    Rule(
        "vectors",
        "Vectorisation pays from tens of elements on: the longest n_1/2 is below 100.",
        _longest_half,
        Bounds(high=100.0),
    ),
    Rule(
        "threads",
        "Threads that share a loop pay from thousands of elements on: break-even length of the exponential.",
        _shared_from,
        Bounds(1e3, 1e4),
    ),
    Rule(
        "outer loop",
        "Threads pay earlier over the outer loop: break-even length of the inner, to that of the outer, of each kernel.",
        _inner_to_outer,
        SLOWER,
    ),
)


def compilers(languages: list[Vectors]) -> Mapping[str, float]:
    """Rates of the second language to the first, by kernel."""
    if len(languages) < 2:
        return {}
    first, second = languages[:2]
    shared = [kernel for kernel in first.rates if kernel in second.rates]
    return {kernel: float(second.rates[kernel].value) / float(first.rates[kernel].value) for kernel in shared}


def apart(ratios: Mapping[str, float]) -> list[str]:
    """Kernels whose rates differ by more than little, of ``compilers``."""
    return [kernel for kernel, one in ratios.items() if abs(math.log(one)) > math.log(LITTLE)]
