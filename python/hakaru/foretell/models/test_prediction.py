import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hakaru.foretell.models import parse
from hakaru.foretell.models.fixtures import (
    SIZES,
    SOLVER_KINDS,
    TRUTHS,
    observed,
    solver_observed,
    solver_times,
    solver_work,
)
from hakaru.foretell.models.observations import Observation, Point
from hakaru.foretell.models.prediction import predict

KINDS = {"solve": "compute"}


def scaled(observations, factor):
    return [
        Observation(
            one.point,
            tuple({name: time * factor for name, time in launch.items()} for launch in one.launches),
        )
        for one in observations
    ]


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 1000), st.floats(1e-6, 1e6))
def test_times_in_another_unit_give_the_same_prediction_in_that_unit(seed, factor):
    observations = solver_observed([(size, 2, 1) for size in SIZES[0]], 0.02, seed)
    target = Point(192.0, 2, 1, solver_work(192.0, 2))
    one, other = (
        predict(observations, target, SOLVER_KINDS),
        predict(scaled(observations, factor), target, SOLVER_KINDS),
    )
    assert other.time_s.value == pytest.approx(factor * one.time_s.value, rel=1e-6)
    assert other.time_s.low == pytest.approx(factor * one.time_s.low, rel=1e-4)
    assert other.time_s.high == pytest.approx(factor * one.time_s.high, rel=1e-4)
    assert [phase.model for phase in other.phases] == [phase.model for phase in one.phases]


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 1000))
def test_phases_add_up_and_intervals_hold_their_value(seed):
    observations = solver_observed([(size, 2, 1) for size in SIZES[0]], 0.05, seed)
    prediction = predict(observations, Point(192.0, 2, 1, solver_work(192.0, 2)), SOLVER_KINDS)
    assert sum(phase.time_s.value for phase in prediction.phases) == pytest.approx(prediction.time_s.value)
    for span in (prediction.time_s, *(phase.time_s for phase in prediction.phases)):
        assert 0.0 <= span.low <= span.value <= span.high


def test_order_of_observations_does_not_matter():
    observations = solver_observed([(size, 2, 1) for size in SIZES[1]], 0.02, 3)
    target = Point(192.0, 2, 1, solver_work(192.0, 2))
    one, other = (
        predict(observations, target, SOLVER_KINDS),
        predict(observations[::-1], target, SOLVER_KINDS),
    )
    assert other.time_s.value == pytest.approx(one.time_s.value)
    assert other.time_s.high == pytest.approx(one.time_s.high, rel=1e-6)


def test_solver_is_foretold_phase_by_phase():
    observations = solver_observed([(size, 2, 1) for size in SIZES[1]], 0.01, 11)
    prediction = predict(observations, Point(256.0, 2, 1, solver_work(256.0, 2)), SOLVER_KINDS)
    for phase in prediction.phases:
        assert phase.time_s.low <= solver_times(256.0, 2)[phase.name] <= phase.time_s.high
    stencil = prediction.phases[0]
    assert stencil.time_s.value == pytest.approx(solver_times(256.0, 2)["stencil"], rel=0.03)
    assert stencil.model == "c0 * flops/cores"


def test_a_layout_never_run_is_foretold_from_others():
    layouts = [(1, 1), (2, 1), (1, 2), (4, 1)]
    observations = solver_observed([(size, *layout) for size in SIZES[0] for layout in layouts], 0.01, 5)
    prediction = predict(observations, Point(128.0, 2, 2, solver_work(128.0, 2)), SOLVER_KINDS)
    truth = sum(solver_times(128.0, 2, 2).values())
    assert prediction.time_s.low <= truth <= prediction.time_s.high
    assert prediction.time_s.value == pytest.approx(truth, rel=0.05)


def test_published_rule_needs_one_size():
    """11 s x (N / 36)^4 at N = 72 is 176 s."""
    generator = np.random.default_rng(3)
    observation = Observation(
        Point(36.0), tuple({"solve": 11.0 * (1 + 0.01 * x)} for x in generator.standard_normal(5))
    )
    prediction = predict([observation], Point(72.0), KINDS, parse("N^4"))
    assert prediction.time_s.value == pytest.approx(176.0, rel=0.02)
    assert prediction.time_s.low < 176.0 < prediction.time_s.high
    assert prediction.phases[0].model == "c0 * N^4"


def test_one_launch_of_one_size_gets_an_honest_interval():
    prediction = predict([Observation(Point(36.0), ({"solve": 11.0},))], Point(36.0), KINDS, parse("N^4"))
    assert prediction.time_s.value == pytest.approx(11.0)
    assert prediction.time_s.high - prediction.time_s.low > 0.1 * 11.0


def test_a_stated_growth_that_the_data_deny_widens_the_interval(without_drift):
    observations = observed(TRUTHS["c0 * N^3"], SIZES[1], 0.01, 2)
    right, wrong = (predict(observations, Point(256.0), KINDS, parse(law)).time_s for law in ("N^3", "N^4"))
    assert (wrong.high - wrong.low) / wrong.value > 5.0 * (right.high - right.low) / right.value


def test_a_phase_without_time_stays_at_zero():
    observations = [
        Observation(one.point, tuple(launch | {"wait for others": 0.0} for launch in one.launches))
        for one in observed(TRUTHS["c0 * N^3"], SIZES[0], 0.01, 2)
    ]
    prediction = predict(observations, Point(128.0), {"solve": "compute", "wait for others": "idle"})
    assert prediction.phases[1].time_s.high == 0.0
    assert prediction.phases[1].model == "0"


def test_the_whole_counts_where_shares_of_phases_are_known_badly():
    """Launches that repeat to 1 % and grow as N; shares between two phases change from size to size as a few traced launches tell them."""
    generator = np.random.default_rng(7)

    def launch(size):
        total, share = 1e-3 * size * (1.0 + 0.01 * generator.random()), generator.uniform(0.2, 0.8)
        return {"one": share * total, "other": (1.0 - share) * total}

    observations = [Observation(Point(size), tuple(launch(size) for _ in range(5))) for size in SIZES[2]]
    found = predict(observations, Point(800.0), {"one": "compute", "other": "compute"})
    assert found.whole is not None and found.usual_s.low <= 0.804 <= found.usual_s.high
    assert found.usual_s.high / found.usual_s.low < 1.5
    assert sum(phase.time_s.value for phase in found.phases) == pytest.approx(found.usual_s.value)


def test_narrower_intervals_lie_inside_wider_ones():
    observations = solver_observed([(size, 2, 1) for size in SIZES[0]], 0.05, 1)
    found = predict(observations, Point(192.0, 2, 1, solver_work(192.0, 2)), SOLVER_KINDS)
    widths = [high - low for _, low, high in found.bands]
    assert [level for level, _, _ in found.bands] == [0.5, 0.8, 0.9]
    assert widths == sorted(widths) and widths[-1] < found.usual_s.high - found.usual_s.low
