"""Replays of a program of hakaru here: calibrated by its runs, stored as forecasts, scored by a later run."""

import json
import sys
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from hakaru.base.errors import UserError
from hakaru.cli import replay as command
from hakaru.facts.machines import Machine
from hakaru.facts.programs.leaf import Leaf
from hakaru.facts.records import RecordStore
from hakaru.foretell.forecast import ForecastStore, score_all
from hakaru.foretell.forecast.fixtures import campaign, describe, record
from hakaru.foretell.models.fixtures import solver_times
from hakaru.foretell.replay import fake_engine
from hakaru.foretell.replay.forecast import at_ends

MACHINE = """
schema = "hakaru/machine/1"
name = "node1"
kind = "measured"
date = "2026"
[processor]
cores = { value = 4, unit = "1", source = "test" }
[compute]
fma_peak = [{ cores = 2, value = 16e9, unit = "flop/s", low = 15e9, high = 17e9, source = "probe a" }]
[memory]
bandwidth = [{ kernel = "triad", cores = 2, value = 20e9, unit = "B/s", low = 19e9, high = 21e9, source = "probe a" }]
[network.core]
latency = { value = 1e-6, unit = "s", low = 0.9e-6, high = 1.2e-6, source = "probe b" }
gap_per_byte = [{ value = 1e-10, unit = "s/B", source = "probe b" }]
"""
PROGRAM = """
import json, sys
n = int(next(word for word in sys.argv if word.startswith("n="))[2:])
ranks = int(sys.argv[sys.argv.index("--ranks") + 1])
if n == 13:
    print("solver: n is 13 (it brings bad luck); choose another", file=sys.stderr)
    sys.exit(2)
work = {"flops": 340.0 * n**3 / ranks, "bytes": 560.0 * n**3 / ranks, "bytes_write_allocate": 0.0}
phases = [{"name": "stencil", "kind": "compute"}, {"name": "exchange", "kind": "communicate"}]
schedule = {"schema": "hakaru/schedule/1", "program": "solver", "ranks": ranks, "phases": phases, "works": [work], "streams": []}
with open(sys.argv[sys.argv.index("--output") + 1], "w") as file:
    json.dump(schedule, file)
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    build, results = tmp_path / "build", tmp_path / "results"
    build.mkdir()
    for name, text in (("hakaru_replay", Path(fake_engine.__file__).read_text()), ("solver", PROGRAM)):
        (build / name).write_text(f"#!{sys.executable}\n{text}")
        (build / name).chmod(0o755)
    programs = [
        {"name": "solver", "kind": "app", "path": "solver", "source": "apps/solver", "needs_mpi": True}
    ]
    tools = [{"name": "hakaru_replay", "path": "hakaru_replay"}]
    (build / "programs.json").write_text(json.dumps({"programs": programs, "tools": tools}))
    monkeypatch.setenv("HAKARU_BUILD", str(build))
    monkeypatch.setenv("HAKARU_RESULTS", str(results))
    monkeypatch.setattr(
        Leaf, "work", lambda self, given, ranks=1, threads=1: describe(self.name, given, ranks, threads)
    )
    store = RecordStore(results)
    for one in campaign():
        store.write(one)
    (results / "machine.toml").write_text(MACHINE)
    return results


def run(*words):
    app = typer.Typer()
    command.register(app)
    app.command("another")(lambda: None)
    return CliRunner(env={"COLUMNS": "200"}).invoke(app, ["replay", *words])


def test_measured_runs_carry_computing_to_another_size(folder):
    done = run("schedule:solver,n=160", "--ranks", "2", "--compute", "measured")
    assert done.exit_code == 0, f"{done.output}{done.exception}"
    assert "a run of it here will score it" in done.output
    made = ForecastStore(folder).all()
    assert len(made) == 1 and made[0].parameters["n"] == 160
    truth = 10 * solver_times(160, 2)["stencil"]
    told = made[0].time_s
    assert told.value == pytest.approx(truth, rel=0.02)
    assert told.low < truth < told.high
    assert made[0].fitted_on.points[0].size == 80
    assert sum(phase.time_s.value for phase in made[0].phases) == pytest.approx(told.value)


def test_a_later_run_scores_the_forecast(folder):
    run("schedule:solver,n=160", "--ranks", "2", "--compute", "measured")
    met = record(160, started="2099-01-01T00:00:00.000Z")
    scores = score_all(ForecastStore(folder), [*campaign(), met])
    assert len(scores) == 1 and scores[0].record_ids == (met.id,)
    assert abs(scores[0].error) < 0.1


def test_a_bound_is_no_forecast(folder):
    done = run("schedule:solver,n=160", "--ranks", "2")
    assert "No forecast: computing is priced by a bound" in done.output
    assert "the least time they can take" in done.output
    assert ForecastStore(folder).all() == []


def test_neither_another_machine_nor_a_set_fact_makes_a_forecast(folder):
    words = ("schedule:solver,n=160", "--ranks", "2", "--compute", "measured")
    assert "No forecast: no run on 'fx1'" in run(*words, "--machine", "fx1").output
    assert "No forecast: facts were set" in run(*words, "--set", "network.core.latency=2us").output
    assert ForecastStore(folder).all() == []


def test_without_runs_there_is_nothing_to_carry(folder):
    done = run("schedule:solver,n=160,method=rotate", "--ranks", "2", "--compute", "measured")
    assert isinstance(done.exception, UserError) and "other parameters" in str(done.exception)


def test_what_the_program_says_is_passed_on(folder):
    done = run("schedule:solver,n=13", "--ranks", "2")
    assert str(done.exception) == "n is 13 (it brings bad luck); choose another"
    assert done.exception.exit_code == 2


def test_the_ends_of_intervals_are_good_for_rates_when_high_and_for_times_when_low():
    machine = {
        "rate": {"value": 2.0, "unit": "B/s", "low": 1.0, "high": 3.0, "source": "t"},
        "times": [{"value": 2.0, "unit": "s", "low": 1.0, "high": 3.0, "source": "t"}],
        "plain": {"value": 2.0, "unit": "s", "source": "t"},
    }
    good, bad = at_ends(Machine.of(machine), True), at_ends(Machine.of(machine), False)
    assert tuple(good.number(name) for name in ("rate", "times", "plain")) == (3.0, 1.0, 2.0)
    assert tuple(bad.number(name) for name in ("rate", "times", "plain")) == (1.0, 3.0, 2.0)
