"""What messages do to each other and computing to messages, where processors work for the network: ``crossing``, ``progress`` and
``after_work``, ``after_cold``, ``sending``, ``receiving`` and ``refilling`` of a level.

From the probe ``messages``, by size, with t the ping-pong (half of a round trip), x the exchange in both directions at once, w what an
exchange takes beside work that lasts as long as it, o both overheads:

    crossing = x - t of the same round   a message that crosses one of its receiver's own comes so much later
    answering = t of messages right after receives less t of those after work, of which all else is, where they were timed
    crowding = (x - t) of exchanges right after each other less (x - t) of those apart, of which crossing is
    after work = y - x of the same round, y and x exchanges apart, before y both ranks computed
    persistent = p - x of the same round, p and x exchanges apart, p of requests that were made before
    crossing turn = n(2) - n(1)          of messages that cross, from one that a processor moves itself to the next, at least;
                                         n(k) an exchange with k neighbours, which of two ranks are the same one k times
    progress = 1 - (w - o) / (x - o)     1: the work hides all but the overheads; 0: messages stood still meanwhile

o is what a send and a receive keep processors where that was measured. A difference that lies within the facts' intervals is none.
"""

import math
import statistics
from collections.abc import Callable, Iterator, Sequence

import msgspec
import numpy as np

from hakaru.facts.machines.fact import Fact
from hakaru.foretell.replay.documents.network import (
    AfterCold,
    AfterWork,
    FirstUse,
    Point,
    Refilling,
    Sending,
    ShareClass,
    SizeClass,
)

# With no, 14, 27 and 55 ns of computing between exchanges of 0 B took 140, 129, 110 and 96 ns of their own
# (Open MPI 4.1, 2 cores of an AMD EPYC, Zen 5, 2026-11-29): a cache line's way to the other core and back.
CROWDED_WITHIN_S = 4.5e-8


def crossing(measured: Sequence[Fact]) -> tuple[SizeClass, ...]:
    """Of the crossing; empty when it is zero at every size."""
    return _later(_sure(measured))


def crowding(measured: Sequence[Fact]) -> tuple[SizeClass, ...]:
    """Nothing beyond the sizes that were timed."""
    return _right_after(_sure(measured))


def answering(measured: Sequence[Fact]) -> tuple[SizeClass, ...]:
    """The same; below zero where a processor begins the send before the receive has ended."""
    return _right_after([(fact.keys["bytes"], fact.sure_value) for fact in measured])


def persistent(measured: Sequence[Fact]) -> tuple[SizeClass, ...]:
    """Of the facts ``persistent``; empty when they cost what others do."""
    return _later([(fact.keys["bytes"], fact.sure_value) for fact in measured])


def posting(measured: Sequence[Fact]) -> tuple[SizeClass, ...]:
    """Of the facts ``posting`` or ``posting_apart``."""
    return _later(_sure(measured))


def of_two_ranks(neighbourhoods: Sequence[Fact]) -> tuple[Fact, ...]:
    """Those but on grids, of sizes that were timed with one neighbour and with two; ascending, one neighbour before two."""
    own = {
        (fact.keys["bytes"], fact.keys["neighbours"]): fact
        for fact in neighbourhoods
        if fact.keys["ranks"] == 2 and "topology" not in fact.keys
    }
    return tuple(
        own[size, neighbours]
        for size, n in sorted(own)
        if n == 1 and (size, 2) in own
        for neighbours in (1, 2)
    )


def crossing_turn(neighbourhoods: Sequence[Fact]) -> tuple[SizeClass, ...]:
    """Of what of_two_ranks gives."""
    pairs = zip(neighbourhoods[::2], neighbourhoods[1::2], strict=True)
    return _later([(one.keys["bytes"], max(two.value - one.value, 0.0)) for one, two in pairs])


def _right_after(found: list[tuple[int, float]]) -> tuple[SizeClass, ...]:
    return _later([*found, (2 * found[-1][0], 0.0)] if found else [])


def _sure(measured: Sequence[Fact]) -> list[tuple[int, float]]:
    """(bytes, s), not below zero."""
    return [(fact.keys["bytes"], max(fact.sure_value, 0.0)) for fact in measured]


def _later(found: list[tuple[int, float]]) -> tuple[SizeClass, ...]:
    return tuple(
        SizeClass(minimum_bytes=least, maximum_bytes=most, value_s=value)
        for least, most, value in _classes(found, 0.0)
    )


def progress(
    both: Sequence[Fact], beside: Sequence[Fact], overheads_s: Callable[[int], float]
) -> tuple[ShareClass, ...]:
    """Of the progress (0 to 1); empty when it is one at every size."""
    quick = {fact.keys["bytes"]: fact.value for fact in both}

    def share(fact: Fact) -> float:
        own_s = overheads_s(fact.keys["bytes"])
        hidable_s = quick[fact.keys["bytes"]] - own_s
        if hidable_s <= 0.0 or fact.lowest <= own_s:
            return 1.0
        return min(max(1.0 - (fact.value - own_s) / hidable_s, 0.0), 1.0)

    found = [(fact.keys["bytes"], share(fact)) for fact in beside if fact.keys["bytes"] in quick]
    return tuple(
        ShareClass(minimum_bytes=least, maximum_bytes=most, value=value)
        for least, most, value in _classes(found, 1.0)
    )


