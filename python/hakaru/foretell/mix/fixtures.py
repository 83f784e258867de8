"""Made-up jobs, and what must be true of every schedule, for tests."""

from collections.abc import Sequence

import numpy as np

from hakaru.foretell.mix.jobs import Jobs, Outcome

Row = tuple[float, int, float, float]  # submit, nodes, run, limit


def jobs(rows: Sequence[Row], cores: Sequence[int] | None = None, kind: Sequence[int] | None = None) -> Jobs:
    submit, needs, run, limit = (np.array(column) for column in zip(*rows, strict=True))
    count = len(rows)
    return Jobs(
        np.zeros(count, dtype=int) if kind is None else np.array(kind),
        submit.astype(float),
        needs,
        run.astype(float),
        limit.astype(float),
        np.ones(count, dtype=int) if cores is None else np.array(cores),
    )


def faults(outcome: Outcome, nodes: int) -> list[str]:
    """What no schedule may do: start before arrival, use more nodes than there are, break a promise."""
    found = []
    if not np.isfinite(outcome.start_s).all():
        return ["a job never started"]
    if (outcome.wait_s < 0.0).any():
        found.append("a job started before it came")
    if most_used(outcome) > nodes:
        found.append("more nodes were used than there are")
    late = outcome.start_s > outcome.promised_s + 1e-9
    return found + [f"job {job} was delayed beyond its promise" for job in np.flatnonzero(late)]


def most_used(outcome: Outcome) -> int:
    """Nodes at the busiest moment: at one time those that end make room first."""
    needs = outcome.jobs.needs
    times = np.concatenate([outcome.end_s, outcome.start_s])
    changes = np.concatenate([-needs, needs])
    begins = np.concatenate([np.zeros(len(needs)), np.ones(len(needs))])
    held = np.concatenate([outcome.end_s > outcome.start_s] * 2)
    order = np.lexsort((begins, times))
    return int(np.cumsum(changes[order] * held[order]).max(initial=0))
