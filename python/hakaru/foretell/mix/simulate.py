"""Jobs that have their nodes for themselves, on a machine with so many nodes, by a policy.

First come first served and EASY cost O(n (log n + W + R)) for n jobs of W widths of which R run at once; conservative backfill costs
O(Q B) for each job that ends before its limit, with Q reservations in B steps of the profile, so that only the first ``depth`` of the queue
have one.
"""

import heapq
import math
from collections import deque

import numpy as np

from hakaru.foretell.mix.jobs import Jobs, Outcome
from hakaru.foretell.mix.profile import Profile, Running
from hakaru.foretell.mix.waiting import Waiting

POLICIES = {
    "fcfs": "first come, first served: nobody overtakes",
    "easy": "EASY backfill: whoever does not delay the first of the queue may overtake",
    "conservative": "conservative backfill: whoever delays nobody's reservation may overtake",
}
DEPTH = 100  # reservations of conservative backfill


def simulate(jobs: Jobs, nodes: int, policy: str, depth: int = DEPTH) -> Outcome:
    """``policy`` is one of ``POLICIES``. Every job must fit into the machine."""
    machine = _Machine(jobs, nodes)
    if policy == "conservative":
        _conservative(machine, depth)
    else:
        _head_first(machine, backfill=policy == "easy")
    return machine.outcome()


class _Machine:
    """The clock, the nodes, and the jobs on their way through. Plain lists: numpy's scalars are slow."""

    def __init__(self, jobs: Jobs, nodes: int):
        self.jobs, self.free, self.now = jobs, nodes, 0.0
        self.nodes = nodes
        self.submit: list[float] = jobs.submit_s.tolist()
        self.needs: list[int] = jobs.needs.tolist()
        self.limits: list[float] = jobs.limit_s.tolist()
        self.held: list[float] = jobs.held_s.tolist()
        self.start = [math.nan] * len(jobs)
        self.promised = [math.inf] * len(jobs)
        self.running = Running()
        self._ends: list[tuple[float, int]] = []
        self._next = 0

    def advance(self, no_later: float = math.inf) -> tuple[list[int], list[int]] | None:
        """Goes to the next time at which something happens: who has ended, and who has arrived. None when all is over."""
        ends, submit, needs = self._ends, self.submit, self.needs
        now = min(ends[0][0] if ends else math.inf, no_later)
        if self._next < len(submit):
            now = min(now, submit[self._next])
        if now == math.inf:
            return None
        self.now = now
        ended = []
        while ends and ends[0][0] <= now:
            job = heapq.heappop(ends)[1]
            self.free += needs[job]
            self.running.remove(self.start[job] + self.limits[job], needs[job], job)
            ended.append(job)
        first = self._next
        while self._next < len(submit) and submit[self._next] <= now:
            self._next += 1
        return ended, list(range(first, self._next))

    def begin(self, job: int) -> None:
        self.start[job] = self.now
        self.free -= self.needs[job]
        heapq.heappush(self._ends, (self.now + self.held[job], job))
        self.running.add(self.now + self.limits[job], self.needs[job], job)

    def outcome(self) -> Outcome:
        start = np.array(self.start)
        held = self.jobs.held_s
        killed = self.jobs.run_s > self.jobs.limit_s
        return Outcome(self.jobs, start, start + held, np.array(self.promised), killed)


def _head_first(machine: _Machine, backfill: bool) -> None:
    queue = Waiting(machine.needs, machine.limits)
    while (happened := machine.advance()) is not None:
        for job in happened[1]:
            queue.add(job)
        head = queue.head()
        while head is not None and machine.needs[head] <= machine.free:
            queue.remove(head)
            machine.begin(head)
            head = queue.head()
        if backfill and head is not None and machine.free:
            _overtake(machine, queue, head)


def _overtake(machine: _Machine, queue: Waiting, head: int) -> None:
    """Starts, by arrival, all that leave the head the start that it is promised."""
    shadow, spare = machine.running.promise(machine.needs[head], machine.free)
    machine.promised[head] = min(machine.promised[head], shadow)
    window = shadow - machine.now
    while machine.free:
        job = queue.first_fitting(machine.free, spare, window)
        if job is None:
            return
        if machine.limits[job] > window:
            spare -= machine.needs[job]
        queue.remove(job)
        machine.begin(job)


def _conservative(machine: _Machine, depth: int) -> None:
    plan = _Plan(machine, depth)
    while (happened := machine.advance(plan.next_start)) is not None:
        plan.profile.forget(machine.now)
        early = [job for job in happened[0] if plan.give_back(job)]
        plan.unreserved.extend(happened[1])
        if early:
            plan.compress()
        plan.settle()


class _Plan:
    """Reservations: nobody who has one ever starts later than it says."""

    def __init__(self, machine: _Machine, depth: int):
        self.machine, self.depth = machine, depth
        self.profile = Profile(machine.nodes, min(machine.submit, default=0.0))
        self.reserved: dict[int, float] = {}  # in the order of the queue
        self.unreserved: deque[int] = deque()

    @property
    def next_start(self) -> float:
        return min(self.reserved.values(), default=math.inf)

    def give_back(self, job: int) -> bool:
        """What an ended job has left of its time; whether there is any."""
        machine = self.machine
        latest = machine.start[job] + machine.limits[job]
        if latest <= machine.now:
            return False
        self.profile.change(machine.now, latest, machine.needs[job])
        return True

    def compress(self) -> None:
        """Each in its turn moves to the earliest time that is free now, which is never later than the one it had."""
        for job, begin in self.reserved.items():
            if self.profile.most_free_before(begin) < self.machine.needs[job]:
                continue
            self.profile.change(begin, begin + self.machine.limits[job], self.machine.needs[job])
            self._take(job)

    def settle(self) -> None:
        """Reserves for the next in the queue, as many as there may be, and starts whose time has come."""
        while True:
            while self.unreserved and len(self.reserved) < self.depth:
                job = self.unreserved.popleft()
                self._take(job)
                self.machine.promised[job] = self.reserved[job]
            due = [job for job, begin in self.reserved.items() if begin <= self.machine.now]
            if not due:
                return
            for job in due:
                del self.reserved[job]
                self.machine.begin(job)

    def _take(self, job: int) -> None:
        need, limit = self.machine.needs[job], self.machine.limits[job]
        begin = self.profile.earliest(need, limit)
        self.profile.change(begin, begin + limit, -need)
        self.reserved[job] = begin
