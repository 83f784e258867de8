"""Whether the facts of one probing agree with each other: a disturbed machine writes facts that cannot all be true.

Each rule is a bound that holds on any machine for a physical reason, which its docstring gives; its tolerance is what undisturbed
machines were seen to need, and is wide, since it shall tell a disturbance (a factor) from a scatter (percents). Rules speak of measured
facts only, and a rule whose facts are missing says nothing.
"""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise

from hakaru.facts.machines.fact import Fact
from hakaru.facts.machines.machine import LEVELS, Machine, MemoryLevel

LATENCY_TOLERANCE = 1.5  # half a round trip of a single exchange against the same in a batch
PIPELINE_STAGES = (
    4.0  # copy, link, link, copy: a train is at most so many times as fast as its messages one by one
)
TRAIN_TOLERANCE = 2.0
RESIDUAL_LIMIT = 1.0  # relative: a line that misses a median by more than the median says nothing about it
ORDER_TOLERANCE = (
    2.0  # of times that should not shrink with size; protocols that change cost tens of percents
)
COLLECTIVE_TOLERANCE = 4.0  # the same across algorithms
RATE_TOLERANCE = 1.3  # of rates: clocks and caches that other cores warm up give some percents
CURVE_TOLERANCE = 1.5  # of points of curves, which are measured shortly: in 3 of 33 probings of a restless host one was beyond it
KINDS = ("kernel", "precision", "bits", "order", "row", "bytes")  # rates of one kind differ by cores alone
SOON_S = 200e-9  # below that a difference of times is reading the clock


@dataclass(frozen=True)
class Contradiction:
    """Facts at ``paths`` (of which at least one is wrong) and why they cannot all be true; ``probes`` measured them."""

    paths: tuple[str, ...]
    why: str
    probes: tuple[str, ...]

    def __str__(self) -> str:
        return f"{' and '.join(self.paths)} contradict each other: {self.why}"


def contradictions(machine: Machine) -> list[Contradiction]:
    """What cannot be true of a measured machine; empty when nothing speaks against its facts."""
    found: list[Contradiction] = []
    for level in LEVELS:
        for rule in (_latency, _residual, _trains, _windows, _grows, _both_ways, _collectives, _put):
            found += rule(f"network.{level}", machine)
    for whole in (_memory_levels, _memory_rates, _arithmetic, _threads, _shares):
        found += whole(machine)
    return found


def refuse(machine: Machine, found: Iterable[Contradiction]) -> Machine:
    """The machine without the facts of these contradictions: nobody knows which of them is the wrong one."""
    for path in {path for one in found for path in one.paths}:
        machine = machine.without(path)
    return machine


def _by(key: str, facts: Iterable[Fact]) -> dict[int, float]:
    """Values by what the facts are about."""
    return {fact.keys[key]: fact.value for fact in facts if key in fact.keys}


def _by_bytes(machine: Machine, path: str) -> dict[int, float]:
    return _by("bytes", machine.facts(path))


def _us(seconds: float) -> str:
    return f"{seconds * 1e6:.3g} us"


def _latency(where: str, machine: Machine) -> Iterator[Contradiction]:
    """Half of a round trip of the shortest message is one quantity, measured twice."""
    pingpong, latency = _by_bytes(machine, f"{where}.pingpong"), machine.facts(f"{where}.latency")
    if not pingpong or not latency or min(pingpong) > 1:
        return
    half_s, latency_s = pingpong[min(pingpong)], latency[0].value
    limit_s = LATENCY_TOLERANCE * half_s + SOON_S
    if latency_s > limit_s or half_s > LATENCY_TOLERANCE * latency_s + SOON_S:
        yield Contradiction(
            (f"{where}.latency", f"{where}.latency_without_overheads", f"{where}.pingpong"),
            f"half of a round trip of the shortest message took {_us(latency_s)} in one and {_us(half_s)} in the other",
            ("messages",),
        )


def _residual(where: str, machine: Machine) -> Iterator[Contradiction]:
    """A line through the trains' times that misses one of them by more than that time is no description of them."""
    worst = max((fact.residual or 0.0 for fact in machine.facts(f"{where}.gap_per_byte")), default=0.0)
    if worst > RESIDUAL_LIMIT:
        yield Contradiction(
            (f"{where}.gap", f"{where}.gap_per_byte"),
            f"the line of a size class misses a time it was fitted to by {100 * worst:.0f} %",
            ("messages",),
        )


