"""Estimates of what is left: what a program is asked for, and how often."""

import pytest

from hakaru.run.campaign import estimate
from hakaru.run.campaign.estimate import PROBE_S, RATE, START_S, Estimator
from hakaru.run.campaign.plan import Layout, Point

POINTS = [Point("solver", "run", (("n", n),), Layout(1, 1), 5) for n in (8, 16)]


class Solver:
    """Of any size the work of a second; counts how often it is looked for, which takes a while."""

    kind = "app"
    asked = 0

    @classmethod
    def named(cls, _):
        cls.asked += 1
        return cls()


@pytest.fixture
def solver(monkeypatch):
    monkeypatch.setattr(Solver, "asked", 0)
    monkeypatch.setattr(estimate.programs, "named", Solver.named)
    return Solver


def test_a_program_is_asked_once_for_a_point(solver, monkeypatch):
    """A campaign estimates what is left after every launch."""
    monkeypatch.setattr(estimate, "_foreseen", lambda point: RATE if solver.named(point.program) else None)
    estimator = Estimator([])
    for _ in range(100):
        assert [estimator.seconds(point) for point in POINTS] == [START_S + 1.0] * 2
    assert solver.asked == 2


def test_a_probe_that_was_never_run_takes_its_usual_time(solver, monkeypatch):
    monkeypatch.setattr(solver, "kind", "probe")
    assert Estimator([]).seconds(POINTS[0]) == PROBE_S
