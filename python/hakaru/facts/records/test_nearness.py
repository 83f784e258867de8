"""Two states of a machine, told by how long one core's write takes to be seen by another."""

import pytest

from hakaru.facts.records import fixtures
from hakaru.facts.records.nearness import LEAST, Usual, alike, usual_state

NEAR, FAR = 42e-9, 180e-9


def record(number, *handovers_s, threads=2, **more):
    repetitions = [
        {"wall_s": 1.0, "rank_s": [1.0], "phases": {}, "handover_s": handover_s} for handover_s in handovers_s
    ]
    return fixtures.record("heat", number, repetitions, layout=fixtures.layout(1, threads), **more)


def test_the_state_that_launches_met_more_often_is_the_usual_one():
    state = usual_state([NEAR, 1.2 * NEAR, 1.1 * NEAR, NEAR, FAR, 1.1 * FAR, FAR])
    assert state.near and 1.2 * NEAR < state.edge_s < FAR and state.share == pytest.approx(4 / 7)
    assert "near each other" in state.words and "57 %" in state.words
    other = usual_state([NEAR, NEAR, NEAR, FAR, FAR, FAR, FAR])
    assert not other.near and other.share == pytest.approx(4 / 7) and "far from" in other.words


def test_one_state_is_none():
    assert usual_state([]) is None
    assert usual_state([NEAR]) is None
    assert usual_state([NEAR * (1.0 + 0.05 * turn) for turn in range(9)]) is None


def test_launches_that_were_disturbed_are_no_state():
    assert usual_state([NEAR] * 20 + [FAR] * (LEAST - 1)) is None
    assert usual_state([NEAR] * 97 + [FAR] * LEAST) is None, "less than a tenth of the launches"


def test_launches_that_saw_it_change_hide_neither_state():
    between = [(1.3 + 0.2 * place) * NEAR for place in range(10)]  # 55 to 131 ns: no gap is left
    state = usual_state([NEAR] * 60 + between + [FAR] * 40)
    assert state.near and NEAR < state.edge_s < FAR
    assert usual_state([NEAR * 1.1**place for place in range(20)]) is None, "anything, but not two states"


def test_a_launch_is_in_the_state_of_all_its_repetitions():
    runs = [record(number, NEAR, NEAR) for number in range(5)] + [record(5, FAR, FAR)] * 4
    usual = Usual.of(runs)
    assert usual.holds(runs[0]) and not usual.holds(runs[-1])
    assert not usual.holds(record(9, NEAR, FAR)), "it changed meanwhile"
    assert usual.holds(record(9, FAR, threads=1)), "nothing is known of that layout"
    assert usual.at(runs[0], 1, 2).near and usual.at(runs[0], 2, 1) is None


def test_another_host_has_states_of_its_own():
    there = fixtures.ENVIRONMENT | {"host": "node2"}
    runs = [record(number, FAR, environment=there) for number in range(4)]
    usual = Usual.of([*(record(number, NEAR) for number in range(4)), *runs])
    assert usual.states == {} and usual.holds(runs[0])


def test_launches_that_nobody_asked_meet_no_state():
    assert Usual.of([record(number, 0.0) for number in range(9)]).states == {}


def test_two_handovers_are_alike_where_they_are_of_one_state():
    assert alike(4e-8, 6e-8) and alike(6e-8, 4e-8) and alike(0.0, 0.0)
    assert not alike(4e-8, 1.8e-7) and not alike(1.8e-7, 4e-8)
