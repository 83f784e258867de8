"""Daemons that run at the same times on all nodes, against as many that come when they like: the share of a run that either takes.

Gathered detours begin at the same times on all nodes, one in each period p; scattered ones at times of each node's own, once a period, too.
Both come whether a rank computes or waits. Random ones are independent of each other: their number in a computation is Poisson's, so that
none comes to a rank that waits. With d / (p - d) = share, one node alone loses the same share of its computing by each.
"""

import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from hakaru.foretell.replay.documents.options import Detours, Noise
from hakaru.studies.row import Row

RANDOM, SCATTERED, GATHERED = MANNERS = ("random", "scattered", "gathered")


@dataclass(frozen=True)
class Lost:
    """What detours add to a run without noise, as its share; one number for each seed."""

    name: str
    shares: dict[str, tuple[float, ...]]  # by manner

    def mean(self, manner: str) -> float:
        return statistics.mean(self.shares[manner])

    def told(self, manner: str, digits: int = 2) -> str:
        of = self.shares[manner]
        mean, low, high = (f"{100.0 * value:.{digits}f}" for value in (self.mean(manner), min(of), max(of)))
        return f"{mean} %" if len(of) == 1 else f"{mean} % ({low} to {high})"

    def rows(self) -> list[Row]:
        return [Row(f"{self.name}/{manner}", None, self.mean(manner), "1") for manner in MANNERS]


def random(rate_per_s: float, length_s: float, seed: int, calls: bool = False) -> Noise:
    """Detours of one length that come independently of each other; with ``calls`` also in calls of MPI."""
    detours = (Detours(rate_per_s=rate_per_s, detour_s=length_s),)
    return Noise(kind="detours", detours=detours, calls=calls, seed=seed)


def noise(manner: str, length_s: float, share: float, seed: int, part: float = 1.0) -> Noise:
    """``share`` of a node's computing in detours of one length. ``part``: how many of a node's detours a rank meets where they come apart;
    a gathered one holds up every rank of its node."""
    if manner == RANDOM:
        return random(part * share / length_s, length_s, seed)
    together = manner == GATHERED
    own = 1.0 if together else part
    period_s = length_s * (1.0 + own * share) / (own * share)
    return Noise(kind="periodic", period_s=period_s, detour_s=length_s, together=together, seed=seed)


def noises(length_s: float, share: float, seeds: Sequence[int], part: float = 1.0) -> list[Noise]:
    """By manner, then by seed."""
    return [noise(manner, length_s, share, seed, part) for manner in MANNERS for seed in seeds]


def lost(name: str, quiet_s: float, times_s: Sequence[float]) -> Lost:
    """``times_s``: with each of ``noises``."""
    added = [one / quiet_s - 1.0 if quiet_s > 0.0 else 0.0 for one in times_s]
    seeds = len(added) // len(MANNERS)
    return Lost(name, {m: tuple(added[i * seeds : (i + 1) * seeds]) for i, m in enumerate(MANNERS)})


def told(lost: Lost, digits: int = 2) -> str:
    return ", ".join(f"{manner} {lost.told(manner, digits)}" for manner in MANNERS)
