"""Launches that are disturbed now and then: what they usually take is known well, what one takes holds the disturbed ones."""

import numpy as np
import pytest

from hakaru.foretell.models import calm, noise
from hakaru.foretell.models.fixtures import SIZES, TRUTHS
from hakaru.foretell.models.observations import Observation, Point
from hakaru.foretell.models.prediction import predict

TRUTH = TRUTHS["c0 * N^3"]
TRIALS = 60


def disturbed(seed, sizes, launches=5, usual=0.03, bad=0.2):
    """3 % usually; one launch of five takes up to three times as long."""
    generator = np.random.default_rng(seed)

    def launch(size):
        slow = 1.0 + 2.0 * generator.random() if generator.random() < bad else 1.0
        return TRUTH(size) * slow * (1.0 + usual * generator.standard_normal())

    return [launch(size) for size in sizes for _ in range(launches)]


def foretold(seed):
    sizes = SIZES[1]
    times = np.reshape(disturbed(seed, sizes), (len(sizes), -1))
    observations = [
        Observation(Point(size), tuple({"solve": float(time)} for time in row))
        for size, row in zip(sizes, times, strict=True)
    ]
    return predict(observations, Point(192.0), {"solve": "compute"})


@pytest.fixture(scope="module")
def predictions():
    return [foretold(seed) for seed in range(TRIALS)]


def half_width(estimate):
    return (estimate.high - estimate.low) / (2.0 * estimate.value)


def test_what_launches_usually_take_is_held_and_narrow(predictions):
    held = [one.usual_s.low <= TRUTH(192.0) <= one.usual_s.high for one in predictions]
    assert np.mean(held) >= 0.9
    assert np.median([half_width(one.usual_s) for one in predictions]) < 0.25


def test_any_one_run_is_held_disturbed_or_not(predictions):
    future = [disturbed(1000 + seed, (192.0,), 1)[0] for seed in range(TRIALS)]
    held = [one.time_s.low <= time <= one.time_s.high for one, time in zip(predictions, future, strict=True)]
    assert 0.88 <= np.mean(held)
    assert all(half_width(one.time_s) >= half_width(one.usual_s) for one in predictions)


def test_disturbed_launches_that_count_as_calm_make_it_wide(monkeypatch, predictions):
    monkeypatch.setattr(noise, "MOST_SIGMA", np.inf)
    monkeypatch.setattr(calm, "SHARE", 1.0)
    wide = [half_width(foretold(seed).usual_s) for seed in range(20)]
    assert np.median(wide) > 1.5 * np.median([half_width(one.usual_s) for one in predictions[:20]])


def test_normal_deviations_keep_their_variance():
    launches = np.random.default_rng(1).normal(1.0, 0.02, (400, 5))
    apart = noise.winsorised(noise.deviations(launches.tolist(), [1.0] * 400))
    assert np.std(apart) == pytest.approx(0.02, rel=0.05)


def test_without_repeats_a_spread_is_assumed():
    drawn = noise.of_one_launch(np.empty(0), 4000, np.random.default_rng(1))
    assert np.median(np.abs(drawn - 1.0)) == pytest.approx(
        0.0382, rel=0.1
    )  # 5 % of Student's t with 3 degrees


@pytest.mark.parametrize("launches", [5, 12, 40])
def test_draws_of_a_launch_vary_as_launches_do(launches):
    seen = np.random.default_rng(1).normal(0.0, 0.05, (200, launches))
    drawn = [noise.of_one_launch(row, 2000, np.random.default_rng(2)) for row in seen]
    assert np.mean(np.var(drawn, axis=1)) == pytest.approx(0.05**2, rel=0.1)