def _trains(where: str, machine: Machine) -> Iterator[Contradiction]:
    """Messages of a train overlap with each other at most in the stages that a message passes, and need no longer each than messages
    that wait for an answer: pp(s) <= pp(shortest) + stages (g + G (s - 1)), and g + G (s - 1) <= pp(s)."""
    pingpong = _by_bytes(machine, f"{where}.pingpong")
    gaps = {fact.keys.get("minimum_bytes", 0): fact.value for fact in machine.facts(f"{where}.gap")}
    shortest_s = pingpong[min(pingpong)] if pingpong else 0.0
    if not gaps:
        return  # nobody timed trains: the time per byte is a slope of long messages
    for piece in machine.facts(f"{where}.gap_per_byte"):
        low, high = piece.keys.get("minimum_bytes", 0), piece.keys.get("maximum_bytes")
        for size in sorted(size for size in pingpong if size > 1 and low <= size <= (high or size)):
            train_s = gaps.get(low, 0.0) + piece.value * (size - 1)
            if _no_pipeline(train_s, pingpong[size], _latencies(where, machine, size) * shortest_s):
                yield Contradiction(
                    (f"{where}.gap", f"{where}.gap_per_byte", f"{where}.pingpong"),
                    f"a message of {size} B took {_us(train_s)} in a train and {_us(pingpong[size])} by itself",
                    ("messages",),
                )
                return


def _latencies(where: str, machine: Machine, size: int) -> int:
    """That a message pays by itself: by rendezvous the announcement's and the answer's, too; by which protocol is known with the eager
    limit."""
    limit = machine.find(f"{where}.eager_limit")
    return 1 if limit and size <= limit.value else 3


def _no_pipeline(each_s: float, alone_s: float, latencies_s: float) -> bool:
    """Whether messages that follow each other are too slow, or too fast, for what one of them takes by itself."""
    most_s = LATENCY_TOLERANCE * latencies_s + TRAIN_TOLERANCE * PIPELINE_STAGES * each_s
    return each_s > TRAIN_TOLERANCE * alone_s + SOON_S or alone_s > most_s + SOON_S


def _windows(where: str, machine: Machine) -> Iterator[Contradiction]:
    """The same of messages that are started at once."""
    alone, window = _by_bytes(machine, f"{where}.pingpong"), _by_bytes(machine, f"{where}.window")
    for size in sorted(alone.keys() & window.keys()):
        if _no_pipeline(window[size], alone[size], _latencies(where, machine, size) * alone[min(alone)]):
            why = (
                f"a message of {size} B took {_us(window[size])} in a window and {_us(alone[size])} by itself"
            )
            yield Contradiction((f"{where}.window", f"{where}.pingpong"), why, ("messages",))
            return


def _grows(where: str, machine: Machine) -> Iterator[Contradiction]:
    """More bytes over the same way take no less time."""
    kinds = {"messages": ("pingpong", "exchange"), "putget": ("put", "get", "flagged_put", "ring")}
    for probe, names in kinds.items():
        for name in names:
            if pair := _shrinks(_by_bytes(machine, f"{where}.{name}"), ORDER_TOLERANCE):
                (small, small_s), (large, large_s) = pair
                why = f"{small} B took {_us(small_s)} and {large} B {_us(large_s)}"
                yield Contradiction((f"{where}.{name}",), why, (probe,))


def _shrinks(times: dict[int, float], tolerance: float) -> tuple[tuple[int, float], tuple[int, float]] | None:
    """A smaller and a larger size whose times are in the wrong order by more than the tolerance."""
    longest: tuple[int, float] | None = None
    for size, seconds in sorted(times.items()):
        if longest and longest[1] > tolerance * seconds + SOON_S:
            return longest, (size, seconds)
        if longest is None or seconds > longest[1]:
            longest = (size, seconds)
    return None


def _both_ways(where: str, machine: Machine) -> Iterator[Contradiction]:
    """Two messages that cross take as long as one of them at least, and as both one after the other at most."""
    alone, both = _by_bytes(machine, f"{where}.pingpong"), _by_bytes(machine, f"{where}.exchange")
    for size in sorted(alone.keys() & both.keys()):
        one_s, two_s = alone[size], both[size]
        if one_s > TRAIN_TOLERANCE * two_s + SOON_S or two_s > TRAIN_TOLERANCE * 2 * one_s + SOON_S:
            why = f"{size} B took {_us(one_s)} one way and {_us(two_s)} in both directions at once"
            yield Contradiction((f"{where}.pingpong", f"{where}.exchange"), why, ("messages",))
            return


def _collectives(where: str, machine: Machine) -> Iterator[Contradiction]:
    """A collective operation takes no less time for more bytes on as many ranks."""
    for name in ("allreduce", "alltoall", "broadcast", "bisection", "neighbours"):
        facts = [fact for fact in machine.facts(f"{where}.{name}") if {"bytes", "ranks"} <= fact.keys.keys()]
        for ranks in sorted({fact.keys["ranks"] for fact in facts}):
            times = _by("bytes", [fact for fact in facts if fact.about(ranks=ranks)])
            if pair := _shrinks(times, COLLECTIVE_TOLERANCE):
                (small, small_s), (large, large_s) = pair
                why = f"on {ranks} ranks {small} B took {_us(small_s)} and {large} B {_us(large_s)}"
                yield Contradiction((f"{where}.{name}",), why, ("messages",))


