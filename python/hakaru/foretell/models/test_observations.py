import pytest
from hypothesis import given
from hypothesis import strategies as st

from hakaru.facts.records import fixtures
from hakaru.facts.records.record import OTHER, WAIT
from hakaru.facts.work import Work
from hakaru.foretell.models.observations import Point, launch_phases, phase_kinds, point_of

PHASES = [
    {"name": "solve", "kind": "compute"},
    {"name": "exchange", "kind": "communicate"},
    {"name": WAIT, "kind": "idle"},
]
shares = st.lists(
    st.tuples(st.floats(0.01, 10.0), st.floats(0.0, 1.0), st.floats(0.0, 1.0)), min_size=3, max_size=3
)


def record(repetitions):
    """Repetitions of (rank time, share of solve, share of exchange of what is left) per rank."""
    rows = []
    for ranks in repetitions:
        rank_s = [time for time, _, _ in ranks]
        solve = [time * share for time, share, _ in ranks]
        exchange = [(time - first) * share for (time, _, share), first in zip(ranks, solve, strict=True)]
        wall = max(rank_s)
        rows.append(
            {
                "wall_s": wall,
                "rank_s": rank_s,
                "phases": {"solve": solve, "exchange": exchange, WAIT: [wall - time for time in rank_s]},
            }
        )
    return fixtures.record("solver", 0, rows, phases=PHASES)


@given(st.lists(shares, min_size=1, max_size=6))
def test_phases_of_a_launch_add_up_to_its_wall_time(repetitions):
    data = record(repetitions)
    walls = sorted(row.wall_s for row in data.repetitions)
    middle = 0.5 * (walls[(len(walls) - 1) // 2] + walls[len(walls) // 2])
    phases = launch_phases(data)
    assert sum(phases.values()) == pytest.approx(middle, rel=1e-9)
    assert min(phases.values()) >= 0.0


def test_one_repetition_gives_the_mean_over_ranks():
    phases = launch_phases(record([[(2.0, 0.5, 0.5), (4.0, 0.5, 1.0), (3.0, 1.0, 0.0)]]))
    assert phases == pytest.approx({"solve": 2.0, "exchange": 2.5 / 3, OTHER: 0.5 / 3, WAIT: 1.0})


def test_kinds_name_other_and_idle_last():
    assert phase_kinds([record([[(1.0, 0.5, 0.5)]])]) == {
        "solve": "compute",
        "exchange": "communicate",
        OTHER: "compute",
        WAIT: "idle",
    }
    assert list(phase_kinds([]).items()) == [(OTHER, "compute"), (WAIT, "idle")]


def test_point_takes_counts_of_a_phase_or_of_the_whole():
    point = point_of(
        Work.of(
            {
                "size": 64,
                "ranks": 2,
                "threads": 3,
                "parameters": {"n": 64},
                "memory_bytes": 5.0,
                "phases": [{"phase": "a", "flops": 3}, {"phase": "b", "flops": 4, "bytes": 8}],
            }
        )
    )
    assert point.cores == 6
    assert (point.count("a", "flops"), point.count("a", "bytes"), point.count(OTHER, "flops")) == (
        3.0,
        0.0,
        7.0,
    )
    assert Point(1.0).count("a", "flops") == 0.0


def waited(wall_s, *waited_s):
    ranks = len(waited_s)
    phases = {"solve": [0.5 * wall_s] * ranks, "exchange": [0.25 * wall_s] * ranks, WAIT: [0.0] * ranks}
    return {"wall_s": wall_s, "rank_s": [wall_s] * ranks, "waited_s": waited_s, "phases": phases}


def test_what_others_took_from_the_rank_that_waited_longest_is_taken_off():
    data = fixtures.record(
        "solver", 0, [waited(3.0, 0.5, 2.0), waited(1.0, 0.0, 0.0), waited(1.5, 0.5, 0.1)], phases=PHASES
    )
    assert sum(launch_phases(data, left_alone=True).values()) == pytest.approx(1.0)
    assert sum(launch_phases(data).values()) == pytest.approx(1.5)


def test_it_is_taken_off_where_it_was_lost():
    """Two ranks work for a second and exchange for a tenth; for half a second one has no processor while it works, and the other waits for it."""
    phases = {"solve": [1.5, 1.0], "exchange": [0.1, 0.6], WAIT: [0.0, 0.0]}
    row = {"wall_s": 1.6, "rank_s": [1.6, 1.6], "waited_s": [0.5, 0.0], "phases": phases}
    alone = launch_phases(fixtures.record("solver", 0, [row], phases=PHASES), left_alone=True)
    assert alone["solve"] == pytest.approx(1.0) and alone["exchange"] == pytest.approx(0.1)


def test_of_both_ranks_waits_all_is_taken_off_where_they_add():
    phases = {"solve": [1.5, 1.3], "exchange": [0.4, 0.6], WAIT: [0.0, 0.0]}
    row = {"wall_s": 1.9, "rank_s": [1.9, 1.9], "waited_s": [0.5, 0.3], "phases": phases}
    alone = launch_phases(fixtures.record("solver", 0, [row], phases=PHASES), left_alone=True, others=1.0)
    assert alone["solve"] == pytest.approx(1.0) and alone["exchange"] == pytest.approx(0.1)


def test_waiting_that_was_not_watched_takes_nothing_off():
    data = record([[(2.0, 0.5, 0.5)]])
    assert launch_phases(data, left_alone=True) == launch_phases(data)


def test_a_repetition_that_waited_all_the_time_keeps_some_of_it():
    data = fixtures.record("solver", 0, [waited(1.0, 5.0)], phases=PHASES)
    assert 0.0 < sum(launch_phases(data, left_alone=True).values()) < 0.1
