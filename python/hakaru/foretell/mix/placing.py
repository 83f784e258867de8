"""Which nodes each job had, for charts: jobs of whole nodes take the lowest that are free."""

import heapq
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from hakaru.foretell.mix.jobs import Outcome

MOST_PLACES = 300_000  # nodes, and jobs times their nodes


@dataclass(frozen=True)
class Bar:
    """A job on neighbouring nodes, from ``first`` over ``height`` of them (parts of one where nodes are shared). Times in s."""

    job: int
    kind: int
    first: float
    height: float
    begin_s: float
    end_s: float


def bars(outcome: Outcome, nodes: int, cores: int) -> list[Bar]:
    """By start; none where there would be too many to see."""
    if max(int(outcome.jobs.needs.sum()), nodes) > MOST_PLACES:
        return []
    return list(_parts(outcome, cores) if outcome.nodes else _whole(outcome, nodes))


def _in_order(outcome: Outcome) -> Sequence[int]:
    return np.lexsort((np.arange(len(outcome.jobs)), outcome.start_s)).tolist()


def _whole(outcome: Outcome, nodes: int) -> Iterator[Bar]:
    free = list(range(nodes))
    ends: list[tuple[float, list[int]]] = []
    for job in _in_order(outcome):
        begin, end = float(outcome.start_s[job]), float(outcome.end_s[job])
        while ends and ends[0][0] <= begin:
            for node in heapq.heappop(ends)[1]:
                heapq.heappush(free, node)
        mine = sorted(heapq.heappop(free) for _ in range(int(outcome.jobs.needs[job])))
        heapq.heappush(ends, (end, mine))
        for first, count in _runs(mine):
            yield Bar(job, int(outcome.jobs.kind[job]), first, count, begin, end)


def _runs(nodes: Sequence[int]) -> Iterator[tuple[int, int]]:
    """(first, count) of consecutive numbers."""
    first, count = nodes[0], 1
    for node in nodes[1:]:
        if node == first + count:
            count += 1
            continue
        yield first, count
        first, count = node, 1
    yield first, count


def _parts(outcome: Outcome, cores: int) -> Iterator[Bar]:
    """Each job on the lowest free cores of its nodes."""
    until: dict[int, list[float]] = {}
    for job in _in_order(outcome):
        begin, end = float(outcome.start_s[job]), float(outcome.end_s[job])
        for node in outcome.nodes[job]:
            taken = until.setdefault(node, [-1.0] * cores)
            mine = [core for core in range(cores) if taken[core] <= begin][: int(outcome.jobs.cores[job])]
            for core in mine:
                taken[core] = end
            for first, count in _runs(mine):
                yield Bar(job, int(outcome.jobs.kind[job]), node + first / cores, count / cores, begin, end)


def over_time(outcome: Outcome) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Times (m,) at which something changes, and from each of them on how many nodes are taken and how many jobs wait."""
    jobs = outcome.jobs
    moments = np.concatenate([outcome.start_s, outcome.end_s, jobs.submit_s])
    nodes = np.concatenate([jobs.needs, -jobs.needs, np.zeros(len(jobs), dtype=int)])
    queue = np.concatenate([-np.ones(len(jobs)), np.zeros(len(jobs)), np.ones(len(jobs))])
    times, place = np.unique(moments, return_inverse=True)
    return times, np.cumsum(np.bincount(place, nodes)), np.cumsum(np.bincount(place, queue))
