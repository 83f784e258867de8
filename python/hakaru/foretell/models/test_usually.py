"""The middle that all forecasts and their scores mean by usually."""

import numpy as np
import pytest

from hakaru.foretell.models.usually import MOST, MOST_APART, usually


def test_it_is_the_middle_of_all_pairs():
    # Hollander & Wolfe, Nonparametric Statistical Methods, example 3.1 (depression factors): the estimate is -0.46 for these differences.
    differences = np.array([-0.952, 0.147, -1.022, -0.430, -0.620, -0.590, -0.490, 0.080, -0.010])
    assert usually(100.0 + differences) == pytest.approx(100.0 - 0.46, abs=0.005)


def test_between_two_speeds_it_goes_step_by_step():
    slower = [float(usually([1.0] * fast + [1.4] * (11 - fast))) for fast in range(12)]
    assert slower == sorted(slower, reverse=True)
    assert slower[5] == slower[6] == pytest.approx(1.2)
    assert [np.median([1.0] * fast + [1.4] * (11 - fast)) for fast in (5, 6)] == [1.4, 1.0]


@pytest.mark.parametrize("bad", [2.0, 100.0])
def test_disturbed_launches_do_not_carry_it_away(bad):
    assert usually([1.0, 1.0, 1.0, 1.0, bad]) == 1.0
    assert usually([1.0, 1.0, 1.0, bad, bad]) == pytest.approx((1.0 + MOST_APART) / 2.0)


def test_rows_are_as_each_by_itself_and_many_launches_as_their_quantiles():
    times = np.exp(0.1 * np.random.default_rng(1).standard_normal((3, 2 * MOST)))
    assert usually(times).tolist() == [float(usually(row)) for row in times]
    first, second = np.triu_indices(2 * MOST)
    assert usually(times[0]) == pytest.approx(np.median(times[0][first] + times[0][second]) / 2.0, rel=1e-3)


def test_no_launch_has_no_usual_time():
    with pytest.raises(ValueError, match="no launch"):
        usually([])
