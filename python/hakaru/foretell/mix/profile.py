"""Free nodes over the time to come, as running jobs and reservations leave them."""

from bisect import bisect_left, bisect_right, insort


class Profile:
    """A step function: ``free[i]`` nodes from ``times[i]`` (s) to the next, the last one for ever."""

    def __init__(self, nodes: int, now: float = 0.0):
        self.times = [now]
        self.free = [nodes]

    def forget(self, now: float) -> None:
        """Drops what lies before."""
        index = bisect_right(self.times, now) - 1
        if index > 0:
            del self.times[:index], self.free[:index]
        self.times[0] = max(self.times[0], now)

    def earliest(self, need: int, length_s: float) -> float:
        """The first time from which so many nodes are free for so long: O(number of steps)."""
        times, free = self.times, self.free
        begin = None
        for index, nodes in enumerate(free):
            if nodes < need:
                begin = None
                continue
            if begin is None:
                begin = times[index]
            if index + 1 == len(times) or times[index + 1] >= begin + length_s:
                return begin
        raise ValueError(f"{need} nodes are never free")

    def most_free_before(self, time: float) -> int:
        """Free nodes at the best moment before: who needs more cannot begin earlier."""
        index = bisect_left(self.times, time)
        return max(self.free[:index]) if index else 0

    def change(self, begin: float, end: float, nodes: int) -> None:
        """Adds ``nodes`` (less than 0: takes them) from ``begin`` to ``end``; what lies before the first step is past."""
        begin = max(begin, self.times[0])
        if end <= begin:
            return
        first, last = self._step(begin), self._step(end)
        for index in range(first, last):
            self.free[index] += nodes
        self._join(last)
        self._join(first)

    def _step(self, time: float) -> int:
        """Index of the step that begins at ``time``, made where there was none."""
        index = bisect_right(self.times, time) - 1
        if self.times[index] != time:
            index += 1
            self.times.insert(index, time)
            self.free.insert(index, self.free[index - 1])
        return index

    def _join(self, index: int) -> None:
        if 0 < index < len(self.times) and self.free[index] == self.free[index - 1]:
            del self.times[index], self.free[index]


class Running:
    """Jobs that run, by the time at which they end at the latest."""

    def __init__(self) -> None:
        self._ends: list[tuple[float, int, int]] = []

    def add(self, latest_end: float, need: int, job: int) -> None:
        insort(self._ends, (latest_end, need, job))

    def remove(self, latest_end: float, need: int, job: int) -> None:
        del self._ends[bisect_right(self._ends, (latest_end, need, job)) - 1]

    def promise(self, need: int, free: int) -> tuple[float, int]:
        """When ``need`` nodes are free at the latest, if nothing else starts, and how many are left over then: the "shadow time" and the
        "extra nodes" of EASY (Lifka, JSSPP 1995; Mu'alem and Feitelson, IEEE TPDS 12(6), 2001)."""
        ends = self._ends
        for index, (end, nodes, _) in enumerate(ends):
            free += nodes
            if free >= need:
                for later, more, _ in ends[index + 1 :]:  # those that end at the same time
                    if later > end:
                        break
                    free += more
                return end, free - need
        raise ValueError(f"{need} nodes are never free")
