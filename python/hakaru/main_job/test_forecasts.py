"""Many forecasts against their runs: what counts as held, misses first, and a plan that reaches as far as it says."""

import dataclasses
from typing import get_args

import msgspec
import pytest

from hakaru.base.tables import print_table
from hakaru.cli import accuracy
from hakaru.facts import programs
from hakaru.facts.forecasts import Span
from hakaru.facts.forecasts.forecast import Measured
from hakaru.facts.records import RecordStore
from hakaru.main_job import forecasts, told
from hakaru.main_job.forecasts import GROWTH, SAMPLE, Checked, Round, Told, check_forecasts
from hakaru.main_job.told import by_kind, sentences
from hakaru.run.campaign.plan import points_of
from hakaru.tell.explain import fixtures

LEAST_WORK = 6.0  # times the largest run behind a forecast


def checked(error=0.0, inside=True, runs_inside=5):
    held = {0.5: False, 0.95: inside}
    return Checked(
        "p", 8.0, "1 rank x 1 thread", 1.0 + error, 1.0, error, inside, 0.1, runs_inside, 5, 6.0, held
    )


def test_the_summary_names_what_did_not_hold_first():
    summary = Told.of([checked(), checked(0.3, False, 3), checked(0.02)])
    assert (summary.median_error, summary.near, summary.usual_inside, summary.runs_inside) == (0.02, 2, 2, 13)
    first, second, third, fourth = sentences(summary)
    assert (
        first.startswith("1 of 3 usual times outside")
        and "1 more than 10 %" in first
        and "2 of 15 runs" in first
    )
    assert "median error 2.0%" in second and "held 67%" in second
    assert third == "intervals of 50 and 95 % held 0 and 67 %"
    assert "its own median to ±0%" in fourth


def test_the_table_fits_a_narrow_terminal(monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", "80")
    row = dataclasses.replace(checked(0.123), program="multiblock_flow", size=262144.0, layout="2 x 1")
    rows = [told._foretold(one) for one in (row, dataclasses.replace(row, rests_on=SAMPLE))]
    print_table("Forecasts", told.FORETOLD, rows)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 4 and "multiblock_flow 2.621e+05 2x1 *  " in lines[2] and "5/5" in lines[3]


def test_the_command_knows_every_round():
    assert get_args(accuracy.Rounds) == tuple(Round)
    assert accuracy.targets(["--forecasts", "--round", "caches"]) == Round.CACHES.programs
    assert accuracy.targets(["--forecasts"]) == Round.SAMPLES.programs


def test_samples_do_not_hide_what_growth_alone_foretells():
    wrong, right = checked(0.3, False), dataclasses.replace(checked(0.01), rests_on=SAMPLE)
    assert by_kind([wrong]) == [] and wrong.rests_on == GROWTH
    first, second = by_kind([wrong, right, right])
    assert first.startswith(
        "resting on a sample of the wanted size: 0 of 2 outside, 0 more than 10 % off, median error 1.0%"
    )
    assert second.startswith(
        "resting on growth and facts: 1 of 1 outside, 1 more than 10 % off, median error 30.0%"
    )


def test_a_forecast_is_held_against_what_its_runs_took_left_alone():
    made = fixtures.scored(fixtures.forecast(1, 96, 2.2), 3.0, ["one"])
    measured = Measured(value=3.0, low=2.9, high=3.1, launches=5, left_alone_s=2.0)
    score = msgspec.structs.replace(made.score, measured=measured, runs_inside=4)
    made = msgspec.structs.replace(made, usual_s=Span(value=2.2, low=1.8, high=2.6), score=score)
    one = Checked.of(made)
    assert one.error == pytest.approx(0.1) and one.usual_inside and one.runs_inside == 4
    assert one.usual_width == pytest.approx(0.8 / 4.4)
    assert one.measured_width == pytest.approx(0.2 / 6.0)
    assert "to ±3% (median" in sentences(Told.of([one]))[-1]
    assert one.elsewhere == 0
    for met in (0, 2):
        some = msgspec.structs.replace(score, measured=msgspec.structs.replace(measured, in_state=met))
        found = Checked.of(msgspec.structs.replace(made, score=some))
        assert found.elsewhere == 5 - met
        assert sentences(Told.of([found]))[-1].startswith(f"{5 - met} of 5 runs met the rarer state")
    damaged = msgspec.structs.replace(made, usual_s=Span(value=3.0, low=2.9, high=3.1))
    assert not Checked.of(damaged).usual_inside


def _built() -> bool:
    return set(Round.SAMPLES.programs) - {"memory_bandwidth"} <= {one.name for one in programs.known("app")}


@pytest.mark.skipif(not _built(), reason="the apps are not built")
@pytest.mark.parametrize("which", Round)
def test_every_wanted_run_has_six_times_the_work_behind_it(which):
    plan = which.plan

    def work(point):
        found = programs.named(point.program).work(
            dict(point.parameters), point.layout.ranks, point.layout.threads
        )
        return found.total("flops") + found.total("bytes") or found.size

    def key(point):
        return point.program, point.layout

    largest: dict = {}
    for point in points_of(plan.programs):
        largest[key(point)] = max(largest.get(key(point), 0.0), work(point))
    wanted = points_of(plan.prediction)
    assert len(wanted) >= (21 if which in (Round.CACHES, Round.CACHES_SAMPLE) else 40)
    assert min(work(point) / largest[key(point)] for point in wanted) >= LEAST_WORK - 0.01


def test_runs_with_empty_caches_are_made_as_often_as_is_asked():
    plan = forecasts.with_launches(Round.CACHES.plan, 7)
    assert {point.repeats for point in points_of(plan.cold)} == {7}


@pytest.mark.parametrize("which", [Round.CACHES, Round.GROWTH])
def test_where_memory_decides_runs_and_runs_with_empty_caches_are_made_in_turns(which, tmp_path, monkeypatch):
    done, rests, now = [], [], [0.0]

    def run(plan, store, campaign, progress):
        now[0] += 7.0
        done.append((plan.name, plan.repeats))

    monkeypatch.setattr(forecasts, "probe_machine", lambda _, plan, campaign, **__: done.append("probes"))
    monkeypatch.setattr(forecasts, "run_plan", run)
    monkeypatch.setattr(forecasts, "predict_missing", lambda plan, *_: done.append(plan.name))
    monkeypatch.setattr(forecasts.time, "monotonic", lambda: now[0])
    monkeypatch.setattr(forecasts.time, "sleep", rests.append)
    assert check_forecasts(RecordStore(tmp_path), "now", 3, which, None) == []
    turns = [1, 2, 3] if which is Round.CACHES else [3]
    small = ("forecasts-measured", "forecasts-cold") if which is Round.CACHES else ("forecasts-measured",)
    measured = [(name, turn) for turn in turns for name in small]
    assert done == [
        "probes",
        *measured,
        "forecasts-checked",
        *(("forecasts-checked", turn) for turn in turns),
    ]
    assert [rest for rest in rests if rest > 0] == [forecasts.TURN_S - 7.0] * (len(turns) - 1)


def test_turns_that_were_made_are_not_made_again(tmp_path, monkeypatch):
    done = []
    monkeypatch.setattr(forecasts, "run_plan", lambda plan, *_: done.append((plan.name, plan.repeats)))
    monkeypatch.setattr(forecasts, "_lacks", lambda campaign, plan, store: plan.repeats > 2)
    forecasts._make({"one": Round.CACHES.plan.programs}, [1, 2, 3], 60.0, RecordStore(tmp_path), None)
    assert done == [("forecasts-measured", 3)]
