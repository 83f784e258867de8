"""Jobs that share nodes slow each other: who runs where, how fast, and when each ends."""

import heapq
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np


@dataclass
class _Job:
    """``left_s``: what it has left to do, in seconds by itself; since ``since`` it does ``rate`` of that in a second."""

    kind: int
    nodes: tuple[int, ...]
    left_s: float
    latest: float
    since: float
    rate: float = 0.0
    version: int = 0


class Neighbours:
    """``slower`` (K, K): how many times as long a job of kind i takes beside one of kind j on a node.

    Beside several the excesses add, 1 + sum (s - 1), and the slowest node of a job sets its pace.
    """

    def __init__(self, slower: np.ndarray):
        self._excess: list[list[float]] = (slower - 1.0).tolist()
        self._jobs: dict[int, _Job] = {}
        self._on: dict[int, set[int]] = {}
        self._ends: list[tuple[float, int, int]] = []

    @property
    def next_end(self) -> float:
        while self._ends and not self._valid(*self._ends[0][1:]):
            heapq.heappop(self._ends)
        return self._ends[0][0] if self._ends else math.inf

    def begin(
        self, job: int, kind: int, nodes: tuple[int, ...], run_s: float, limit_s: float, now: float
    ) -> None:
        self._jobs[job] = _Job(kind, nodes, run_s, now + limit_s, now)
        for node in nodes:
            self._on.setdefault(node, set()).add(job)
        self._set_pace(nodes, now)

    def end_due(self, now: float) -> list[tuple[int, bool]]:
        """Who has ended by now, and whether at its limit, with work left."""
        ended: list[tuple[int, bool]] = []
        while self.next_end <= now:
            _, job, _ = heapq.heappop(self._ends)
            one = self._jobs.pop(job)
            left_s = one.left_s - (now - one.since) * one.rate
            ended.append((job, left_s > 1e-9 * max(one.left_s, 1.0)))
            for node in one.nodes:
                self._on[node].discard(job)
            self._set_pace(one.nodes, now)
        return ended

    def _valid(self, job: int, version: int) -> bool:
        return job in self._jobs and self._jobs[job].version == version

    def _set_pace(self, nodes: Sequence[int], now: float) -> None:
        for job in sorted({job for node in nodes for job in self._on.get(node, ())}):
            one = self._jobs[job]
            one.left_s -= (now - one.since) * one.rate
            one.since, one.version = now, one.version + 1
            one.rate = 1.0 / max(self._slower(job, one.kind, node) for node in one.nodes)
            end = min(now + max(one.left_s, 0.0) / one.rate, one.latest)
            heapq.heappush(self._ends, (end, job, one.version))

    def _slower(self, job: int, kind: int, node: int) -> float:
        excess = self._excess[kind]
        return 1.0 + sum(excess[self._jobs[other].kind] for other in self._on[node] if other != job)