def _put(where: str, machine: Machine) -> Iterator[Contradiction]:
    """``put_latency`` is ``flagged_put`` of its shortest size."""
    flagged, latency = _by_bytes(machine, f"{where}.flagged_put"), machine.facts(f"{where}.put_latency")
    if not flagged or not latency:
        return
    one_s, other_s = flagged[min(flagged)], latency[0].value
    if max(one_s, other_s) > LATENCY_TOLERANCE * min(one_s, other_s) + SOON_S:
        why = f"a put of the shortest size took {_us(other_s)} in one and {_us(one_s)} in the other"
        yield Contradiction((f"{where}.put_latency", f"{where}.flagged_put"), why, ("putget",))


def _outwards(levels: Iterable[MemoryLevel]) -> list[MemoryLevel]:
    """Caches by their numbers, then memory; a step that no cache is known for stands where its capacity puts it."""
    numbered = sorted((one for one in levels if not one.is_step), key=lambda one: (one.is_memory, one.name))
    for step in sorted((one for one in levels if one.is_step), key=lambda one: one.capacity or math.inf):
        beyond = [(one.capacity or math.inf) > (step.capacity or math.inf) for one in numbered]
        numbered.insert(beyond.index(True) if True in beyond else len(numbered), step)
    return numbered


def _memory_levels(machine: Machine) -> Iterator[Contradiction]:
    """A level further away answers later (what it misses it asks of the next), and holds more."""
    for key in ("latency", "capacity"):
        facts = {
            level.name: machine.find(f"memory.levels[{level.name}].{key}")
            for level in _outwards(machine.levels)
        }
        known = [(name, fact.value) for name, fact in facts.items() if fact]
        for (near, one), (far, two) in pairwise(known):
            if two <= one:
                paths = tuple(f"memory.levels[{name}].{key}" for name in (near, far))
                yield Contradiction(paths, f"{near} has {one:.3g} and {far} {two:.3g}", ("memory_latency",))


def _scales(
    machine: Machine, path: str, probe: str, tolerance: float = RATE_TOLERANCE
) -> Iterator[Contradiction]:
    """Cores of one kind draw together at most so many times what one draws, and no less than one."""
    by_kind: dict[tuple, list[Fact]] = {}
    for fact in machine.facts(path):
        kind = tuple(fact.keys[key] for key in KINDS if key in fact.keys)
        by_kind.setdefault(kind, []).append(fact)
    for kind, facts in by_kind.items():
        rates = _by("cores", facts)
        for cores, rate in sorted(rates.items()):
            one = rates.get(1)
            if one and (rate > tolerance * cores * one or tolerance * rate < one):
                name = " ".join(map(str, kind))
                why = f"{name}: {cores} cores reach {rate:.3g} and one {one:.3g}"
                yield Contradiction((path,), why, (probe,))
                break


def _memory_rates(machine: Machine) -> Iterator[Contradiction]:
    for name in ("bandwidth", "bandwidth_write_allocate"):
        yield from _scales(machine, f"memory.{name}", "memory_bandwidth")
    for name in ("working_sets", "indexed_sets"):
        yield from _scales(machine, f"memory.{name}", "memory_bandwidth", CURVE_TOLERANCE)


def _arithmetic(machine: Machine) -> Iterator[Contradiction]:
    """Besides: a matrix product reaches no more than the peak of its multiply-adds."""
    for name in ("fma_peak", "dgemm"):
        yield from _scales(machine, f"compute.{name}", "arithmetic")
    peaks = _by("cores", machine.facts("compute.fma_peak"))
    for fact in machine.facts("compute.dgemm"):
        peak = peaks.get(fact.keys.get("cores"))
        if peak and fact.value > RATE_TOLERANCE * peak:
            why = f"a matrix product reaches {fact.value:.3g} flop/s, the multiply-adds {peak:.3g}"
            yield Contradiction(("compute.fma_peak", "compute.dgemm"), why, ("arithmetic",))
            return


def _threads(machine: Machine) -> Iterator[Contradiction]:
    """A parallel region ends with a barrier of its threads."""
    whole = _by("threads", machine.facts("threads.parallel"))
    for fact in machine.facts("threads.barrier"):
        region_s = whole.get(fact.keys.get("threads"))
        if region_s and fact.value > ORDER_TOLERANCE * region_s + SOON_S:
            why = f"a barrier took {_us(fact.value)} and a region that ends with one {_us(region_s)}"
            yield Contradiction(("threads.barrier", "threads.parallel"), why, ("threads",))
            return


def _shares(machine: Machine) -> Iterator[Contradiction]:
    """Detours take less than all of the time; hidden shares lie between none and all."""
    for fact in machine.facts("noise.detour_share"):
        if not 0.0 <= fact.value < 1.0:
            why = f"detours took {100 * fact.value:.0f} % of the time"
            yield Contradiction(("noise.detour_share",), why, ("noise",))
    for level in LEVELS:
        for name in ("hidden", "moved_while_sending", "moved_while_receiving"):
            path = f"network.{level}.{name}"
            if any(not -0.5 <= fact.value <= 1.5 for fact in machine.facts(path)):
                yield Contradiction((path,), "a share lies beyond none and all", ("overlap",))
