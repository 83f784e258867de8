"""What combining two vectors costs: three bytes are moved for each byte (two operands read, one result written), as fast as the level of
the memory hierarchy gives them where the vectors lie."""

from hakaru.facts.machines import Machine
from hakaru.foretell.replay.documents.network import BySize, SizeClass
from hakaru.foretell.replay.levels import Told

TRAFFIC = 3.0  # bytes moved for each byte combined
HELD = 2.0  # bytes of a cache for each byte combined: the result is written over an operand


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
    return (*_ascending(inside), SizeClass.between(inside[-1][0] + 1, None, beyond_s)) if inside else beyond_s


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


def _ascending(inside: list[tuple[int, float]]) -> tuple[SizeClass, ...]:
    starts = [0, *(longest + 1 for longest, _ in inside)]
    return tuple(
        SizeClass.between(start, longest, time_s)
        for start, (longest, time_s) in zip(starts, inside, strict=False)
    )
