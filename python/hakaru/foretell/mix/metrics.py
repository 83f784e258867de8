"""What is said of a mix that ran: the usual numbers of job scheduling (Feitelson et al., JSSPP 1997)."""

from dataclasses import dataclass

import numpy as np

from hakaru.foretell.mix.jobs import Outcome
from hakaru.foretell.mix.kinds import Node
from hakaru.foretell.mix.power import NodePower

HOUR_S = 3600.0


@dataclass(frozen=True)
class Measured:
    """Of one draw. ``jobs_per_hour`` and ``utilisation`` are over the makespan; waiting times are over jobs."""

    makespan_s: float
    jobs_per_hour: float
    utilisation: float
    mean_wait_s: float
    wait_95_s: float
    longest_wait_s: float
    bounded_slowdown: float
    ended_at_limit: float
    node_hours: float
    energy_j: float | None
    wait_of_kind_s: tuple[float, ...]
    run_of_kind_s: tuple[float, ...]


def measure(
    outcome: Outcome, node: Node, shared: bool, power: NodePower | None, share: float, kinds: int
) -> Measured:
    """``share`` 0 to 1: where in the intervals of the power this draw lies."""
    jobs, makespan_s = outcome.jobs, outcome.makespan_s
    held_s = outcome.end_s - outcome.start_s
    parts = jobs.needs * (jobs.cores / node.cores if shared else 1.0)
    busy_node_s = float((parts * held_s).sum())
    all_node_s = node.count * makespan_s
    per_s = 1.0 / makespan_s if makespan_s else 0.0
    weights = np.maximum(np.bincount(jobs.kind, minlength=kinds), 1)
    return Measured(
        makespan_s=makespan_s,
        jobs_per_hour=len(jobs) * per_s * HOUR_S,
        utilisation=busy_node_s / all_node_s if all_node_s else 0.0,
        mean_wait_s=float(outcome.wait_s.mean()),
        wait_95_s=float(np.quantile(outcome.wait_s, 0.95)),
        longest_wait_s=float(outcome.wait_s.max()),
        bounded_slowdown=outcome.bounded_slowdown,
        ended_at_limit=float(outcome.killed.sum()),
        node_hours=busy_node_s / HOUR_S,
        energy_j=power.joules(busy_node_s, max(all_node_s - busy_node_s, 0.0), share) if power else None,
        wait_of_kind_s=tuple(np.bincount(jobs.kind, outcome.wait_s, kinds) / weights),
        run_of_kind_s=tuple(np.bincount(jobs.kind, held_s, kinds) / weights),
    )
