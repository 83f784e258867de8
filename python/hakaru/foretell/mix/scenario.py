"""A workload on a machine by a policy, played many times."""

import os
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hakaru.foretell.mix import helpers
from hakaru.foretell.mix.file import Pair
from hakaru.foretell.mix.jobs import Outcome
from hakaru.foretell.mix.kinds import Kind, Node
from hakaru.foretell.mix.metrics import Measured, measure
from hakaru.foretell.mix.power import NodePower
from hakaru.foretell.mix.shared import simulate_shared
from hakaru.foretell.mix.simulate import simulate
from hakaru.foretell.mix.workload import LoggedWorkload, Workload

SERIAL = 20_000  # jobs over all draws that are not worth starting processes
_POWER_STREAM = 7  # keeps the draws of the power apart from those of the jobs


@dataclass(frozen=True)
class Scenario:
    """``slower`` (K, K) where nodes are shared: how many times as long jobs of kind i take beside jobs of kind j."""

    workload: Workload | LoggedWorkload
    node: Node
    policy: str
    depth: int
    shared: bool
    slower: np.ndarray
    power: NodePower | None
    seed: int

    @property
    def kinds(self) -> int:
        return len(self.slower)

    def played(self, draw: int) -> Outcome:
        jobs = self.workload.drawn(draw)
        if self.shared:
            return simulate_shared(
                jobs, self.node.count, self.node.cores, self.policy, self.slower, self.depth
            )
        return simulate(jobs, self.node.count, self.policy, self.depth)

    def measured(self, draw: int) -> Measured:
        share = float(np.random.default_rng([self.seed, draw, _POWER_STREAM]).random())
        return measure(self.played(draw), self.node, self.shared, self.power, share, self.kinds)


def play(scenario: Scenario, draws: int, jobs: int, workers: int | None = None) -> list[Measured]:
    """All draws, in their order, on all cores: the same bits on any number of them."""
    workers = workers or len(os.sched_getaffinity(0))
    numbers = range(draws)
    if draws == 1 or workers == 1 or jobs * draws <= SERIAL:
        return [scenario.measured(draw) for draw in numbers]
    return helpers.spread(scenario.measured, draws, workers)


def slower(kinds: Sequence[Kind], pairs: Sequence[Pair]) -> np.ndarray:
    """(K, K); 1 for pairs that nobody wrote down."""
    told = {(pair.job, pair.beside): pair.slower for pair in pairs}
    return np.array([[told.get((one.label, other.label), 1.0) for other in kinds] for one in kinds])
