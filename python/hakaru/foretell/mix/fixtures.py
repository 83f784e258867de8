"""Made-up jobs, and what must be true of every schedule, for tests."""

from collections.abc import Sequence

import numpy as np

from hakaru.facts.forecasts import Span
from hakaru.facts.records import Record
from hakaru.facts.records.fixtures import changed
from hakaru.foretell.forecast.fixtures import campaign
from hakaru.foretell.mix.draws import Times
from hakaru.foretell.mix.jobs import Jobs, Outcome
from hakaru.foretell.mix.kinds import Asked, Foretold

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


def span(value: float, low: float, high: float) -> Span:
    return Span(value=value, low=low, high=high)


def foretell(asked: Asked) -> Foretold:
    """Work of n over ranks and threads, 10 % apart."""
    value = asked.given.get("n", 8) / asked.ranks / asked.threads * max(asked.repetitions, 1)
    return Foretold(Times(span(value, 0.95 * value, 1.05 * value), span(value, 0.9 * value, 1.2 * value)))


def launches(
    constant_s: float,
    each_byte_s: float,
    noise: float = 0.0,
    sizes=(32, 48, 64, 80),
    launches: int = 5,
    **more,
) -> list[Record]:
    """Runs of the made-up solver that start in ``constant_s`` and set up their memory at ``each_byte_s``, one warm-up each."""
    luck = np.random.default_rng(3)
    found = []
    for one in campaign(sizes, launches, **more):
        own_s = (constant_s + each_byte_s * one.work.memory_bytes) * (1.0 + noise * luck.standard_normal())
        timed_s = sum(row.wall_s for row in one.repetitions)
        whole_s = own_s + timed_s + one.warmup_discarded * one.wall_s
        found.append(changed(one, power={"seconds": whole_s, "unavailable": "no meter"}))
    return found


def line(
    number: int, submit: float, run: float, processors: int = 2, asked: int = -1, asked_s: float = -1
) -> str:
    """Of a log."""
    return f"{number} {submit} 0 {run} {processors} -1 -1 {asked} {asked_s} -1 1 1 1 -1 -1 -1 -1 -1"
