"""Where cycles go: by ablation, by bounds, and by the processor's events where it tells them.

By ablation: T(place) is the time of a loop whose data lie in a place, T(bits) that in the first cache with exclusive or in place of its
arithmetic. Then T = T(bits) + [T(first) - T(bits)] + [T(second) - T(first)] + [T(memory) - T(second)]: instructions committed and
what else takes time, floating-point wait, cache wait, memory wait. Parts add up to the whole; what overlaps is counted where it
shows. A part is negative where the loop without it is slower by chance.
"""

import statistics
from collections.abc import Mapping, Sequence

from hakaru.base.ratios import ratio_interval
from hakaru.base.statistics import Interval, median_interval

from .loops import (
    ARITHMETIC,
    BITS,
    CACHE,
    COMMIT,
    FIRST,
    KERNELS,
    MAIN,
    MEMORY,
    NEAR,
    PARTS,
    SECOND,
    WHOLE,
    Kernel,
)
from .variants import Times, Variant

Rounds = Mapping[str, Sequence[float]]  # seconds round by round, by place or "bits"


def of_kernel(times: Times, kernel: Kernel, compiler: str) -> dict[str, list[float]]:
    """Seconds by place, and of BITS; empty where a program failed."""
    own = {
        BITS if one.form == BITS else one.size: seconds
        for one, seconds in times.seconds.items()
        if one.loop == kernel.name and one.compiler.name == compiler
    }
    wanted = {*kernel.places, *([BITS] if kernel.arithmetic else [])}
    return own if wanted <= own.keys() else {}


def parts(kernel: Kernel, rounds: Rounds) -> dict[str, list[float]]:
    """Seconds of each part, round by round."""
    steps = [(COMMIT, BITS)] if kernel.arithmetic else []
    steps += [(ARITHMETIC if kernel.arithmetic else COMMIT, FIRST), (CACHE, SECOND), (MAIN, MEMORY)]
    found, before = {}, [0.0] * len(rounds[FIRST])
    for part, key in steps:
        if key in rounds:
            found[part] = [own - less for own, less in zip(rounds[key], before, strict=True)]
            before = list(rounds[key])
    return {part: found.get(part, [0.0] * len(before)) for part in PARTS}


def share(kernel: Kernel, rounds: Rounds, part: str) -> Interval:
    """Of the whole, over rounds."""
    own = parts(kernel, rounds)[part]
    return median_interval([one / whole for one, whole in zip(own, rounds[kernel.place], strict=True)])


def lead(kernel: Kernel, rounds: Rounds) -> Interval:
    """The share of the part that the kernel was made for, less the largest other one, over rounds."""
    found = parts(kernel, rounds)
    others = [
        max(values) for values in zip(*(found[one] for one in PARTS if one != kernel.part), strict=True)
    ]
    own = zip(found[kernel.part], others, rounds[kernel.place], strict=True)
    return median_interval([(one - other) / whole for one, other, whole in own])


def bound(kernel: Kernel, times: Times) -> float:
    """Seconds of an execution of its innermost statement that no loop undercuts here: what its arithmetic takes on registers, or what the C library
    takes to copy as many numbers in its place (variants.CEILINGS)."""
    limits = {name: statistics.median(values) for name, values in times.ceilings.items()}
    return {
        "matrix-product": limits["product"],
        "copy": limits["memory"],
        "division": limits["division"],
        "addition": limits["cache"],
    }[kernel.name]


def gain(times: Times, before: Variant, after: Variant) -> Interval:
    """How many times faster ``after`` is: ratios within a round."""
    return ratio_interval(times.seconds[after], times.seconds[before])


def data_wait(times: Times, variant: Variant) -> list[float] | None:
    """Seconds that a case waits for its data, round by round: its time less that with data in the first cache; None where nobody measured that."""
    near = near_of(times, variant)
    if near is None or variant.size == NEAR:
        return None
    pairs = zip(times.seconds[variant], times.seconds[near], strict=True)
    return [whole - close for whole, close in pairs]


def near_of(times: Times, variant: Variant) -> Variant | None:
    for one in times.seconds:
        same = (one.loop, one.form, one.compiler) == (variant.loop, variant.form, variant.compiler)
        if same and one.size == NEAR:
            return one
    return None


def wait_share(times: Times, variant: Variant) -> Interval | None:
    waits = data_wait(times, variant)
    if waits is None:
        return None
    return median_interval([one / all_ for one, all_ in zip(waits, times.seconds[variant], strict=True)])


def wait_ratio(times: Times, before: Variant, after: Variant) -> Interval | None:
    """How many times as long ``before`` waits for its data as ``after``; None where one does not wait."""
    waits = [data_wait(times, one) for one in (before, after)]
    if any(one is None or min(one) <= 0.0 for one in waits):
        return None
    slow, fast = waits
    return ratio_interval(fast or (), slow or ())


def kernels_of(times: Times) -> list[tuple[Kernel, str, dict[str, list[float]]]]:
    """(kernel, compiler, seconds) of those that ran whole."""
    names = dict.fromkeys(one.compiler.name for one in times.seconds)
    found = [(kernel, name, of_kernel(times, kernel, name)) for kernel in KERNELS for name in names]
    return [one for one in found if one[2]]


__all__ = ["WHOLE", "bound", "gain", "kernels_of", "lead", "parts", "share", "wait_ratio", "wait_share"]
