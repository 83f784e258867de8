"""What calm launches are, and how much longer launches usually take."""

import numpy as np
import pytest

from hakaru.foretell.models import calm
from hakaru.foretell.models.observations import Observation, Point


def observation(*times, size=8.0, ranks=1, walls=()):
    return Observation(Point(size, ranks), tuple({"solve": time} for time in times), walls_s=walls)


def test_the_fastest_three_tenths_are_calm_and_two_at_least():
    assert calm.calmest(observation(1.6, 1.0, 1.5, 1.1, 1.7, 1.2, 1.8)).totals() == [1.0, 1.1, 1.2]
    assert calm.calmest(observation(1.6, 1.0, 1.5)).totals() == [1.0, 1.5]
    assert calm.calmest(observation(1.6)).totals() == [1.6]


def test_ratios_are_pooled_over_points_of_as_many_cores():
    every = [observation(1.0, 1.0, 1.3, 1.3, 1.3, size=size) for size in (8.0, 16.0)]
    every += [observation(2.0, 2.0, 2.0, 2.0, 2.0, ranks=2)]
    found = calm.slower(every, [calm.calmest(one) for one in every], cores=1)
    assert found.middle == pytest.approx(1.15) and found.left_alone.size == 10
    usual = found.disturbance(1000, np.random.default_rng(1)).usual
    assert 1.0 < np.mean(usual) < 1.3 and {1.0, 1.3} < set(usual)


@pytest.mark.parametrize("state_lasts", (True, False))
def test_a_state_that_lasts_is_what_the_next_launches_may_meet(state_lasts):
    """Of 40 launches of two sizes a quarter was slow: ten in a row, or every fourth one."""
    slow = [at >= 30 if state_lasts else at % 4 == 3 for at in range(40)]
    every = [
        Observation(
            Point(size),
            tuple({"solve": 1.5 if slow[at] else 1.0} for at in range(first, 40, 2)),
            tuple(f"20261127T20{at:02d}" for at in range(first, 40, 2)),
        )
        for first, size in enumerate((8.0, 16.0))
    ]
    usual = calm.slower(every, [calm.calmest(one) for one in every], 1).disturbance(
        1000, np.random.default_rng(1)
    )
    assert usual.middle == pytest.approx(1.0)
    assert (np.quantile(usual.usual, 0.9) > 1.35) == state_lasts


def test_few_launches_on_as_many_cores_are_helped_out_by_all():
    every = [observation(1.0, 1.0, 1.5), observation(2.0, 2.0, 2.0, ranks=2)]
    assert calm.slower(every, [calm.calmest(one) for one in every], cores=1).left_alone.size == 6


def test_one_launch_of_each_point_says_nothing_of_the_machine():
    every = [observation(1.0), observation(3.0, size=16.0)]
    found = calm.slower(every, every, cores=1)
    drawn = found.disturbance(1000, np.random.default_rng(1))
    assert drawn.middle == 1.0 and (drawn.usual == 1.0).all()
    assert np.std(drawn.of_one) > 0.03  # 5 % is assumed


def test_what_others_took_counts_for_one_run_only():
    every = [observation(*[1.0] * 10, walls=(1.0,) * 5 + (2.0,) * 5)]
    found = calm.slower(every, [calm.calmest(every[0])], cores=1)
    assert found.middle == pytest.approx(1.0)
    one = found.disturbance(1000, np.random.default_rng(1)).of_one
    assert np.quantile(one, 0.75) == pytest.approx(2.0, rel=0.2)
