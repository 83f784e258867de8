"""A step of a case on so many nodes, and how evenly threads share its orbitals."""

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Busy:
    """Orbitals of the busiest process, and the part of its threads' time that they fill; a thread does one orbital after another."""

    orbitals: int
    share: float


def busy(k_points: int, bands: int, processes: int, threads: int) -> Busy:
    """``threads`` of each process. k-points are shared evenly among processes, orbitals among threads."""
    orbitals = math.ceil(k_points / processes) * bands
    return Busy(orbitals, orbitals / (threads * math.ceil(orbitals / threads)))


@dataclass(frozen=True)
class Point:
    """A case on so many nodes of a system: seconds of a time step, and the shares of it that are not computing."""

    case: str
    system: str
    nodes: int
    step_s: float
    communicating: float
    threads_busy: float
