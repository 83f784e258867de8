"""Computation priced by the memory rates that were measured on the machine: Q bytes at the rate B(w, p) of p cores whose data take w each.

    c Q / B                  it is traffic, and always the same share of what the memory gives
    c max(Q / B, a W / p)    traffic hidden behind the arithmetic W of each core, or the other way round (the roofline:
                             Williams, Waterman and Patterson, CACM 52(4), 2009)
    c (Q / B + a W / p)      first the one, then the other

They foresee what no growth law can: that data which were in a cache will not be. a is found by least squares in ln(time).
How much of what triad keeps in a cache a program keeps is found in its runs, too: the least of KEPT that explains their times as well as
any.
"""

import math
from collections.abc import Callable, Sequence
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
    share = kept(machine, phase, situation.points, situation.time_s)
    traffic = [traffic_s(machine, phase, point, share) for point in points]
    if not all(traffic) or not all(_core(phase, point) for point in points):
        return []

    def memory_s(point: Point) -> float:
        return traffic_s(machine, phase, point, share) or 0.0

    ratio = _middle(situation.time_s, traffic[:-1])
    found = [Candidate((Term("bytes/memory rate", memory_s),), _unlike_traffic(ratio), priced=True)]
    core = [_core(phase, point) for point in situation.points]
    for name, joined in JOINED.items():
        rate = _fitted(joined, traffic[:-1], core, situation.time_s)[0]
        if rate is not None:
            found.append(Candidate((_joined(name, joined, memory_s, phase, rate),), priced=True))
    return found


def kept(machine: Machine, phase: str, points: Sequence[Point], time_s: Sequence[float]) -> float:
    """The share of KEPT that the phase's times tell; the least where they tell nothing."""
    found, least = KEPT[0], math.inf
    for share in KEPT:
        traffic = [traffic_s(machine, phase, point, share) for point in points]
        core = [_core(phase, point) for point in points]
        if not all(traffic) or not all(core):
            return KEPT[0]
        error = min(_fitted(joined, traffic, core, time_s)[1] for joined in JOINED.values())
        if error < AS_WELL * least:
            found, least = share, error
    return found


def rate_of(machine: Machine, point: Point, share: float = KEPT[0]) -> float | None:
    """B/s of the data of a point, on all its cores; None where the machine does not say."""
    return machine.bandwidth_of(point.memory_bytes / share / point.cores, point.cores)


def leaves_caches(machine: Machine, points: Sequence[Point], target: Point, share: float = KEPT[0]) -> bool:
    """Whether a core gets its data more slowly at the target than in every measured run."""
    rates = [(rate_of(machine, point, share) or 0.0) / point.cores for point in (*points, target)]
    return rates[-1] < SLOWER * min(rates[:-1])


def traffic_s(machine: Machine, phase: str, point: Point, share: float = KEPT[0]) -> float | None:
    """Least time in s of the phase's traffic; None where the program does not say its bytes, or the machine its rates."""
    if phase not in point.work or not point.memory_bytes:
        return None
    rate = rate_of(machine, point, share)
    moved = point.count(phase, "bytes_write_allocate") / ALLOCATED or point.count(phase, "bytes")
    return moved / rate if rate and moved > 0.0 else None


def _core(phase: str, point: Point) -> float:
    """Arithmetic of one core, or what it loads and stores where the phase counts no arithmetic."""
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
