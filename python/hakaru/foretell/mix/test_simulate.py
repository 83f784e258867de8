"""Policies against known orders, closed forms, a queue that is simply walked through, and what no schedule may do."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hakaru.foretell.mix import profile, simulate
from hakaru.foretell.mix.fixtures import faults, jobs, most_used
from hakaru.foretell.mix.waiting import Waiting

POLICIES = tuple(simulate.POLICIES)
NODES = 8


def starts(rows, nodes: int, policy: str) -> list[float]:
    return simulate.simulate(jobs(rows), nodes, policy).start_s.tolist()


def rows_of(**bounds):
    row = st.tuples(
        st.integers(0, 40), st.integers(1, NODES), st.integers(0, 30), st.integers(1, bounds.get("slack", 30))
    )
    return st.lists(row, min_size=1, max_size=40).map(
        lambda rows: [(s, n, run, max(run + more - 5, 1)) for s, n, run, more in sorted(rows)]
    )


def test_first_come_first_served_by_hand():
    """The third could begin at once and may not: the second, which needs all, stands before it."""
    rows = [(0, 2, 10, 10), (0, 4, 5, 5), (0, 2, 1, 1), (0, 2, 1, 1)]
    assert starts(rows, 4, "fcfs") == [0, 10, 15, 15]


def test_easy_lets_pass_who_ends_before_the_first_can_begin():
    rows = [(0, 2, 10, 10), (0, 4, 5, 5), (0, 2, 10, 10), (0, 2, 1, 11)]
    assert starts(rows, 4, "easy") == [0, 10, 0, 15]


def test_easy_lets_pass_who_needs_only_what_the_first_leaves():
    """3 of 4 are wanted at 10 s: one node is left over, so one long job passes, and a second does not."""
    rows = [(0, 2, 10, 10), (0, 3, 5, 5), (0, 1, 100, 100), (0, 1, 100, 100)]
    assert starts(rows, 4, "easy") == [0, 10, 0, 15]


def test_easy_may_delay_the_second_in_the_queue_and_conservative_not():
    """The fourth leaves the second its start under EASY, and so the third, promised 15 s otherwise, begins at 18 s."""
    rows = [(0, 6, 10, 10), (0, 6, 5, 5), (0, 8, 5, 5), (0, 2, 18, 18)]
    assert starts(rows, 8, "easy") == [0, 10, 18, 0]
    assert starts(rows, 8, "conservative") == [0, 10, 15, 20]


def test_who_ends_early_makes_room_at_once():
    rows = [(0, 4, 2, 10), (0, 4, 3, 10), (1, 2, 4, 10)]
    for policy in POLICIES:
        assert starts(rows, 4, policy) == [0, 2, 5]


def test_jobs_are_ended_at_their_limit():
    outcome = simulate.simulate(jobs([(0, 1, 10, 4), (0, 1, 4, 4)]), 1, "easy")
    assert outcome.end_s.tolist() == [4, 8] and outcome.killed.tolist() == [True, False]
    assert outcome.makespan_s == 8


@given(rows_of())
@settings(max_examples=150, deadline=None)
def test_no_schedule_does_what_none_may(rows):
    for policy in POLICIES:
        outcome = simulate.simulate(jobs(rows), NODES, policy)
        assert not faults(outcome, NODES), policy


@given(rows_of())
@settings(max_examples=60, deadline=None)
def test_conservative_promises_everybody(rows):
    outcome = simulate.simulate(jobs(rows), NODES, "conservative", depth=1000)
    assert np.isfinite(outcome.promised_s).all() and not faults(outcome, NODES)


CROWD = [(0, 6, 10, 10), (0, 7, 5, 5), *[(0, 2, 30, 30), (0, 1, 40, 40)] * 8, (1, 8, 3, 3), (2, 3, 20, 25)]


def test_a_backfill_that_delays_the_first_is_seen(monkeypatch):
    honest = profile.Running.promise

    def too_generous(self, need, free):
        shadow, spare = honest(self, need, free)
        return shadow, spare + 2

    monkeypatch.setattr(profile.Running, "promise", too_generous)
    outcome = simulate.simulate(jobs(CROWD), NODES, "easy")
    assert any("delayed beyond" in fault for fault in faults(outcome, NODES))


def test_a_plan_that_forgets_reservations_is_seen(monkeypatch):
    monkeypatch.setattr(profile.Profile, "change", lambda *a: None)
    outcome = simulate.simulate(jobs(CROWD), NODES, "conservative")
    assert "more nodes were used than there are" in faults(outcome, NODES)


@given(rows_of(), st.integers(0, NODES), st.integers(0, NODES), st.integers(0, 40))
@settings(max_examples=100, deadline=None)
def test_the_first_fitting_is_that_of_a_walk(rows, free, spare, window):
    needs, limits = [row[1] for row in rows], [row[3] for row in rows]
    queue = Waiting(needs, limits)
    for job in range(len(rows)):
        queue.add(job)
    for gone in range(0, len(rows), 3):
        queue.remove(gone)
    left = [job for job in range(len(rows)) if job % 3]
    walked = next((j for j in left if needs[j] <= free and (limits[j] <= window or needs[j] <= spare)), None)
    assert queue.first_fitting(free, spare, window) == walked
    assert queue.head() == (left[0] if left else None)


def naive_easy(rows, nodes: int) -> list[float]:
    """EASY by walking through the whole queue at each event."""
    start, waiting, running, coming, now = [math.nan] * len(rows), [], [], list(range(len(rows))), 0.0

    def begin(job: int) -> None:
        start[job] = now
        running.append((now + min(rows[job][2], rows[job][3]), job))

    while coming or waiting:
        now = min([end for end, _ in running] + [rows[job][0] for job in coming[:1]])
        running = [one for one in running if one[0] > now]
        while coming and rows[coming[0]][0] <= now:
            waiting.append(coming.pop(0))
        free = nodes - sum(rows[job][1] for _, job in running)
        while waiting and rows[waiting[0]][1] <= free:
            free -= rows[waiting[0]][1]
            begin(waiting.pop(0))
        if waiting:
            limits = sorted((start[job] + rows[job][3], rows[job][1]) for _, job in running)
            shadow = next(
                t for t, _ in limits if free + sum(n for end, n in limits if end <= t) >= rows[waiting[0]][1]
            )
            spare = free + sum(n for end, n in limits if end <= shadow) - rows[waiting[0]][1]
            for job in waiting[1:]:
                short = now + rows[job][3] <= shadow
                if rows[job][1] <= free and (short or rows[job][1] <= spare):
                    free -= rows[job][1]
                    spare -= 0 if short else rows[job][1]
                    begin(job)
                    waiting.remove(job)
        running = [one for one in running if one[0] >= now]
    return start


@given(rows_of())
@settings(max_examples=150, deadline=None)
def test_easy_is_that_of_a_walk_through_the_queue(rows):
    rows = [(submit, need, max(run, 1), limit) for submit, need, run, limit in rows]
    assert starts(rows, NODES, "easy") == naive_easy(rows, NODES)


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("spread", [0.0, 0.5])
def test_mean_wait_of_one_node_is_that_of_pollaczek_and_khinchine(policy, spread):
    """M/D/1 and M/G/1: mean wait = rate E[S^2] / (2 (1 - rate E[S])). 40,000 jobs at 60 % load scatter by about 3 %."""
    luck = np.random.default_rng(3)
    count, load = 40_000 if policy != "conservative" else 15_000, 0.6
    run = np.exp(spread * luck.standard_normal(count) - 0.5 * spread**2)
    submit = np.cumsum(luck.exponential(1.0 / load, count))
    rows = np.column_stack([submit, np.ones(count, dtype=int), run, np.full(count, 1e3)])
    made = jobs([(s, int(n), r, limit) for s, n, r, limit in rows.tolist()])
    outcome = simulate.simulate(made, 1, policy)
    expected = load * np.exp(spread**2) / (2.0 * (1.0 - load))
    assert outcome.wait_s.mean() == pytest.approx(expected, rel=0.08 if policy != "conservative" else 0.12)
    assert most_used(outcome) == 1
