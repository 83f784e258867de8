"""Jobs as a simulator takes them, and what became of them: arrays over jobs, in the order of their arrival. Times in s."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

BOUND_S = 10.0  # of the bounded slow-down: shorter jobs count as so long (Feitelson et al., JSSPP 1997)


@dataclass(frozen=True)
class Jobs:
    """(n,) each. ``kind`` is an index into the mix's kinds; ``needs``: nodes; a job is ended at its limit. ``cores``: of each of its nodes,
    where nodes are shared."""

    kind: np.ndarray
    submit_s: np.ndarray
    needs: np.ndarray
    run_s: np.ndarray
    limit_s: np.ndarray
    cores: np.ndarray

    def __len__(self) -> int:
        return len(self.needs)

    @property
    def held_s(self) -> np.ndarray:
        """How long each has its nodes, if nothing slows it."""
        return np.minimum(self.run_s, self.limit_s)


@dataclass(frozen=True)
class Outcome:
    """(n,) each. ``promised_s``: the first time that a job was promised as its latest start, by a reservation; infinite where none was.
    ``nodes``: of each job, where nodes are shared."""

    jobs: Jobs
    start_s: np.ndarray
    end_s: np.ndarray
    promised_s: np.ndarray
    killed: np.ndarray
    nodes: tuple[tuple[int, ...], ...] = ()

    @cached_property
    def wait_s(self) -> np.ndarray:
        return self.start_s - self.jobs.submit_s

    @property
    def makespan_s(self) -> float:
        """From the first arrival to the last end."""
        return float(self.end_s.max() - self.jobs.submit_s.min())

    @property
    def bounded_slowdown(self) -> float:
        """Mean of max(1, (wait + run) / max(run, 10 s))."""
        run_s = self.end_s - self.start_s
        return float(np.maximum((self.wait_s + run_s) / np.maximum(run_s, BOUND_S), 1.0).mean())
