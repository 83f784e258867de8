"""How sure the usual time of another hour is."""

import math

import numpy as np
import pytest

from hakaru.foretell.models import drift, fixtures
from hakaru.foretell.models.observations import Point
from hakaru.foretell.models.prediction import predict


def test_launches_of_a_moment_know_one_state_of_the_machine():
    assert drift.size(math.inf, 2) == drift.DRIFT
    assert drift.size(0.0, 2) == pytest.approx(math.hypot(drift.DRIFT, drift.TOGETHER))
    assert drift.size(0.0, 2) > drift.size(20.0, 2) > drift.size(600.0, 2) > drift.DRIFT
    assert drift.size(20.0, 1) < drift.size(20.0, 2)


def test_draws_have_that_spread_and_stay_positive():
    draws = drift.draws(0.0, 2, 40_000, np.random.default_rng(1))
    expected = drift.size(0.0, 2) * math.sqrt(drift.FREEDOM / (drift.FREEDOM - 2))  # of Student's t
    assert np.std(draws) == pytest.approx(expected, rel=0.05) and np.mean(draws) == pytest.approx(
        1.0, abs=0.002
    )
    assert (draws > 0.0).all()


def test_a_forecast_by_growth_is_no_surer_than_another_hour():
    observations = fixtures.observed(fixtures.TRUTHS["c0 * N^3"], fixtures.SIZES[1], 1e-4, 7)
    usual = predict(observations, Point(256.0), {"solve": "compute"}).usual_s
    assert (usual.high - usual.low) / usual.value > 4.0 * drift.DRIFT
