"""Medians with distribution-free intervals."""

import random
from statistics import median

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hakaru.base.statistics import harmonic_mean, median_interval, pseudo_median_interval


def test_known_intervals():
    # n = 10: the 2nd and 9th order statistics cover the median with 97.9 % (Hahn & Meeker, table of order statistics).
    found = median_interval(list(range(1, 11)))
    assert (found.value, found.low, found.high, found.count) == (5.5, 2, 9, 10)
    assert found.coverage == pytest.approx(0.978515625)
    # Five samples cannot reach 95 %: the whole range, which covers 93.75 %.
    assert (median_interval([3, 1, 2, 5, 4]).low, median_interval([3, 1, 2, 5, 4]).coverage) == (1, 0.9375)
    assert median_interval([7.0]).coverage == 0.0


def test_interval_covers_as_often_as_it_says():
    generator = random.Random(1)
    held, trials = 0, 4000
    for _ in range(trials):
        found = median_interval([generator.expovariate(1.0) for _ in range(11)])
        held += found.low <= 0.6931471805599453 <= found.high
    # 11 samples: [x_2, x_10] covers with 98.83 %; four standard deviations of 4000 trials are 0.7 %.
    assert held / trials == pytest.approx(found.coverage, abs=0.007)


def test_pseudo_median_of_a_textbook():
    # Hollander & Wolfe, Nonparametric Statistical Methods, example 3.1 (depression factors): -0.46, and 96.1 % from -0.786 to -0.010.
    found = pseudo_median_interval([-0.952, 0.147, -1.022, -0.430, -0.620, -0.590, -0.490, 0.080, -0.010])
    assert (found.value, found.low, found.high) == pytest.approx((-0.46, -0.786, -0.010), abs=0.0005)
    assert (found.count, found.coverage) == (9, pytest.approx(0.961, abs=0.0005))


def test_pseudo_medians_of_few_samples_have_the_whole_range():
    found = pseudo_median_interval([3.0, 1.0, 2.0])
    assert (found.value, found.low, found.high, found.coverage) == (2.0, 1.0, 3.0, 0.75)
    assert pseudo_median_interval([7.0]).coverage == 0.0


@pytest.mark.parametrize("fast", range(12))
def test_between_two_speeds_the_pseudo_median_goes_step_by_step(fast):
    found = pseudo_median_interval([1.0] * fast + [1.5] * (11 - fast))
    assert found.low <= found.value <= found.high
    assert (found.value == 1.25) == (4 <= fast <= 7)


@given(st.lists(st.floats(-1e9, 1e9), min_size=1, max_size=50))
def test_interval_holds_the_median_and_ignores_order(samples):
    found = median_interval(samples)
    assert min(samples) <= found.low <= found.value <= found.high <= max(samples)
    assert median_interval(samples[::-1]) == found
    assert median(samples) == found.value


def test_harmonic_mean_is_for_rates():
    assert harmonic_mean([1.0, 3.0]) == pytest.approx(1.5)
    for bad in ([], [1.0, 0.0]):
        with pytest.raises(ValueError):
            harmonic_mean(bad)
