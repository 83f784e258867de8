"""The queue: jobs that wait, by arrival, and the first of them that fits into given nodes and time.

For each width (number of nodes) that occurs stands a tree of the least time limit, so that a question costs O(W log n) for n jobs of W
widths, and not a walk through the queue.
"""

import math
from collections.abc import Sequence

NEVER = math.inf


class Waiting:
    """Jobs are numbered by their arrival; ``needs`` (nodes) and ``limits`` (s) are of all that will ever come."""

    def __init__(self, needs: Sequence[int], limits: Sequence[float]):
        self._limits = limits
        self._here = bytearray(len(needs))
        self._first = 0
        self._last = -1
        self.count = 0
        members: dict[int, list[int]] = {}
        self._place = [0] * len(needs)
        for job, need in enumerate(needs):
            of_width = members.setdefault(need, [])
            self._place[job] = len(of_width)
            of_width.append(job)
        self._needs = needs
        self._members = members
        self._size = {need: 1 << max(len(jobs) - 1, 0).bit_length() for need, jobs in members.items()}
        self._least = {need: [NEVER] * (2 * self._size[need]) for need in members}
        self._widths = sorted(members)

    def add(self, job: int) -> None:
        self._here[job] = 1
        self._last = max(self._last, job)
        self.count += 1
        self._set(job, self._limits[job])

    def remove(self, job: int) -> None:
        self._here[job] = 0
        self.count -= 1
        self._set(job, NEVER)

    def head(self) -> int | None:
        """The first in the queue."""
        if not self.count:
            return None
        self._first = self._here.find(1, self._first)
        return self._first

    def all(self) -> list[int]:
        """By arrival."""
        return [job for job in range(self._first, self._last + 1) if self._here[job]]

    def first_fitting(self, free: int, spare: int, window_s: float) -> int | None:
        """The first that needs at most ``free`` nodes and ends within ``window_s``, or needs at most ``spare`` of them however long."""
        best = None
        for need in self._widths:
            if need > free:
                break
            bound = NEVER if need <= spare else window_s
            least = self._least[need]
            if least[1] == NEVER or least[1] > bound:
                continue
            job = self._leftmost(need, bound)
            if best is None or job < best:
                best = job
        return best

    def _leftmost(self, need: int, bound: float) -> int:
        least, size, node = self._least[need], self._size[need], 1
        if bound == NEVER:
            bound = 1.7976931348623157e308  # any limit that is one
        while node < size:
            node *= 2
            if least[node] > bound:
                node += 1
        return self._members[need][node - size]

    def _set(self, job: int, value: float) -> None:
        need = self._needs[job]
        least, node = self._least[need], self._size[need] + self._place[job]
        least[node] = value
        while node > 1:
            node >>= 1
            left, right = least[2 * node], least[2 * node + 1]
            smaller = left if left < right else right
            if least[node] == smaller:
                break
            least[node] = smaller
