"""Jobs that share nodes, by a policy: each takes cores of some nodes, and neighbours slow each other.

A reservation is for certain nodes. First come first served and EASY keep one, of the first of the queue; conservative backfill keeps one for
each of the first ``depth``. Whoever has none may start where no reservation stands. O(Q B N) for each event, with Q in the queue, B steps of
the profile and N nodes.
"""

import math

import numpy as np

from hakaru.foretell.mix.jobs import Jobs, Outcome
from hakaru.foretell.mix.neighbours import Neighbours
from hakaru.foretell.mix.shared_profile import SharedProfile
from hakaru.foretell.mix.simulate import DEPTH


def simulate_shared(
    jobs: Jobs, nodes: int, cores: int, policy: str, slower: np.ndarray, depth: int = DEPTH
) -> Outcome:
    """``slower`` (K, K) as ``Neighbours`` takes it. Every job must fit into the machine."""
    machine = _SharedMachine(jobs, nodes, cores, slower)
    machine.most_reserved = depth if policy == "conservative" else 1
    machine.overtaking = policy != "fcfs"
    while machine.step():
        pass
    return machine.outcome()


class _SharedMachine:
    def __init__(self, jobs: Jobs, nodes: int, cores: int, slower: np.ndarray):
        count = len(jobs)
        self.jobs = jobs
        self.most_reserved, self.overtaking = 1, True
        self.profile = SharedProfile(nodes, cores, float(jobs.submit_s[0]) if count else 0.0)
        self.running = Neighbours(slower)
        self.start, self.end = np.full(count, math.nan), np.full(count, math.nan)
        self.promised = np.full(count, math.inf)
        self.killed = np.zeros(count, dtype=bool)
        self.where: list[tuple[int, ...]] = [()] * count
        self.queue: list[int] = []
        self.reserved: dict[int, tuple[float, tuple[int, ...]]] = {}
        self._next = 0

    def step(self) -> bool:
        """Goes to the next event; False when all is over."""
        due = min((begin for begin, _ in self.reserved.values()), default=math.inf)
        now = min(self.running.next_end, due)
        if self._next < len(self.jobs):
            now = min(now, float(self.jobs.submit_s[self._next]))
        if now == math.inf:
            return False
        self.profile.forget(now)
        self._end_due(now)
        while self._next < len(self.jobs) and self.jobs.submit_s[self._next] <= now:
            self.queue.append(self._next)
            self._next += 1
        self._schedule(now)
        return True

    def outcome(self) -> Outcome:
        return Outcome(self.jobs, self.start, self.end, self.promised, self.killed, tuple(self.where))

    def _end_due(self, now: float) -> None:
        early = False
        for job, killed in self.running.end_due(now):
            self.end[job], self.killed[job] = now, killed
            latest = self.start[job] + self.jobs.limit_s[job]
            self.profile.change(now, latest, self.where[job], int(self.jobs.cores[job]))
            early = early or latest > now
        if early:
            for job, (begin, nodes) in self.reserved.items():
                self._change(job, begin, nodes, 1)
                self._reserve(job)

    def _schedule(self, now: float) -> None:
        """By arrival: who can begin, begins; the first who cannot keep a reservation."""
        waiting = []
        for place, job in enumerate(self.queue):
            if job not in self.reserved and len(self.reserved) < self.most_reserved:
                self._reserve(job)
                self.promised[job] = self.reserved[job][0]
            if job in self.reserved:
                begin, nodes = self.reserved[job]
                if begin <= now:
                    del self.reserved[job]
                    self._begin(job, nodes, now)
                    continue
            elif self.overtaking and (nodes := self._fits(job)) is not None:
                self._change(job, now, nodes, -1)
                self._begin(job, nodes, now)
                continue
            waiting.append(job)
            if not self.overtaking:
                waiting += self.queue[place + 1 :]
                break
        self.queue = waiting

    def _fits(self, job: int) -> tuple[int, ...] | None:
        jobs = self.jobs
        return self.profile.now(int(jobs.needs[job]), int(jobs.cores[job]), float(jobs.limit_s[job]))

    def _reserve(self, job: int) -> None:
        jobs = self.jobs
        begin, nodes = self.profile.earliest(
            int(jobs.needs[job]), int(jobs.cores[job]), float(jobs.limit_s[job])
        )
        self._change(job, begin, nodes, -1)
        self.reserved[job] = begin, nodes

    def _change(self, job: int, begin: float, nodes: tuple[int, ...], sign: int) -> None:
        self.profile.change(begin, begin + self.jobs.limit_s[job], nodes, sign * int(self.jobs.cores[job]))

    def _begin(self, job: int, nodes: tuple[int, ...], now: float) -> None:
        jobs = self.jobs
        self.start[job], self.where[job] = now, nodes
        self.running.begin(
            job, int(jobs.kind[job]), nodes, float(jobs.run_s[job]), float(jobs.limit_s[job]), now
        )
