"""Whether the facts of one probing agree with each other: a disturbed machine writes facts that cannot all be true.

Each rule is a bound that holds on any machine for a physical reason, which its docstring gives; its tolerance is what undisturbed
machines were seen to need, and is wide, since it shall tell a disturbance (a factor) from a scatter (percents). Rules speak of measured
facts only, and a rule whose facts are missing says nothing.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from hakaru.facts.machines.machine import LEVELS
from hakaru.facts.machines.tree import is_fact

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
SOON_S = 200e-9  # below that a difference of times is reading the clock


@dataclass(frozen=True)
class Contradiction:
    """Facts at ``paths`` (of which at least one is wrong) and why they cannot all be true; ``probes`` measured them."""

    paths: tuple[str, ...]
    why: str
    probes: tuple[str, ...]

    def __str__(self) -> str:
        return f"{' and '.join(self.paths)} contradict each other: {self.why}"


def contradictions(machine: dict[str, Any]) -> list[Contradiction]:
    """What cannot be true of a measured machine; empty when nothing speaks against its facts."""
    found: list[Contradiction] = []
    for level in LEVELS:
        facts = machine.get("network", {}).get(level, {})
        for rule in (_latency, _residual, _trains, _windows, _grows, _both_ways, _collectives, _put):
            found += rule(f"network.{level}", facts)
    for whole in (_memory_levels, _memory_rates, _arithmetic, _threads, _shares):
        found += whole(machine)
    return found


def refuse(machine: dict[str, Any], found: Iterable[Contradiction]) -> None:
    """Takes the facts of these contradictions out of the tree: nobody knows which of them is the wrong one."""
    for path in {path for one in found for path in one.paths}:
        _drop(machine, path.split("."))


def _drop(node: Any, names: list[str]) -> None:
    name, *rest = names
    if "[" in name:
        array, label = name.removesuffix("]").split("[")
        entries = [entry for entry in node.get(array, []) if entry.get("name") == label]
        for entry in entries:
            _drop(entry, rest)
    elif not rest:
        node.pop(name, None)
    elif isinstance(node.get(name), dict):
        _drop(node[name], rest)


def _list(facts: dict[str, Any], name: str) -> list[dict[str, Any]]:
    node = facts.get(name, [])
    return [node] if is_fact(node) else [entry for entry in node if is_fact(entry)]


def _by_bytes(facts: dict[str, Any], name: str) -> dict[int, float]:
    return {entry["bytes"]: entry["value"] for entry in _list(facts, name) if "bytes" in entry}


def _us(seconds: float) -> str:
    return f"{seconds * 1e6:.3g} us"


def _latency(where: str, facts: dict[str, Any]) -> Iterator[Contradiction]:
    """Half of a round trip of the shortest message is one quantity, measured twice."""
    pingpong, latency = _by_bytes(facts, "pingpong"), _list(facts, "latency")
    if not pingpong or not latency or min(pingpong) > 1:
        return
    half_s, latency_s = pingpong[min(pingpong)], latency[0]["value"]
    limit_s = LATENCY_TOLERANCE * half_s + SOON_S
    if latency_s > limit_s or half_s > LATENCY_TOLERANCE * latency_s + SOON_S:
        yield Contradiction(
            (f"{where}.latency", f"{where}.latency_without_overheads", f"{where}.pingpong"),
            f"half of a round trip of the shortest message took {_us(latency_s)} in one and {_us(half_s)} in the other",
            ("messages",),
        )


def _residual(where: str, facts: dict[str, Any]) -> Iterator[Contradiction]:
    """A line through the trains' times that misses one of them by more than that time is no description of them."""
    worst = max((entry.get("residual", 0.0) for entry in _list(facts, "gap_per_byte")), default=0.0)
    if worst > RESIDUAL_LIMIT:
        yield Contradiction(
            (f"{where}.gap", f"{where}.gap_per_byte"),
            f"the line of a size class misses a time it was fitted to by {100 * worst:.0f} %",
            ("messages",),
        )


