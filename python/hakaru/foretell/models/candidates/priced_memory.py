"""Computation priced by the memory rates that were measured on the machine: Q bytes at the rate B(w, p) of p cores whose data take w each.

    c Q / B                  it is traffic, and always the same share of what the memory gives
    c max(Q / B, a W / p)    traffic hidden behind the arithmetic W of each core, or the other way round (the roofline:
                             Williams, Waterman and Patterson, CACM 52(4), 2009)
    c (Q / B + a W / p)      first the one, then the other

They foresee what no growth law can: that data which were in a cache will not be. a is found by least squares in ln(time).
How much of what triad keeps in a cache a program keeps is found in its runs, too: the least of KEPT that explains their times as well as
any, and by which none of them moves its data faster than triad does. Phases that load by index have a curve of their own, that of sparse
matrices, whose rates hold some arithmetic; where no time is known beyond the caches they take the third form, with what they compute
beyond it: loads whose addresses come from loads hide nothing.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median

import numpy as np

from hakaru.facts.machines import Machine
from hakaru.foretell.models.candidates import Candidate, Situation, Term
from hakaru.foretell.models.observations import Point

KEPT = (0.5, 1.0)  # of what triad keeps in a cache: heat left one of 32 MiB with 17 MB, triad with 35
AS_WELL = 0.8  # of the squared errors: a larger share has to explain times so much better
SLOWER = 0.8  # of the rate of a core in every measured run: its data are farther away
JOINED: dict[str, Callable[[float, float], float]] = {"max": max, "sum": lambda one, other: one + other}
ALLOCATED = (
    4.0 / 3.0
)  # of triad's bytes with those that are read before they are written over those that STREAM counts


def propose(situation: Situation) -> list[Candidate]:
    phase, machine = situation.phase, situation.machine
    if machine is None or situation.kind != "compute":
        return []
    points = (*situation.points, situation.target)
    pricing = pricing_of(machine, phase, situation.points, situation.time_s)
    traffic = [pricing.traffic_s(point) for point in points]
    if not all(traffic) or not all(_core(phase, point) for point in points):
        return []

    def memory_s(point: Point) -> float:
        return pricing.traffic_s(point) or 0.0

    core = [_core(phase, point) for point in situation.points]
    known_there = situation.target in situation.points
    joined = [
        Candidate((_joined(name, one, memory_s, phase, rate),), priced=True)
        for name, one in (JOINED if known_there else pricing.joined).items()
        if (rate := _fitted(one, traffic[:-1], core, situation.time_s)[0]) is not None
    ]
    if pricing.by_index and joined:
        return joined
    rarity = _unlike_traffic(_middle(situation.time_s, traffic[:-1]))
    return [Candidate((Term("bytes/memory rate", memory_s),), rarity, priced=True), *joined]


@dataclass(frozen=True)
class Pricing:
    """Of a phase: how much of what triad keeps in a cache it keeps, and whether its data come as those of sparse matrices do."""

    machine: Machine
    phase: str
    share: float
    by_index: bool

    @property
    def joined(self) -> dict[str, Callable[[float, float], float]]:
        """How traffic and arithmetic may come together."""
        return {"sum": JOINED["sum"]} if self.by_index else JOINED

    def rate(self, point: Point) -> float | None:
        """B/s of the data of a point, on all its cores; None where the machine does not say."""
        each = point.memory_bytes / self.share / point.cores
        if not self.by_index:
            return self.machine.bandwidth_of(each, point.cores)
        gathered = point.count(self.phase, "gathered_bytes") / point.ranks
        return self.machine.indexed_bandwidth(each, gathered, point.cores)

    def traffic_s(self, point: Point) -> float | None:
        """Least time in s of the phase's traffic; None where the program does not say its bytes, or the machine its rates."""
        if self.phase not in point.work or not point.memory_bytes:
            return None
        rate = self.rate(point)
        allocating = 0.0 if self.by_index else point.count(self.phase, "bytes_write_allocate") / ALLOCATED
        moved = allocating or point.count(self.phase, "bytes")
        return moved / rate if rate and moved > 0.0 else None

    def leaves_caches(self, points: Sequence[Point], target: Point, than: Callable = min) -> bool:
        """Whether a core gets its data more slowly at the target than in every measured run; ``than`` max: than in some."""
        rates = [(self.rate(point) or 0.0) / point.cores for point in (*points, target)]
        return rates[-1] < SLOWER * than(rates[:-1])


def pricing_of(machine: Machine, phase: str, points: Sequence[Point], time_s: Sequence[float]) -> Pricing:
    """With the share of KEPT that the phase's times tell; the least where they tell nothing."""
    by_index = bool(machine.values("memory", "indexed_sets")) and all(
        phase in point.work and point.count(phase, "indexed_bytes") for point in points
    )
    shares = [Pricing(machine, phase, share, by_index) for share in KEPT]
    traffic = [[one.traffic_s(point) for point in points] for one in shares]
    core = [_core(phase, point) for point in points]
    if not points or not all(all(one) for one in traffic) or not all(core):
        return shares[0]
    known = list(zip(shares, traffic, strict=True))
    possible = [(one, own) for one, own in known if all(np.array(time_s) >= np.array(own))] or known
    found, least = possible[0][0], math.inf
    for one, own in possible:
        error = min(_fitted(joined, own, core, time_s)[1] for joined in one.joined.values())
        if error < AS_WELL * least:
            found, least = one, error
    return found


def _core(phase: str, point: Point) -> float:
    """Arithmetic of one core, or what it loads and stores where the phase counts no arithmetic; 0 where it counts nothing."""
    if phase not in point.work:
        return 0.0
    return (point.count(phase, "flops") or point.count(phase, "bytes")) / point.cores


def _joined(name: str, joined: Callable, memory_s: Callable[[Point], float], phase: str, rate: float) -> Term:
    return Term(
        f"{name}(bytes/memory rate, {rate:.3g} * work/cores)",
        lambda point: joined(memory_s(point), rate * _core(phase, point)),
    )


def _middle(time_s: Sequence[float], traffic: Sequence[float]) -> float:
    """Of the ratios of times to what their traffic needs at least."""
    return median(one / least for one, least in zip(time_s, traffic, strict=True)) if len(time_s) else 1.0


def _unlike_traffic(ratio: float) -> int:
    """Rarity: what takes so many times longer than its traffic is hardly held up by it."""
    return max(int(math.log2(max(ratio, 1.0))), 0)


def _fitted(
    joined: Callable, traffic: Sequence[float], core: Sequence[float], time_s: Sequence[float]
) -> tuple[float | None, float]:
    """The a of least squares in ln(time) among those that make the arithmetic take 1/100 of the time to all of it, None where the data do
    not ask for any; and the mean square that it leaves."""
    if not len(time_s) or min(time_s) <= 0.0:
        return None, 0.0
    most = np.exp(np.mean(np.log(np.array(time_s) / np.array(core))))
    rates = most * np.geomspace(1e-2, 1.0, 81)
    told = np.array([[joined(q, rate * k) for q, k in zip(traffic, core, strict=True)] for rate in rates])
    errors = ((np.log(told) - np.log(np.array(time_s))) ** 2).mean(axis=1)
    best = int(errors.argmin())
    return (float(rates[best]) if best else None), float(errors[best])
