"""Waits of a made-up log, job by job, as pyss (the scheduler simulator of the Hebrew University) gives them for the same lines."""

import hashlib

import numpy as np
import pytest

from hakaru.foretell.mix import swf, workload
from hakaru.foretell.mix.fixtures import line
from hakaru.foretell.mix.jobs import Outcome
from hakaru.foretell.mix.kinds import Node
from hakaru.foretell.mix.simulate import simulate

NODES, JOBS = 32, 400
# Mean and longest wait in s, and of all waits in the order of the log, in whole seconds, the first digits of the SHA-256.
PYSS = {
    "fcfs": (30672.12, 69912, "68fde9bb8b3a6a86"),
    "easy": (11998.0025, 43522, "3d5d979fde5da778"),
    "conservative": (9292.6975, 47004, "928a30733541739d"),
}


@pytest.fixture(scope="module")
def jobs(tmp_path_factory):
    """Four hundred jobs of 1 to 32 nodes that come faster than they can run, and ask for more time than they take."""
    luck, now, lines = np.random.default_rng(5), 0, [f"; MaxProcs: {NODES}"]
    for number in range(1, JOBS + 1):
        now += int(luck.exponential(40.0))
        run = 1 + int(luck.exponential(400.0))
        asked = run + int(luck.exponential(600.0))
        nodes = int(2 ** luck.integers(0, 6))
        lines.append(line(number, now, run, nodes, nodes, asked))
    path = tmp_path_factory.mktemp("log") / "log.swf"
    path.write_text("\n".join([*lines, ""]))
    return workload.of_log(swf.read(path), Node(NODES, 1))[0].jobs


def told(outcome: Outcome) -> tuple[float, int, str]:
    waits = " ".join(str(int(wait)) for wait in outcome.wait_s)
    return outcome.wait_s.mean(), int(outcome.wait_s.max()), hashlib.sha256(waits.encode()).hexdigest()[:16]


@pytest.mark.parametrize("policy", PYSS)
def test_every_job_waits_as_long_as_in_another_simulator(jobs, policy):
    mean_s, longest_s, waits = told(simulate(jobs, NODES, policy, depth=JOBS))
    assert (mean_s, longest_s, waits) == (pytest.approx(PYSS[policy][0]), *PYSS[policy][1:])


def test_another_policy_or_another_depth_would_be_seen(jobs):
    assert told(simulate(jobs, NODES, "conservative", depth=2)) != PYSS["conservative"]
    assert len({told(simulate(jobs, NODES, policy, depth=JOBS)) for policy in PYSS}) == len(PYSS)