def _trains(where: str, facts: dict[str, Any]) -> Iterator[Contradiction]:
    """Messages of a train overlap with each other at most in the stages that a message passes, and need no longer each than messages
    that wait for an answer: pp(s) <= pp(shortest) + stages (g + G (s - 1)), and g + G (s - 1) <= pp(s)."""
    pingpong = _by_bytes(facts, "pingpong")
    gaps = {entry.get("minimum_bytes", 0): entry["value"] for entry in _list(facts, "gap")}
    shortest_s = pingpong[min(pingpong)] if pingpong else 0.0
    for piece in _list(facts, "gap_per_byte"):
        low, high = piece.get("minimum_bytes", 0), piece.get("maximum_bytes")
        for size in sorted(size for size in pingpong if size > 1 and low <= size <= (high or size)):
            train_s = gaps.get(low, 0.0) + piece["value"] * (size - 1)
            if _no_pipeline(train_s, pingpong[size], shortest_s):
                yield Contradiction(
                    (f"{where}.gap", f"{where}.gap_per_byte", f"{where}.pingpong"),
                    f"a message of {size} B took {_us(train_s)} in a train and {_us(pingpong[size])} by itself",
                    ("messages",),
                )
                return


def _no_pipeline(each_s: float, alone_s: float, shortest_s: float) -> bool:
    """Whether messages that follow each other are too slow, or too fast, for what one of them takes by itself."""
    most_s = LATENCY_TOLERANCE * shortest_s + TRAIN_TOLERANCE * PIPELINE_STAGES * each_s
    return each_s > TRAIN_TOLERANCE * alone_s + SOON_S or alone_s > most_s + SOON_S


def _windows(where: str, facts: dict[str, Any]) -> Iterator[Contradiction]:
    """The same of messages that are started at once."""
    alone, window = _by_bytes(facts, "pingpong"), _by_bytes(facts, "window")
    for size in sorted(alone.keys() & window.keys()):
        if _no_pipeline(window[size], alone[size], alone[min(alone)]):
            why = (
                f"a message of {size} B took {_us(window[size])} in a window and {_us(alone[size])} by itself"
            )
            yield Contradiction((f"{where}.window", f"{where}.pingpong"), why, ("messages",))
            return


def _grows(where: str, facts: dict[str, Any]) -> Iterator[Contradiction]:
    """More bytes over the same way take no less time."""
    kinds = {"messages": ("pingpong", "exchange"), "putget": ("put", "get", "flagged_put", "ring")}
    for probe, names in kinds.items():
        for name in names:
            if pair := _shrinks(_by_bytes(facts, name), ORDER_TOLERANCE):
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


def _both_ways(where: str, facts: dict[str, Any]) -> Iterator[Contradiction]:
    """Two messages that cross take as long as one of them at least, and as both one after the other at most."""
    alone, both = _by_bytes(facts, "pingpong"), _by_bytes(facts, "exchange")
    for size in sorted(alone.keys() & both.keys()):
        one_s, two_s = alone[size], both[size]
        if one_s > TRAIN_TOLERANCE * two_s + SOON_S or two_s > TRAIN_TOLERANCE * 2 * one_s + SOON_S:
            why = f"{size} B took {_us(one_s)} one way and {_us(two_s)} in both directions at once"
            yield Contradiction((f"{where}.pingpong", f"{where}.exchange"), why, ("messages",))
            return


def _collectives(where: str, facts: dict[str, Any]) -> Iterator[Contradiction]:
    """A collective operation takes no less time for more bytes on as many ranks."""
    for name in ("allreduce", "alltoall", "broadcast", "bisection", "neighbours"):
        entries = [entry for entry in _list(facts, name) if "bytes" in entry and "ranks" in entry]
        for ranks in sorted({entry["ranks"] for entry in entries}):
            times = {entry["bytes"]: entry["value"] for entry in entries if entry["ranks"] == ranks}
            if pair := _shrinks(times, COLLECTIVE_TOLERANCE):
                (small, small_s), (large, large_s) = pair
                why = f"on {ranks} ranks {small} B took {_us(small_s)} and {large} B {_us(large_s)}"
                yield Contradiction((f"{where}.{name}",), why, ("messages",))


def _put(where: str, facts: dict[str, Any]) -> Iterator[Contradiction]:
    """``put_latency`` is ``flagged_put`` of its shortest size."""
    flagged, latency = _by_bytes(facts, "flagged_put"), _list(facts, "put_latency")
    if not flagged or not latency:
        return
    one_s, other_s = flagged[min(flagged)], latency[0]["value"]
    if max(one_s, other_s) > LATENCY_TOLERANCE * min(one_s, other_s) + SOON_S:
        why = f"a put of the shortest size took {_us(other_s)} in one and {_us(one_s)} in the other"
        yield Contradiction((f"{where}.put_latency", f"{where}.flagged_put"), why, ("putget",))


