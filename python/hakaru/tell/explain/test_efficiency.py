import math

import pytest

from hakaru.facts.records.groups import Group
from hakaru.tell.explain import fixtures
from hakaru.tell.explain.efficiency import efficiency, scaling

KINDS = [{"name": "work", "kind": "compute"}, {"name": "talk", "kind": "communicate"}]


def _group(ranks, threads, work, talk, launches=1):
    records = [
        fixtures.record("a", number, [fixtures.repetition({"work": work, "talk": talk})], phases=KINDS)
        for number in range(launches)
    ]
    return Group(ranks, threads, records)


def test_pop_factors_by_hand():
    one = _group(1, 1, [10.0], [0.0])
    two = _group(2, 1, [4.0, 8.0], [1.0, 2.0])
    pop = efficiency(two, one)
    assert pop.load_balance == pytest.approx(6.0 / 8.0)
    assert pop.communication == pytest.approx(8.0 / 10.0)
    assert pop.parallel == pytest.approx(6.0 / 10.0)
    assert pop.computation_scaling == pytest.approx(10.0 / 12.0)
    assert pop.overall == pytest.approx(0.6 * 10.0 / 12.0)
    assert "replay" in pop.serialisation and "replay" in pop.transfer


def test_time_lost_by_threads_shows_in_computation_scaling():
    pop = efficiency(_group(1, 2, [7.0], [0.0]), _group(1, 1, [10.0], [0.0]))
    assert pop.parallel == pytest.approx(1.0)
    assert pop.computation_scaling == pytest.approx(10.0 / 14.0)


def test_speed_up_has_the_widest_interval_of_the_ratio():
    one = Group(
        1,
        1,
        [fixtures.record("a", i, [fixtures.repetition({"w": [t]})]) for i, t in enumerate((9.0, 10.0, 11.0))],
    )
    two = Group(
        2,
        1,
        [
            fixtures.record("a", i, [fixtures.repetition({"w": [t, t]})])
            for i, t in enumerate((4.0, 5.0, 6.0))
        ],
    )
    found = scaling(two, one)
    assert found.speed_up.value == pytest.approx(2.0)
    assert (found.speed_up.low, found.speed_up.high) == pytest.approx((9.0 / 6.0, 11.0 / 4.0))
    assert found.efficiency.value == pytest.approx(1.0)
    assert scaling(one, one).speed_up.low == 1.0


def test_a_time_of_zero_does_not_break_the_ratio():
    assert math.isinf(
        scaling(_group(2, 1, [0.0, 0.0], [0.0, 0.0]), _group(1, 1, [1.0], [0.0])).speed_up.value
    )
