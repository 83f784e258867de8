"""Does the 95 % interval hold 95 times in 100? Truths that are candidates, truths that are none, sums of
phases."""

import numpy as np
import pytest

from hakaru.foretell.models import interval
from hakaru.foretell.models.fixtures import (
    SIZES,
    SOLVER_KINDS,
    TRUTHS,
    observed,
    solver_observed,
    solver_work,
)
from hakaru.foretell.models.interval import Mixture, bend_covariance
from hakaru.foretell.models.observations import Point
from hakaru.foretell.models.prediction import predict

TRIALS = 336
NO_CANDIDATE = (
    lambda n: 1e-8 * n**2.7,
    lambda n: 1e-8 * n**3.3,
    lambda n: 1e-9 * n**3.4 * (1.0 + 4.0 / np.sqrt(n)),
    lambda n: 1e-6 * n**1.7 + 2e-8 * n**3.2,
    lambda n: 1e-8 * n**3 / (1.0 + 64.0 / n),
)


def step(seed, gain=0.8):
    """Cost a point grows by ``gain`` where the data leave a cache, somewhere among the measured sizes."""
    centre = np.random.default_rng([seed, 7]).uniform(40.0, 90.0)
    return lambda n: 1e-8 * n**3 * (1.0 + gain / (1.0 + np.exp(-4.0 * np.log2(n / centre))))


def wiggle(seed, amplitude=0.15):
    """Cost a point goes up and down by ``amplitude`` in two doublings."""
    phase = np.random.default_rng([seed, 8]).uniform(0.0, 2.0 * np.pi)
    return lambda n: 1e-8 * n**3 * (1.0 + amplitude * np.sin(np.pi * np.log2(n) + phase))


def trial(truth, seed, noise, reach):
    """(is a future launch, reach times larger than the largest size, inside the interval?, high / low)."""
    sizes = SIZES[seed % len(SIZES)]
    wanted = reach * sizes[-1]
    time_s = predict(observed(truth, sizes, noise, seed), Point(wanted), {"solve": "compute"}).time_s
    launch = truth(wanted) * (1.0 + noise * np.random.default_rng([seed, 99]).standard_normal())
    return time_s.low <= launch <= time_s.high, time_s.high / time_s.low


def of_every_kind(seed):
    """A candidate, a smooth law that is none, a step or a wiggle, in turn."""
    laws = (list(TRUTHS.values()), NO_CANDIDATE, (step(seed), wiggle(seed)))[seed % 3]
    return laws[seed // 3 % len(laws)]


def coverage(truth_of, trials):
    noises, reaches = (0.005, 0.01, 0.02, 0.05), (1.3, 1.5, 2.0, 4.0)
    return np.mean(
        [trial(truth_of(seed), seed, noises[seed % 4], reaches[seed // 4 % 4])[0] for seed in range(trials)]
    )


def test_coverage_over_laws_of_every_kind():
    assert 0.90 <= coverage(of_every_kind, TRIALS) <= 0.99


def test_intervals_that_take_exponents_for_constant_fail_that(monkeypatch):
    monkeypatch.setattr(interval, "_BENDS", np.array([1e-3]))
    assert coverage(of_every_kind, TRIALS // 2) < 0.90


@pytest.mark.parametrize("noise", [0.01, 0.05])
def test_where_the_truth_is_a_candidate_the_interval_holds_and_is_of_use(noise):
    """What may lie beyond the data widens it, so that it holds more often than 95 times in 100 here."""
    truths = list(TRUTHS.values())
    held, widths = zip(*(trial(truths[seed % 5], seed, noise, 2.0) for seed in range(60)), strict=True)
    assert np.mean(held) >= 0.90
    assert np.median(widths) < 1.4 / 0.6


def test_coverage_where_no_candidate_is_the_truth():
    assert coverage(lambda seed: NO_CANDIDATE[seed % 5], 160) >= 0.90


@pytest.mark.parametrize("common", [-0.45, 0.95])
def test_coverage_of_the_sum_of_phases_whose_noise_is_correlated(common):
    held, widths = [], []
    for seed in range(30):
        observations = solver_observed(
            [(size, 2, 1) for size in (32.0, 48.0, 64.0, 80.0, 96.0)], 0.03, seed, common
        )
        target = Point(192.0, 2, 1, solver_work(192.0, 2))
        time_s = predict(observations, target, SOLVER_KINDS).time_s
        future = solver_observed([(192.0, 2, 1)], 0.03, 10_000 + seed, common, launches=1)[0].totals()[0]
        held.append(time_s.low <= future <= time_s.high)
        widths.append(time_s.high / time_s.low)
    assert np.mean(held) >= 0.90
    assert np.median(widths) < 1.4 / 0.6


def test_common_noise_widens_the_sum(without_drift):
    """Two phases of equal time: the sum's noise is sqrt(2 (1 + correlation)) of one's, 6 times more at
    0.95 than at -0.95."""

    def width(correlation):
        generator = np.random.default_rng(4)
        draws = generator.multivariate_normal([0.0, 0.0], [[1.0, correlation], [correlation, 1.0]], (5, 20))
        from hakaru.foretell.models.observations import Observation

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
    np.testing.assert_allclose(line, np.log(2.0) ** 2 * np.array([1 + 1 / 3, 4 + 8 / 3, 9 + 9]))


def test_a_time_without_any_scatter_is_no_division_by_nothing():
    sure = Mixture(np.ones(1), np.array([2.0]), np.zeros(1), np.array([3.0]))
    assert sure.cumulative(np.array([1.0, 2.0, 3.0])) == pytest.approx([0.0, 0.5, 1.0])


def test_a_long_step_of_the_linearised_fit_grows_no_longer_by_its_exponential():
    steps = np.linspace(-1.0, 9.0, 101)
    grown = interval._grown(steps)
    assert grown[steps <= 2.0] == pytest.approx(np.exp(steps[steps <= 2.0]))
    assert (np.diff(grown) > 0.0).all() and np.diff(grown, 2).min() > -1e-9
    assert grown[-1] == pytest.approx(8.0 * np.exp(2.0))
