"""Run times of jobs out of forecasts: both intervals, all repetitions of a job, refusals and far reaches in words."""

from types import SimpleNamespace

import pytest

from hakaru.base.errors import UserError
from hakaru.facts.forecasts import Forecast, Span
from hakaru.facts.machines import Machine
from hakaru.foretell import forecast
from hakaru.foretell.forecast import fixtures
from hakaru.foretell.mix import foretold
from hakaru.foretell.mix.fixtures import launches
from hakaru.foretell.mix.kinds import Asked

USUAL = SimpleNamespace(count=lambda repetitions, warmup: (repetitions or 5) + 1)
PROGRAM = SimpleNamespace(brings_launcher=False, describe=lambda: SimpleNamespace(usual=USUAL))
START_S = 0.6
RECORDS = launches(START_S, 0.0)


@pytest.fixture
def asked(monkeypatch, tmp_path):
    """Asks for a job of the made-up solver."""

    def made(question: SimpleNamespace) -> Forecast:
        wanted = fixtures.evaluated(question.given["n"])
        return forecast.make(
            question.records, "solver", wanted, lambda other: fixtures.describe("solver", other)
        )

    def question(folder, program, given, ranks, threads, nodes) -> SimpleNamespace:
        own = SimpleNamespace(given=given, records=RECORDS if given["n"] != 7 else [], found=PROGRAM)
        own.wanted = fixtures.evaluated(given["n"])
        own.forecast = lambda: made(own)
        return own

    monkeypatch.setattr(foretold, "Question", question)
    here = foretold.here(tmp_path)
    return lambda n, repetitions=0: here(Asked("solver", {"n": n}, 2, 1, 1, repetitions))


def test_a_job_takes_its_start_its_repetitions_and_its_warm_up(asked):
    five, nine = asked(96).times, asked(96, 9).times
    assert nine.usual.value - START_S == pytest.approx((five.usual.value - START_S) / 6 * 10)
    assert nine.any_one.high - START_S == pytest.approx((five.any_one.high - START_S) / 6 * 10)


def test_both_intervals_of_the_forecast_are_kept(asked):
    made = forecast.make(
        RECORDS, "solver", fixtures.evaluated(96), lambda other: fixtures.describe("solver", other)
    )
    times = asked(96).times
    assert times.usual.high == pytest.approx(START_S + 6 * made.usual_s.high)
    assert times.any_one.low == pytest.approx(START_S + 6 * made.time_s.low)
    assert times.any_one.low <= times.usual.low < times.usual.high <= times.any_one.high


def test_what_nobody_can_foretell_is_refused_and_what_is_far_is_noted(asked):
    with pytest.raises(UserError, match="the time of solver n=7 2x1 cannot be foretold"):
        asked(7)
    assert asked(80).note == ""
    assert "is far from what ran" in asked(400).note


def test_elsewhere_everything_that_is_not_known_is_wrong_for_all_jobs_alike(monkeypatch, tmp_path):
    seen = []

    def replayed(asked, machine):
        seen.append((asked.program, asked.ranks, asked.nodes, machine.name))
        return SimpleNamespace(time_s=Span(value=2.0, low=1.0, high=5.0))

    monkeypatch.setattr(foretold.elsewhere, "foretell", replayed)
    monkeypatch.setattr(foretold.programs, "named", lambda name: PROGRAM)
    there = foretold.there(tmp_path, Machine.of({"name": "toy"}))
    times = there(Asked("solver", {"n": 8}, 4, 1, 2, 3)).times
    assert seen == [("solver", 4, 2, "toy")]
    assert times.usual == times.any_one == Span(value=8.0, low=4.0, high=20.0)