def _memory_levels(machine: dict[str, Any]) -> Iterator[Contradiction]:
    """A level further away answers later (what it misses it asks of the next), and holds more."""
    levels = [level for level in machine.get("memory", {}).get("levels", []) if "name" in level]
    for key, probe in (("latency", "memory_latency"), ("capacity", "memory_latency")):
        known = [(level["name"], level[key]["value"]) for level in levels if is_fact(level.get(key))]
        known.sort(key=lambda one: (one[0] == "memory", one[0]))
        for (near, one), (far, two) in zip(known, known[1:], strict=False):
            if two <= one:
                paths = tuple(f"memory.levels[{name}].{key}" for name in (near, far))
                yield Contradiction(paths, f"{near} has {one:.3g} and {far} {two:.3g}", (probe,))


def _scales(where: str, entries: list[dict[str, Any]], probe: str) -> Iterator[Contradiction]:
    """Cores of one kind draw together at most so many times what one draws, and no less than one."""
    by_kind: dict[tuple, dict[int, float]] = {}
    for entry in entries:
        if "cores" in entry:
            kind = tuple(
                (key, entry[key]) for key in ("kernel", "precision", "bits", "order") if key in entry
            )
            by_kind.setdefault(kind, {})[entry["cores"]] = entry["value"]
    for kind, rates in by_kind.items():
        for cores, rate in sorted(rates.items()):
            one = rates.get(1)
            if one and (rate > RATE_TOLERANCE * cores * one or RATE_TOLERANCE * rate < one):
                name = " ".join(str(value) for _, value in kind)
                why = f"{name}: {cores} cores reach {rate:.3g} and one {one:.3g}"
                yield Contradiction((where,), why, (probe,))
                break


def _memory_rates(machine: dict[str, Any]) -> Iterator[Contradiction]:
    memory = machine.get("memory", {})
    for name in ("bandwidth", "bandwidth_write_allocate"):
        yield from _scales(f"memory.{name}", _list(memory, name), "memory_bandwidth")


def _arithmetic(machine: dict[str, Any]) -> Iterator[Contradiction]:
    """Besides: a matrix product reaches no more than the peak of its multiply-adds."""
    compute = machine.get("compute", {})
    for name in ("fma_peak", "dgemm"):
        yield from _scales(f"compute.{name}", _list(compute, name), "arithmetic")
    peaks = {entry["cores"]: entry["value"] for entry in _list(compute, "fma_peak") if "cores" in entry}
    for entry in _list(compute, "dgemm"):
        peak = peaks.get(entry.get("cores"))
        if peak and entry["value"] > RATE_TOLERANCE * peak:
            why = f"a matrix product reaches {entry['value']:.3g} flop/s, the multiply-adds {peak:.3g}"
            yield Contradiction(("compute.fma_peak", "compute.dgemm"), why, ("arithmetic",))
            return


def _threads(machine: dict[str, Any]) -> Iterator[Contradiction]:
    """A parallel region ends with a barrier of its threads."""
    facts = machine.get("threads", {})
    whole = {entry["threads"]: entry["value"] for entry in _list(facts, "parallel") if "threads" in entry}
    for entry in _list(facts, "barrier"):
        region_s = whole.get(entry.get("threads"))
        if region_s and entry["value"] > ORDER_TOLERANCE * region_s + SOON_S:
            why = f"a barrier took {_us(entry['value'])} and a region that ends with one {_us(region_s)}"
            yield Contradiction(("threads.barrier", "threads.parallel"), why, ("threads",))
            return


def _shares(machine: dict[str, Any]) -> Iterator[Contradiction]:
    """Detours take less than all of the time; hidden shares lie between none and all."""
    noise = machine.get("noise", {})
    for entry in _list(noise, "detour_share"):
        if not 0.0 <= entry["value"] < 1.0:
            why = f"detours took {100 * entry['value']:.0f} % of the time"
            yield Contradiction(("noise.detour_share",), why, ("noise",))
    for level in LEVELS:
        for name in ("hidden", "moved_while_sending", "moved_while_receiving"):
            entries = _list(machine.get("network", {}).get(level, {}), name)
            if any(not -0.5 <= entry["value"] <= 1.5 for entry in entries):
                yield Contradiction(
                    (f"network.{level}.{name}",), "a share lies beyond none and all", ("overlap",)
                )
