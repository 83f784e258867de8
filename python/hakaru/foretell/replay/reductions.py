"""What combining two vectors costs: three bytes are moved for each byte (two operands read, one result written), as fast as the level of
the memory hierarchy gives them where the vectors lie. Where an allreduce of two cores was measured, what it takes beyond its messages:
libraries copy vectors to where they are summed, and into memory of their own.

An allreduce of s bytes by two ranks is one exchange of s, long ones (ring, Rabenseifner) are two of s / 2, each with its combining:

    s/B = (allreduce(s) - exchange(s)) / s,  or  (allreduce(s) - 2 exchange(s / 2)) / (s / 2)

Between both libraries differ.
"""

from hakaru.facts.machines import Machine
from hakaru.foretell.replay.beyond_exchanges import beyond_exchanges
from hakaru.foretell.replay.documents.network import BySize, SizeClass
from hakaru.foretell.replay.levels import Told

TRAFFIC = 3.0  # bytes moved for each byte combined
HELD = 2.0  # bytes of a cache for each byte combined: the result is written over an operand
# Open MPI 4.1 and MPICH sum vectors of two ranks as wholes up to here, and in parts from there on.
WHOLE_BYTES, IN_PARTS_BYTES = 2048, 16384


def reduction_s_per_byte(machine: Machine, told: Told) -> BySize:
    """Of one core, by the length of a vector."""
    found = machine.bandwidth(1, write_allocate=False)
    if found is None:
        told.assume("combining numbers in a reduction takes no time (no fact memory.bandwidth)")
        return 0.0
    told.fact("memory.bandwidth", found.plain)
    told.assume("a reduction moves three bytes of memory for each byte it combines")
    beyond_s = TRAFFIC * found.cores / found.value
    inside = _measured(machine, beyond_s, told) or _by_clock(machine, beyond_s, told)
    priced = [*inside, (None, beyond_s)]
    in_parts = beyond_exchanges(machine, "allreduce", 2, told, least_bytes=IN_PARTS_BYTES)
    if in_parts:
        shown = [*beyond_exchanges(machine, "allreduce", 1, told, most_bytes=WHOLE_BYTES), *in_parts]
        least = shown[0][0]
        told.assume(
            f"combining vectors of {least} B and more takes what network.core.allreduce of two ranks takes beyond its messages"
        )
        priced = [*_below(least, priced), *shown[:-1], (None, shown[-1][1])]
    return _classes(priced) if len(priced) > 1 else beyond_s


def _below(least: int, priced: list[tuple[int | None, float]]) -> list[tuple[int | None, float]]:
    """Of vectors that are shorter."""
    kept = [(longest, time_s) for longest, time_s in priced if longest is not None and longest < least - 1]
    return [*kept, (least - 1, priced[len(kept)][1])]


def _measured(machine: Machine, beyond_s: float, told: Told) -> list[tuple[int, float]]:
    """(longest vector, s/B) of the sizes on the curve whose data come faster than from memory."""
    facts = machine.facts("memory.working_sets")
    cores = min((fact.keys["cores"] for fact in facts), default=0)
    found = []
    for fact in sorted(
        (one for one in facts if one.keys["cores"] == cores), key=lambda one: one.keys["bytes"]
    ):
        time_s = TRAFFIC * cores / fact.value
        if time_s >= beyond_s:
            break
        told.fact("memory.working_sets", fact)
        found.append((int(fact.keys["bytes"] / HELD), time_s))
    return found


def _by_clock(machine: Machine, beyond_s: float, told: Told) -> list[tuple[int, float]]:
    """Of published machines, which tell capacities and no curve."""
    clock, bits = machine.find("processor.clock"), machine.find("processor.simd_bits")
    share = machine.cache_share_bytes
    if clock is None or bits is None or share is None:
        return []
    time_s = TRAFFIC / (bits.value / 8.0 * clock.value)
    longest = int(share / HELD)
    if time_s >= beyond_s or longest < 1:
        return []
    told.fact("processor.clock", clock)
    told.fact("processor.simd_bits", bits)
    told.assume(f"a core adds vectors of up to {longest} B in its caches, which move a SIMD vector a clock")
    return [(longest, time_s)]


def _classes(priced: list[tuple[int | None, float]]) -> tuple[SizeClass, ...]:
    starts = [0, *(longest + 1 for longest, _ in priced if longest is not None)]
    return tuple(
        SizeClass.between(start, longest, time_s)
        for start, (longest, time_s) in zip(starts, priced, strict=True)
    )
