"""How close each phase comes to what the machine can do.

Roofline (Williams, Waterman and Patterson, "Roofline: an insightful visual performance model for multicore
architectures", Communications of the ACM 52(4), 2009): with W flops, Q bytes, intensity I = W / Q,

    attainable rate = min(peak, I x bandwidth),    shortest time = max(W / peak, Q / bandwidth)

The fraction of the bound is shortest time / measured time, which also holds for phases without flops. Q
counts loads and stores with the read of each written line; data that stay in a cache move faster than
memory, so a fraction above one is possible and is explained, never hidden. A communicating phase is compared
with the ping-pong time of its messages.
"""

from dataclasses import dataclass

from hakaru.base import units
from hakaru.facts.machines import Machine
from hakaru.facts.records.groups import Group
from hakaru.facts.work import PhaseWork
from hakaru.tell.explain.phases import Phase

NEAR = 0.7


@dataclass(frozen=True)
class Bound:
    """One phase against the machine. Rates in flop/s and B/s, intensity in flop/B, times in s; None: not
    known.
    """

    phase: str
    kind: str
    time_s: float
    flop_rate: float | None
    byte_rate: float | None
    intensity: float | None
    peak: float | None
    bandwidth: float | None
    bound_s: float | None
    fraction: float | None
    limit: str
    note: str
    precision: str = "double"


def bounds(group: Group, phases: list[Phase], machine: Machine) -> list[Bound]:
    """Bounds of every phase that states its work; the time is the maximum over ranks."""
    counted = {entry.phase: entry for entry in group.work.phases}
    result = []
    for phase in phases:
        work = counted.get(phase.name)
        if not work or phase.maximum_s <= 0.0:
            continue
        make = _messages if phase.kind == "communicate" and work.messages else _roofline
        bound = make(group, phase, work, machine)
        if bound:
            result.append(bound)
    return result


def _roofline(group: Group, phase: Phase, work: PhaseWork, machine: Machine) -> Bound | None:
    flops, moved = work.flops, work.moved_bytes
    if not flops and not moved:
        return None
    precision = str(group.records[-1].parameters.get("precision", "double"))
    peak = machine.peak(group.cores, precision)
    memory = machine.bandwidth(group.cores, write_allocate=bool(work.bytes_write_allocate))
    arithmetic_s = flops / peak.value if peak else None
    memory_s = moved / memory.value if memory else None
    shortest_s = max((time for time in (arithmetic_s, memory_s) if time is not None), default=None)
    limit = "unknown"
    if arithmetic_s is not None and memory_s is not None:
        limit = "memory bandwidth" if memory_s >= arithmetic_s else "arithmetic"
    fraction = shortest_s / phase.maximum_s if shortest_s else None
    notes = [one.note for one in (peak, memory) if one and one.note]
    if limit == "memory bandwidth":
        notes.append(_cache_note(group, machine, fraction))
    elif fraction and fraction > 1.0:
        notes.append(
            "faster than the measured peak: the flops are counted too high or the peak was measured too low"
        )
    return Bound(
        phase.name,
        phase.kind,
        phase.maximum_s,
        flops / phase.maximum_s if flops else None,
        moved / phase.maximum_s if moved else None,
        flops / moved if flops and moved else None,
        peak.value if peak else None,
        memory.value if memory else None,
        shortest_s,
        fraction,
        limit,
        "; ".join(note for note in notes if note),
        precision,
    )


def fits_in_cache(group: Group, machine: Machine) -> bool:
    """Whether the whole problem is no larger than the largest cache the machine file knows."""
    needed, cache = group.work.memory_bytes, machine.last_cache_bytes
    return bool(needed and cache and needed <= cache)


def _cache_note(group: Group, machine: Machine, fraction: float | None) -> str:
    if fits_in_cache(group, machine):
        return "fits in the cache, so memory is no limit"
    if fraction and fraction > 1.0:
        return "more than memory can deliver: part comes from a cache"
    return ""


def _messages(group: Group, phase: Phase, work: PhaseWork, machine: Machine) -> Bound | None:
    messages = work.messages / group.ranks
    size = work.message_bytes / work.messages
    each_s = machine.pingpong_s(size)
    expected_s = messages * each_s if each_s is not None else None
    rate = work.message_bytes / phase.maximum_s
    note = f"{messages:.3g} messages a rank of {units.tick(units.quantity(size, 'B'))}"
    note += ", priced as ping-pongs one after another" if each_s is not None else ""
    fraction = expected_s / phase.maximum_s if expected_s else None
    if fraction and fraction > 1.0:
        note += "; faster than that, because messages overlap"
    return Bound(
        phase.name,
        phase.kind,
        phase.maximum_s,
        None,
        rate,
        None,
        None,
        None,
        expected_s,
        fraction,
        "messages",
        note,
    )


def shortest_time(group: Group, phases: list[Phase], machine: Machine) -> float | None:
    """Sum over phases of their shortest time in s, or None unless every phase with work has a true lower
    bound.

    Phases without counted work contribute nothing, and a problem that fits in a cache has no bound from
    memory bandwidth, so the sum stays a lower bound of the wall time.
    """
    known = [
        bound for bound in bounds(group, phases, machine) if bound.limit in ("memory bandwidth", "arithmetic")
    ]
    if not known or any(bound.limit == "unknown" for bound in known):
        return None
    if fits_in_cache(group, machine) or any(
        b.limit == "memory bandwidth" and (b.fraction or 0) > 1 for b in known
    ):
        return sum((b.flop_rate or 0.0) * b.time_s / b.peak for b in known if b.peak) or None
    return sum(bound.bound_s or 0.0 for bound in known)
