"""Forecasts that rest on launches of the wanted size: what they say is what those took, and how sure that is."""

import numpy as np
import pytest

from hakaru.foretell.models import Observation, Point, predict_sampled, sample_of
from hakaru.foretell.models.sampled import ENOUGH
from hakaru.foretell.models.usually import usually

KINDS = {"stencil": "compute", "exchange": "communicate"}
POINT = Point(64.0, 2, 1)


def observation(times_s, point=POINT, span_s=600.0):
    launches = tuple({"stencil": 0.8 * t, "exchange": 0.2 * t} for t in times_s)
    return Observation(point, launches, span_s=span_s)


def test_it_rests_on_the_wanted_size_and_layout_alone():
    enough = observation([1.0] * ENOUGH)
    others = [
        observation([1.0] * ENOUGH, Point(32.0, 2, 1)),
        observation([1.0] * ENOUGH, Point(64.0, 1, 2)),
    ]
    assert sample_of([*others, enough], POINT) is enough
    assert sample_of(others, POINT) is None
    assert sample_of([observation([1.0] * (ENOUGH - 1))], POINT) is None


def test_phases_add_up_to_the_usual_launch():
    made = predict_sampled(observation([1.0, 1.1, 1.2, 1.3, 9.0]), KINDS)
    assert made.usual_s.value == pytest.approx(1.2)
    assert sum(phase.time_s.value for phase in made.phases) == pytest.approx(1.2)
    assert made.usual_s.low < 1.2 < made.usual_s.high and made.time_s.high > made.usual_s.high


def test_between_two_speeds_the_usual_launch_is_between():
    made = predict_sampled(observation([1.0] * 5 + [1.4] * 6), KINDS)
    assert made.usual_s.value == pytest.approx(1.2)
    assert made.usual_s.low < 1.1 and made.usual_s.high > 1.3


def test_launches_of_a_moment_tell_one_state_of_the_machine():
    def width(span_s):
        usual = predict_sampled(observation([1.0, 1.01, 0.99, 1.0, 1.02, 0.98], span_s=span_s), KINDS).usual_s
        return (usual.high - usual.low) / (2.0 * usual.value)

    assert width(0.0) > 0.15 > width(20.0) > 0.12 > width(600.0) > 0.06


def covered(spread: float, drift: float) -> float:
    """Share of 95 % intervals that hold what seven later launches usually take."""
    generator, held, rounds = np.random.default_rng(1), 0, 200
    for _ in range(rounds):
        times_s = np.exp(spread * generator.standard_normal(12))
        made = predict_sampled(observation(times_s), KINDS)
        moved = np.exp(drift * generator.standard_normal())
        later = usually(moved * np.exp(spread * generator.standard_normal(7)))
        held += made.usual_s.low <= later <= made.usual_s.high
    return held / rounds


@pytest.mark.parametrize("spread", [0.005, 0.05, 0.2])
def test_intervals_hold_what_they_say(spread):
    assert 0.90 <= covered(spread, 0.01)


def test_a_machine_that_changes_between_sample_and_run_is_missed():
    assert covered(0.005, 0.2) < 0.6
