"""Does the 95 % interval hold 95 times in 100? Truths that are candidates, truths that are none, sums of
phases."""

import numpy as np
import pytest

from hakaru.models.fixtures import (
    SIZES,
    SOLVER_KINDS,
    TRUTHS,
    observed,
    solver_observed,
    solver_work,
)
from hakaru.models.interval import Mixture, bend_covariance
from hakaru.models.observations import Point
from hakaru.models.prediction import predict

TRIALS = 240
OUTSIDE_THE_SET = (
    lambda n: 1e-6 * n**1.7 + 2e-8 * n**3.2,
    lambda n: 1e-8 * n**3.3,
    lambda n: 1e-9 * n**3.4 * (1.0 + 4.0 / np.sqrt(n)),
)


def holds(truth, seed, noise, reach):
    """One trial: is a future launch, reach times larger than the largest size, inside the interval?"""
    sizes = SIZES[seed % len(SIZES)]
    wanted = reach * sizes[-1]
    prediction = predict(observed(truth, sizes, noise, seed), Point(wanted), {"solve": "compute"})
    launch = truth(wanted) * (1.0 + noise * np.random.default_rng([seed, 99]).standard_normal())
    return prediction.time_s.low <= launch <= prediction.time_s.high


@pytest.mark.parametrize("noise", [0.01, 0.02, 0.05])
def test_coverage_where_the_truth_is_a_candidate(noise):
    truths = list(TRUTHS.values())
    held = [holds(truths[seed % 5], seed, noise, (2.0, 3.0, 4.0)[seed // 5 % 3]) for seed in range(TRIALS)]
    assert 0.90 <= np.mean(held) <= 0.99


def test_coverage_where_no_candidate_is_the_truth():
    held = [
        holds(OUTSIDE_THE_SET[seed % 3], seed, (0.01, 0.05)[seed % 2], (2.0, 3.0)[seed // 6 % 2])
        for seed in range(TRIALS)
    ]
    assert 0.90 <= np.mean(held)


@pytest.mark.parametrize("common", [-0.45, 0.95])
def test_coverage_of_the_sum_of_phases_whose_noise_is_correlated(common):
    held = []
    for seed in range(100):
        observations = solver_observed(
            [(size, 2, 1) for size in (32.0, 48.0, 64.0, 80.0, 96.0)], 0.03, seed, common
        )
        target = Point(192.0, 2, 1, solver_work(192.0, 2))
        time_s = predict(observations, target, SOLVER_KINDS).time_s
        future = solver_observed([(192.0, 2, 1)], 0.03, 10_000 + seed, common, launches=1)[0].totals()[0]
        held.append(time_s.low <= future <= time_s.high)
    assert 0.90 <= np.mean(held) <= 0.99


def test_common_noise_widens_the_sum():
    """Two phases of equal time: the sum's noise is sqrt(2 (1 + correlation)) of one's, 6 times more at
    0.95 than at -0.95."""

    def width(correlation):
        generator = np.random.default_rng(4)
        draws = generator.multivariate_normal([0.0, 0.0], [[1.0, correlation], [correlation, 1.0]], (5, 20))
        from hakaru.models.observations import Observation

        observations = [
            Observation(
                Point(size),
                tuple({"a": size**3 * (1 + 0.05 * x), "b": size**3 * (1 + 0.05 * y)} for x, y in rows),
            )
            for size, rows in zip((32.0, 48.0, 64.0, 80.0, 96.0), draws, strict=True)
        ]
        time_s = predict(observations, Point(128.0), {"a": "compute", "b": "compute"}).time_s
        return (time_s.high - time_s.low) / time_s.value

    assert width(0.95) > 2.5 * width(-0.95)


def test_interval_widens_with_distance_and_noise():
    def width(reach, noise):
        time_s = predict(
            observed(TRUTHS["c0 + c1 * N^3"], SIZES[0], noise, 7), Point(96.0 * reach), {"solve": "compute"}
        ).time_s
        return (time_s.high - time_s.low) / time_s.value

    assert width(2.0, 0.01) < width(4.0, 0.01) < width(16.0, 0.01)
    assert width(2.0, 0.01) < width(2.0, 0.05)


def test_a_step_in_the_data_widens_the_interval_and_the_last_sizes_count_most():
    def stepped(n):
        return 2e-8 * n**3 * (1.0 if n < 70.0 else 1.6)

    sizes = (32.0, 48.0, 64.0, 80.0, 96.0, 128.0)
    time_s = predict(observed(stepped, sizes, 0.01, 1), Point(160.0), {"solve": "compute"}).time_s
    plain = predict(observed(TRUTHS["c0 * N^3"], sizes, 0.01, 1), Point(160.0), {"solve": "compute"}).time_s
    assert time_s.low <= stepped(160.0) <= time_s.high
    assert time_s.high - time_s.low > 3.0 * (plain.high - plain.low)


def test_quantiles_invert_the_distribution():
    mixture = Mixture(np.array([0.3, 0.7]), np.array([1.0, 1.5]), np.array([0.1, 0.2]), np.array([3.0, 20.0]))
    probabilities = np.array([0.025, 0.5, 0.975])
    np.testing.assert_allclose(mixture.cumulative(mixture.quantiles(probabilities)), probabilities, atol=1e-9)


def test_departures_are_a_covariance_and_grow_with_distance():
    points = [Point(32.0), Point(64.0, 2, 1), Point(512.0, 4, 2)]
    covariance = bend_covariance(points, Point(128.0, 2, 1))
    assert (np.linalg.eigvalsh(covariance) > 0.0).all()
    line = np.diag(bend_covariance([Point(64.0), Point(32.0), Point(16.0)], Point(128.0)))
    np.testing.assert_allclose(line, [0.5 + 1 + 1, 0.5 + 2 + 4, 0.5 + 3 + 9])
