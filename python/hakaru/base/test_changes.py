"""Change points: alarms without a change are as rare as stated, known changes are found where they are."""

import numpy as np
import pytest

from hakaru.base.changes import FALSE_ALARM, LEAST, change_points, needed

SERIES = 600


def lognormal(generator, count):
    return generator.lognormal(0.0, 0.2, count)


def mixture(generator, count):
    return generator.normal(1.0, 0.01, count) * np.where(generator.random(count) < 0.2, 1.5, 1.0)


def coarse(generator, count):
    """A clock of few ticks: most values are tied."""
    return np.round(generator.normal(1.0, 0.1, count), 1)


@pytest.mark.parametrize("draw", [lognormal, mixture, coarse])
@pytest.mark.parametrize("length", [10, 40])
def test_false_alarms_are_as_rare_as_stated(draw, length):
    generator = np.random.default_rng(11)
    alarms = sum(bool(change_points(draw(generator, length))) for _ in range(SERIES))
    # Of 600 series 6 at most are expected; more than 14 has a probability of 0.1 %.
    assert alarms <= 14


def test_alarms_would_be_counted():
    """The same count for series that drift: a test that could not see alarms would pass anything."""
    generator = np.random.default_rng(11)
    drift = np.linspace(1.0, 2.0, 40)
    assert sum(bool(change_points(drift * lognormal(generator, 40))) for _ in range(50)) > 40


def test_a_known_change_is_found_where_it_is():
    generator = np.random.default_rng(5)
    near = 0
    for _ in range(200):
        values = generator.lognormal(0.0, 0.03, 40)
        values[25:] *= 1.10
        found = change_points(values)
        near += len(found) == 1 and abs(found[0].index - 25) <= 1
    assert near >= 180


def test_two_changes_and_one_back():
    generator = np.random.default_rng(6)
    values = generator.lognormal(0.0, 0.02, 60)
    values[20:40] *= 1.2
    assert [change.index for change in change_points(values)] == [20, 40]


def test_an_outlier_is_no_change():
    values = [1.0 + 0.001 * ((7 * at) % 13) for at in range(30)]
    values[-1] = 9.0
    assert change_points(values) == []


def test_short_and_constant_series_say_nothing():
    assert needed() == 10 and FALSE_ALARM == 0.01
    assert change_points([1.0] * 5 + [2.0] * 4) == []
    assert change_points([3.0] * 50) == [] and change_points([]) == []


def test_the_shortest_series_that_can_show_a_change():
    values = [1.0, 1.01, 1.02, 0.99, 0.98, 2.0, 2.01, 1.99, 2.02, 2.03]
    assert [change.index for change in change_points(values)] == [5]


def test_the_answer_is_the_same_every_time():
    values = list(np.random.default_rng(8).lognormal(0, 0.1, 25)) + [1.3] * LEAST
    assert change_points(values) == change_points(values)
