"""Computing that was measured on one machine, carried to another by what both machines say of themselves.

Roofline (Williams, Waterman and Patterson, CACM 52(4), 2009) gives a least time for the traffic; the rest goes with the core. A rank that
took t while it moved Q bytes, and had bandwidth b, peak p and clock f of its node's, takes on a machine where it has b', p' and f'

    t' = m b / b' + (t - m) r,      m = min(Q / b, t),      r between p / p' and f / f'

p is that of the widest multiply-adds, and f that of one instruction after the other: a program lies between them, and how far is not known,
so r is their geometric mean, and both ends are told. Where Q is not known, t' lies between t b / b' and t r.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from math import sqrt

from hakaru.facts.forecasts import Span
from hakaru.facts.machines import Machine
from hakaru.facts.machines.fact import Fact
from hakaru.foretell.replay import compute
from hakaru.foretell.replay.levels import Told
from hakaru.foretell.replay.placement import Placement, placement


@dataclass(frozen=True)
class Share:
    """What one rank has of its node when all ranks of the node compute: B/s, flop/s, and Hz where the machine says its clock."""

    bytes_per_s: float
    flops_per_s: float
    clock_hz: float | None = None

    def ratios(self, there: "Share") -> tuple[float, ...]:
        """By how much the core of another machine is slower: by its peak, and by its clock."""
        found = [self.flops_per_s / there.flops_per_s]
        if self.clock_hz and there.clock_hz:
            found.append(self.clock_hz / there.clock_hz)
        return tuple(found)


def share_of(
    machine: Machine,
    ranks: int,
    threads: int = 1,
    told: Told | None = None,
    precision: str = "double",
) -> Share:
    """The share of a rank where ranks fill the cores of a node one after the other. The fullest memory node decides.

    Raises UserError naming the fact that the machine lacks.
    """
    told = told or Told()
    placed = placement(machine, threads, None, told)
    here = min(ranks, placed.ranks_per_node)
    most = _of_memory_node(machine, placed, told)
    crowd = min(here, most)
    rates = compute.rates(machine, _packed(placed, crowd), crowd, told, precision)
    clock = machine.find("processor.clock")
    if clock:
        told.fact("processor.clock", clock)
    return Share(rates.bytes_per_s, rates.flops_per_s, clock.value if clock else None)


def _of_memory_node(machine: Machine, placed: Placement, told: Told) -> int:
    """Ranks that share a memory node, where the machine says what one carries; else those that share the node."""
    count = machine.find("processor.memory_nodes")
    if count is None or count.value < 2:
        return placed.ranks_per_node
    cores = int(placed.cores // count.value)
    if not any(fact.keys.get("cores") == cores for fact in machine.facts("memory.bandwidth")):
        return placed.ranks_per_node
    told.fact("processor.memory_nodes", count)
    return max(cores // placed.threads, 1)


def _packed(placed: Placement, ranks: int) -> Placement:
    return Placement(ranks, ranks, placed.nodes_per_switch, placed.threads, placed.cores, chosen=True)


def carried(seconds: float, moved_bytes: float | None, here: Share, there: Share) -> Span:
    """Time there of what took ``seconds`` here; the ends are those of what is not known."""
    slower = here.bytes_per_s / there.bytes_per_s
    ratios = here.ratios(there)
    if moved_bytes is None:
        every = [slower, *ratios]
        low, high = min(every), max(every)
        return Span(value=seconds * sqrt(slower * _mean(ratios)), low=seconds * low, high=seconds * high)
    memory_s = min(moved_bytes / here.bytes_per_s, seconds)
    rest_s = seconds - memory_s
    low, value, high = (memory_s * slower + rest_s * one for one in (min(ratios), _mean(ratios), max(ratios)))
    return Span(value=value, low=low, high=high)


def _mean(ratios: Iterable[float]) -> float:
    """Geometric, of the smallest and the largest."""
    every = list(ratios)
    return sqrt(min(every) * max(every))


def faster_memory(machine: Machine, factor: float) -> Machine:
    """The machine with every bandwidth of its memory multiplied: what a test damages."""

    def changed(fact: Fact) -> Fact:
        return fact.times(factor)

    for path in ("memory.bandwidth", "memory.bandwidth_peak"):
        if machine.facts(path):
            machine = machine.with_each(path, changed)
    return machine
