"""Runs with empty caches: which ones are asked for, where they are kept, and whose forecasts rest on them."""

import shutil
from types import SimpleNamespace

import pytest

from hakaru.base.errors import UserError
from hakaru.facts import programs
from hakaru.facts.machines import Machine
from hakaru.facts.records import RecordStore
from hakaru.facts.records.fixtures import ENVIRONMENT
from hakaru.foretell.forecast import advice, backtest, emptied
from hakaru.foretell.forecast.asking import Question
from hakaru.foretell.forecast.fixtures import campaign, describe, longer, record

SIZES = (32, 48, 64, 80)


def machine():
    """Two cores whose caches hold every measured size and not the wanted one; memory is slower by twenty."""
    fact = {"unit": "B/s", "source": "probe r", "kernel": "triad", "cores": 2}
    curve = [fact | {"value": 40e9 if power < 26 else 2e9, "bytes": 2.0**power} for power in range(14, 32)]
    return Machine.of({"memory": {"working_sets": curve}})


@pytest.fixture
def question(tmp_path, monkeypatch):
    solver = SimpleNamespace(
        brings_launcher=False,
        work=lambda given, ranks=1, threads=1: describe("solver", given, ranks, threads),
    )
    monkeypatch.setattr(programs, "named", lambda name: solver)
    monkeypatch.setattr(Question, "machine", machine())
    store = RecordStore(tmp_path)
    for one in campaign(sizes=SIZES):
        store.write(one)
    return Question(tmp_path, "solver", {"n": 200, "steps": 10}, ranks=2)


def kept_cold(question, slower=1.0, **more):
    """Records with empty caches, whose phases took ``slower`` times as long as those of ordinary ones."""
    store = RecordStore(question.folder).cold
    store.prepare()
    for size in SIZES:
        for seed in range(5):
            store.write(longer(record(size, seed=seed, **more), slower, cold=True))
    return Question(question.folder, "solver", question.given, question.ranks)


def test_the_measured_sizes_are_asked_for_on_the_wanted_layout(question):
    plan = emptied.plan_of(question)
    assert plan.cold and [runs.parameters["n"] for runs in plan.runs] == list(SIZES)
    assert {str(layout) for runs in plan.runs for layout in runs.layouts} == {"2x1"}
    assert plan.repeats == emptied.LAUNCHES
    inside = Question(question.folder, "solver", {"n": 80, "steps": 10}, ranks=2)
    assert [runs.parameters["n"] for runs in emptied.plan_of(inside).runs] == [32, 48, 64]


def test_two_sizes_are_too_few(question):
    two = Question(question.folder, "solver", question.given, ranks=1)
    with pytest.raises(UserError, match="0 smaller sizes were measured on this layout"):
        emptied.plan_of(two)


def test_without_the_probe_nobody_knows_what_leaves_the_caches(question, monkeypatch):
    monkeypatch.setattr(Question, "machine", Machine.of({"memory": {}}))
    with pytest.raises(UserError, match="no memory_bandwidth"):
        emptied.plan_of(question)


def test_they_are_no_runs_to_anything_else(question):
    before = [one.id for one in RecordStore(question.folder).all()]
    kept_cold(question)
    assert [one.id for one in RecordStore(question.folder).all()] == before
    assert all(one.cold is True for one in RecordStore(question.folder).cold.all())


def test_a_forecast_rests_on_them_and_says_so(question):
    priced = question.forecast()
    assert "--cold" in priced.extrapolation.reason and "--cold" in advice.next_step(priced)
    made = kept_cold(question, slower=3.0).forecast()
    assert "growth of runs with empty caches" in made.extrapolation.reason
    assert "--cold" not in advice.next_step(made)
    assert f"and {5 * len(SIZES)} launches with empty caches" in made.statements()[0]
    assert sum("with empty caches" in fact for fact in made.facts) == 5 * len(SIZES)
    shutil.rmtree(question.folder / "cold")
    assert made.usual_s.value > 1.5 * kept_cold(question, slower=1.0).forecast().usual_s.value


def test_back_tests_rest_on_them_too(question):
    """Memory takes three times as long, which no run inside of the caches knows."""
    store = RecordStore(question.folder)
    for seed in range(5):
        store.write(longer(record(200, seed=seed), 3.0))
    cold = kept_cold(question, slower=3.0).cold
    (blind,) = backtest(store.all(), describe, machine=machine())
    (told,) = backtest(store.all(), describe, machine=machine(), cold=cold)
    assert blind.size == told.size == 200 and abs(told.error) < 0.1 < abs(blind.error)
    spoiled = [longer(one, 2.0) for one in cold]
    assert backtest(store.all(), describe, machine=machine(), cold=spoiled)[0].error > 0.5


def test_those_of_another_host_say_nothing(question):
    priced = question.forecast()
    elsewhere = kept_cold(question, slower=3.0, environment=ENVIRONMENT | {"host": "elsewhere"})
    made = elsewhere.forecast()
    assert made.usual_s == priced.usual_s and made.facts == priced.facts
