"""A message to oneself: a copy in memory, priced by facts of the memory and by no distance between ranks.

s bytes take latency + 2 s / bandwidth of one core (STREAM's count: each byte is read once and written once), of the innermost
cache that holds both buffers (2 s bytes), else of memory; the overheads are those of a message of 0 B between two cores of a
socket, where they are known. Where an all-to-all of two of its cores was, the copy takes what that takes beyond an exchange of the
same size: the library's copy, with data that other work has moved.
"""

from hakaru.facts.machines import Machine
from hakaru.facts.machines.fact import Fact
from hakaru.foretell.replay.beyond_exchanges import beyond_exchanges
from hakaru.foretell.replay.documents.network import Level, SizeClass, at_size
from hakaru.foretell.replay.levels import Told, entries

SELF = "self"
LEAST_BYTES = 4096  # below, calls take longer than copies
_TRAFFIC = 2.0  # bytes moved for each byte copied: one read, one written


def self_level(machine: Machine, told: Told, core: Level | None = None) -> dict[str, Level]:
    """The level of a rank and itself, beside that of two cores of a socket; empty where the machine has no fact of its memory."""
    pieces = _pieces(machine, told)
    if not pieces:
        told.lack("a message to oneself takes no time", "memory.bandwidth")
        return {}
    send_s, receive_s = (
        at_size(getattr(core, name), 0) if core else _overhead(machine, name, told)
        for name in ("send_overhead", "receive_overhead")
    )
    level = Level(
        latency_s=0.0,
        gap_per_byte=tuple(SizeClass.between(least, most, copying_s) for least, most, copying_s, _ in pieces),
        send_overhead=tuple(
            SizeClass.between(least, most, send_s + first_s) for least, most, _, first_s in pieces
        ),
        receive_overhead=receive_s,
    )
    told.assume("a message to oneself is a copy in memory: two bytes moved for each, by one core")
    return {SELF: level}


Piece = tuple[int, int | None, float, float]


def _pieces(machine: Machine, told: Told) -> list[Piece]:
    """(least and most bytes of a message, s/B of copying, s before the first byte), from the innermost cache outwards."""
    memory = machine.bandwidth(1, write_allocate=False)
    if memory is None:
        return []
    found: list[Piece] = []
    least, known = 0, machine.levels
    for level in known:
        rate = _rate(machine, level.name)
        if level.is_memory or not rate or not level.capacity:
            continue
        most = int(level.capacity / _TRAFFIC)
        if most <= least:
            continue
        told.fact(f"memory.levels.{level.name}.bandwidth", rate)
        found.append((least, most, _TRAFFIC * rate.keys["cores"] / rate.value, level.latency or 0.0))
        least = most + 1
    told.fact("memory.bandwidth", memory.plain)
    beyond = next((level.latency for level in known if level.is_memory), None)
    priced = [*found, (least, None, _TRAFFIC * memory.cores / memory.value, beyond or 0.0)]
    return _measured(machine, priced, told) or priced


def _measured(machine: Machine, priced: list[Piece], told: Told) -> list[Piece]:
    """Pieces up to each size whose copies the probe shows, and by ``priced`` below them, where that is less; none where it shows none."""
    shown = beyond_exchanges(machine, "alltoall", 1, told, LEAST_BYTES, apart=True)
    if not shown:
        return []
    told.assume("a copy takes what network.core.alltoall of two ranks takes beyond network.core.exchange")
    found = [(least, most, each_s, first_s) for least, most, each_s, first_s in priced if least < shown[0][0]]
    least, _, each_s, first_s = found[-1]
    found[-1] = (least, shown[0][0] - 1, min(each_s, shown[0][1]), first_s)
    ends = [size - 1 for size, _ in shown[1:]]
    for (size, each_s), end in zip(shown, [*ends, None], strict=True):
        found.append((size, end, each_s, 0.0))
    return found


def _rate(machine: Machine, name: str) -> Fact | None:
    """The fastest bandwidth of a cache for the fewest cores."""
    rates = [
        fact
        for fact in machine.facts(f"memory.levels[{name}].bandwidth")
        if fact.keys.get("cores") and fact.value > 0
    ]
    return min(rates, key=lambda fact: (fact.keys["cores"], -fact.value), default=None)


def _overhead(machine: Machine, name: str, told: Told) -> float:
    """That of the smallest message between cores of a socket; 0 where it was not measured."""
    known = sorted(entries(machine, "core", name), key=lambda fact: fact.keys.get("minimum_bytes", 0))
    if not known:
        return 0.0
    told.fact(f"network.core.{name}", known[0])
    return max(float(known[0].value), 0.0)