def after_work(measured: Sequence[Fact]) -> tuple[AfterWork, ...]:
    """Of the facts ``after_work``, for each memory that was gone over; empty when computing never made a message longer. Work that is
    shorter than any over so much memory is as over less: it cannot go far."""
    found: tuple[AfterWork, ...] = ()
    every = [_worked(fact) for fact in measured]
    for memory_bytes in sorted({one.memory_bytes for one in every}):
        own = [one for one in every if one.memory_bytes == memory_bytes]
        least_s = min(one.work_s for one in own)
        less = [one for one in found if one.memory_bytes == found[-1].memory_bytes and one.work_s < least_s]
        found += (*(msgspec.structs.replace(one, memory_bytes=memory_bytes) for one in less), *own)
    return found if any(one.value_s for one in found) else ()


def _worked(fact: Fact) -> AfterWork:
    keys = {name: fact.keys[name] for name in ("work_s", "bytes", "memory_bytes") if name in fact.keys}
    return AfterWork(**keys, value_s=max(fact.sure_value, 0.0))


def sending(measured: Sequence[Fact]) -> tuple[Sending, ...]:
    """Of the facts ``sending``."""
    return tuple(
        Sending(work_s=fact.keys["work_s"], bytes=fact.keys["bytes"], value_s=max(fact.value, 0.0))
        for fact in measured
    )


def after_cold(measured: Sequence[Fact]) -> tuple[AfterCold, ...]:
    """Of the facts ``after_cold``: every size at all that was measured from its own least on, linear over the logarithm between two, and
    no less than where caches are warmer."""
    colds_s = sorted({fact.keys["cold_s"] for fact in measured})
    found: list[AfterCold] = []
    for size in sorted({fact.keys["bytes"] for fact in measured}):
        own = sorted(
            (fact.keys["cold_s"], max(fact.value, 0.0)) for fact in measured if fact.keys["bytes"] == size
        )
        known_s, values_s = zip(*own, strict=True)
        wanted_s = [cold_s for cold_s in colds_s if cold_s >= known_s[0]]
        longer_s = np.maximum.accumulate(np.interp(np.log(wanted_s), np.log(known_s), values_s))
        found += (
            AfterCold(cold_s=cold_s, bytes=size, value_s=float(value_s))
            for cold_s, value_s in zip(wanted_s, longer_s, strict=True)
        )
    return tuple(found)


def receiving(measured: Sequence[Fact]) -> tuple[Point, ...]:
    """Of the facts ``receiving``."""
    return tuple(
        Point(bytes=fact.keys["bytes"], value_s=max(fact.value, 0.0))
        for fact in sorted(measured, key=lambda fact: fact.keys["bytes"])
    )


def refilling(measured: Sequence[Fact]) -> tuple[Refilling, ...]:
    """Of the facts ``refilling``, without memory that is gone over no slower than less of it; empty when waiting never made it longer."""
    sweeps_s = {fact.keys["memory_bytes"]: fact.keys["sweep_s"] for fact in measured}
    slower: dict[float, float] = {}
    for memory_bytes, sweep_s in sorted(sweeps_s.items()):
        if sweep_s > max(slower.values(), default=0.0):
            slower[memory_bytes] = sweep_s
    found = tuple(
        Refilling(
            waited_s=fact.keys["waited_s"],
            memory_bytes=fact.keys["memory_bytes"],
            sweep_s=slower[fact.keys["memory_bytes"]],
            value_s=max(fact.value, 0.0),
        )
        for fact in measured
        if fact.keys["memory_bytes"] in slower
    )
    return found if any(one.value_s for one in found) else ()


def kept_s(sent: Sequence[Fact], received: Sequence[Fact], size: int) -> float:
    """Of a send and a receive of the measured size next to this; the send after the longest work."""

    def far(fact: Fact) -> float:
        return abs(math.log((fact.keys["bytes"] + 1) / (size + 1)))

    send = min(sent, key=lambda fact: (far(fact), -fact.keys["work_s"]))
    return send.value + min(received, key=far).value


def first_uses(measured: Sequence[Fact]) -> tuple[FirstUse, ...]:
    """s/B of the facts ``first_uses``, and nothing for the use after the last of each size; empty when none of them costs more."""
    before_2026_12 = 64 << 20  # bytes of the one size that was measured; facts did not say it
    found = {
        (fact.keys.get("bytes", before_2026_12), fact.keys["use"]): max(fact.value, 0.0) for fact in measured
    }
    if not any(found.values()):
        return ()
    for size, use in list(found):
        found.setdefault((size, use + 1), 0.0)
    return tuple(FirstUse(bytes=size, use=use, value=found[size, use]) for size, use in sorted(found))


def small_pages(measured: Sequence[Fact]) -> float | None:
    """s/B: the median over the sizes of the facts ``small_pages``."""
    return statistics.median(fact.value for fact in measured) if measured else None


def _classes(found: list[tuple[int, float]], nothing: float) -> Iterator[tuple[int, int | None, float]]:
    """(least bytes, most bytes, value): each holds to the geometric mean of its size and the next; equal neighbours are one class."""
    found = sorted(found)
    if all(value == nothing for _, value in found):
        return
    minimum = 0
    for index, (size, value) in enumerate(found):
        last = index + 1 == len(found)
        if not last and found[index + 1][1] == value:
            continue
        maximum = None if last else math.isqrt(size * found[index + 1][0])
        yield minimum, maximum, value
        minimum = (maximum or 0) + 1
