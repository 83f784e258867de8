"""Whether what computing took at one size says what it takes at another: working sets beside the caches of the machine that was measured.

A cache of capacity C serves a working set of W bytes fully up to about C / 2 (others use it too) and hardly beyond 4 C: between these, time per byte
changes with W. Two working sets are alike when no cache changes between them. The last cache is shared by a node, the others are a core's own.
"""

from dataclasses import dataclass

from hakaru.base import units
from hakaru.facts.machines import Machine
from hakaru.facts.work import Work

BEGINS, ENDS = 0.5, 4.0  # multiples of a capacity
ALIKE = 1.1  # ratio of working sets that are the same


@dataclass(frozen=True)
class WorkingSet:
    """Of a run: all its memory, and that of a core."""

    node_bytes: float
    core_bytes: float

    @classmethod
    def of(cls, memory_bytes: float | None, cores: int) -> "WorkingSet | None":
        return cls(memory_bytes, memory_bytes / cores) if memory_bytes else None


def changing(one: WorkingSet | None, other: WorkingSet | None, machine: Machine | None) -> str | None:
    """The cache that serves two working sets differently, with its capacity, in words; None where there is none or nothing is known."""
    if one is None or other is None or machine is None:
        return None
    known = [level for level in machine.levels if level.capacity and not level.is_memory]
    last = max((level.capacity for level in known), default=None)
    for level in sorted(known, key=lambda level: level.capacity):
        capacity = level.capacity
        of_node = capacity == last and len(known) > 1
        sizes = [found.node_bytes if of_node else found.core_bytes for found in (one, other)]
        low, high = min(sizes), max(sizes)
        if high > ALIKE * low and low < ENDS * capacity and high > BEGINS * capacity:
            return f"{level.name} ({units.capacity(capacity)})"
    return None


def of_run(work: Work) -> WorkingSet | None:
    """Of what ``describe`` says of a layout on one node."""
    return WorkingSet.of(work.memory_bytes, work.ranks * work.threads)
