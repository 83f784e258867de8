"""Jobs on shared nodes: by hand, against whole nodes where both are the same, and what no schedule may do."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hakaru.foretell.mix import shared_profile
from hakaru.foretell.mix.fixtures import jobs
from hakaru.foretell.mix.jobs import Outcome
from hakaru.foretell.mix.shared import simulate_shared
from hakaru.foretell.mix.simulate import POLICIES, simulate

ALONE = np.ones((1, 1))
NODES, CORES = 3, 4


def overfull(outcome: Outcome, nodes: int, cores: int) -> bool:
    """Whether a node ever held more than its cores."""
    for node in range(nodes):
        mine = [job for job, where in enumerate(outcome.nodes) if node in where]
        for job in mine:
            moment = outcome.start_s[job]
            there = [o for o in mine if outcome.start_s[o] <= moment < outcome.end_s[o]]
            if sum(outcome.jobs.cores[o] for o in there) > cores:
                return True
    return False


def test_two_that_fit_share_and_slow_each_other():
    """Alone 10 s each; together 1.5 and 2 times as long. The second is left alone at 15 s with 10 - 7.5 s to do."""
    made = jobs([(0, 1, 10, 99), (0, 1, 10, 99), (0, 1, 5, 99)], cores=[2, 2, 4], kind=[0, 1, 0])
    slower = np.array([[1.0, 1.5], [2.0, 1.0]])
    outcome = simulate_shared(made, 1, 4, "fcfs", slower)
    assert outcome.start_s.tolist() == [0, 0, 17.5]
    assert outcome.end_s.tolist() == pytest.approx([15.0, 17.5, 22.5])
    assert outcome.nodes == ((0,), (0,), (0,))


def test_the_slowest_node_sets_the_pace_and_excesses_add():
    """A job on both nodes has one neighbour on the first and two on the second: 1 + 2 * 0.25."""
    made = jobs([(0, 2, 12, 99), *[(0, 1, 6, 99)] * 3], cores=[1, 2, 1, 1], kind=[0, 1, 1, 1])
    slower = np.array([[1.0, 1.25], [1.0, 1.0]])
    outcome = simulate_shared(made, 2, 3, "fcfs", slower)
    assert sorted(map(len, outcome.nodes)) == [1, 1, 1, 2]
    assert outcome.end_s[0] == pytest.approx(6.0 + (12.0 - 6.0 / 1.5))


def test_a_slowed_job_is_ended_at_its_limit():
    made = jobs([(0, 1, 10, 12), (0, 1, 30, 99)], cores=[1, 1], kind=[0, 1])
    outcome = simulate_shared(made, 1, 2, "easy", np.array([[1.0, 2.0], [1.0, 1.0]]))
    assert outcome.end_s.tolist() == [12, 30] and outcome.killed.tolist() == [True, False]


@pytest.mark.parametrize("policy", POLICIES)
def test_cores_of_one_node_are_shared_as_nodes_of_a_machine_are(policy):
    luck = np.random.default_rng(5)
    rows = [(float(i), 1, float(luck.integers(1, 20)), float(luck.integers(10, 30))) for i in range(80)]
    cores = luck.integers(1, CORES + 1, len(rows)).tolist()
    whole = simulate(
        jobs([(s, n, run, limit) for (s, _, run, limit), n in zip(rows, cores, strict=True)]), CORES, policy
    )
    parts = simulate_shared(jobs(rows, cores=cores), 1, CORES, policy, ALONE)
    assert parts.start_s.tolist() == whole.start_s.tolist()


@given(
    st.lists(
        st.tuples(
            st.integers(0, 20),
            st.integers(1, NODES),
            st.integers(1, 9),
            st.integers(1, 14),
            st.integers(1, CORES),
        ),
        min_size=1,
        max_size=20,
    )
)
@settings(max_examples=60, deadline=None)
def test_no_schedule_does_what_none_may(rows):
    rows = sorted(rows)
    made = jobs([row[:4] for row in rows], cores=[row[4] for row in rows])
    for policy in POLICIES:
        outcome = simulate_shared(made, NODES, CORES, policy, ALONE)
        assert np.isfinite(outcome.start_s).all() and not overfull(outcome, NODES, CORES), policy
        assert (outcome.start_s <= outcome.promised_s + 1e-9).all(), policy
        assert all(len(w) == n for w, n in zip(outcome.nodes, made.needs, strict=True))


def test_a_profile_that_forgets_is_seen(monkeypatch):
    monkeypatch.setattr(shared_profile.SharedProfile, "change", lambda *a: None)
    made = jobs([(0, 1, 5, 5)] * 5, cores=[CORES] * 5)
    assert overfull(simulate_shared(made, NODES, CORES, "easy", ALONE), NODES, CORES)
