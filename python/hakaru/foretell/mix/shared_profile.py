"""Free cores of each node over the time to come."""

from bisect import bisect_right

import numpy as np


class SharedProfile:
    """``free[i]`` (N,) cores of N nodes from ``times[i]`` (s) to the next, the last for ever."""

    def __init__(self, nodes: int, cores: int, now: float = 0.0):
        self.times = [now]
        self.free = [np.full(nodes, cores)]

    def forget(self, now: float) -> None:
        """Drops what lies before."""
        index = bisect_right(self.times, now) - 1
        if index > 0:
            del self.times[:index], self.free[:index]
        self.times[0] = max(self.times[0], now)

    def earliest(self, count: int, cores: int, length_s: float) -> tuple[float, tuple[int, ...]]:
        """The first time from which ``count`` nodes have so many free cores for so long, and those nodes: the fullest that fit."""
        for index in range(len(self.times)):
            found = self._from(index, count, cores, length_s)
            if found is not None:
                return self.times[index], found
        raise ValueError(f"{count} nodes with {cores} cores are never free")

    def now(self, count: int, cores: int, length_s: float) -> tuple[int, ...] | None:
        """The nodes, where it can begin at once."""
        return self._from(0, count, cores, length_s)

    def change(self, begin: float, end: float, nodes: tuple[int, ...], cores: int) -> None:
        """Adds ``cores`` (less than 0: takes them) to each of these nodes from ``begin`` to ``end``."""
        begin = max(begin, self.times[0])
        if end <= begin:
            return
        first, last = self._step(begin), self._step(end)
        for index in range(first, last):
            self.free[index][list(nodes)] += cores
        self._join(last)
        self._join(first)

    def _from(self, index: int, count: int, cores: int, length_s: float) -> tuple[int, ...] | None:
        until = self.times[index] + length_s
        least = self.free[index]
        for later in range(index + 1, len(self.times)):
            if np.count_nonzero(least >= cores) < count:
                return None
            if self.times[later] >= until:
                break
            least = np.minimum(least, self.free[later])
        fitting = np.flatnonzero(least >= cores)
        if len(fitting) < count:
            return None
        fullest = fitting[np.argsort(least[fitting], kind="stable")][:count]
        return tuple(int(node) for node in np.sort(fullest))

    def _step(self, time: float) -> int:
        index = bisect_right(self.times, time) - 1
        if self.times[index] != time:
            index += 1
            self.times.insert(index, time)
            self.free.insert(index, self.free[index - 1].copy())
        return index

    def _join(self, index: int) -> None:
        if 0 < index < len(self.times) and np.array_equal(self.free[index], self.free[index - 1]):
            del self.times[index], self.free[index]
