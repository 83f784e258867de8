"""How fast many jobs are simulated: microseconds a job by policy, on 512 nodes at 80 % load and with all jobs there at once."""

import time

import numpy as np

from hakaru.base.statistics import median_interval
from hakaru.foretell.mix.jobs import Jobs
from hakaru.foretell.mix.simulate import POLICIES, simulate
from hakaru.own.bench import row

TARGETS = ()
NODES = 512
SIZES = {"fcfs": 1_000_000, "easy": 1_000_000, "conservative": 10_000}  # jobs
LOAD = 0.8
BOUND_S = 1e-4  # a job: a million in less than two minutes


def made_up(count: int, load: float | None) -> Jobs:
    """Nine widths, powers of two; log-normal times; limits one to five times as long. ``load`` None: all come at once."""
    luck = np.random.default_rng(1)
    needs = 2 ** luck.integers(0, 9, count)
    run_s = np.exp(luck.normal(6.0, 1.5, count))
    limit_s = run_s * luck.uniform(1.0, 5.0, count)
    gap_s = float((needs * run_s).mean()) / NODES / load if load else 0.0
    submit_s = np.cumsum(luck.exponential(gap_s, count)) if load else np.zeros(count)
    zero = np.zeros(count, dtype=int)
    return Jobs(zero, submit_s, needs, run_s, limit_s, zero + 1)


def run() -> list[dict]:
    rows = []
    for policy in POLICIES:
        for name, load in (("at 80 % load", LOAD), ("all at once", None)):
            jobs = made_up(SIZES[policy], load)
            began = time.perf_counter()
            simulate(jobs, NODES, policy)
            each_s = (time.perf_counter() - began) / len(jobs)
            figure = f"{policy}, {len(jobs)} jobs {name}: time a job"
            rows.append(row("mix", figure, median_interval([each_s]), "s", bound=BOUND_S))
    return rows
