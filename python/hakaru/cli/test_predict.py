import json
from types import SimpleNamespace

import pytest
import typer
from typer.testing import CliRunner

from hakaru.base.errors import UserError
from hakaru.cli import predict as command
from hakaru.facts import programs
from hakaru.facts.records import RecordStore
from hakaru.foretell.forecast import ForecastStore
from hakaru.foretell.forecast.fixtures import campaign, describe, record
from hakaru.foretell.models.fixtures import solver_times


@pytest.fixture
def folder(tmp_path, monkeypatch):
    def named(name):
        if name != "solver":
            raise UserError(f"there is no program '{name}'")
        usual = SimpleNamespace(count=lambda repetitions, warmup: 1)
        return SimpleNamespace(
            brings_launcher=False,
            describe=lambda *given: SimpleNamespace(usual=usual),
            work=lambda given, ranks=1, threads=1: describe(name, given, ranks, threads),
        )

    monkeypatch.setattr(programs, "named", named)
    store = RecordStore(tmp_path)
    for one in campaign():
        store.write(one)
    return tmp_path


def run(folder, *words):
    app = typer.Typer()
    command.register(app)
    app.command("another")(lambda: None)
    return CliRunner(env={"COLUMNS": "200"}).invoke(app, ["predict", *words, "--results", str(folder)])


def test_json_is_the_stored_forecast_and_holds_the_truth(folder):
    result = run(folder, "solver", "n=160", "--ranks", "2", "--threads", "1", "--json")
    assert result.exit_code == 0, result.output
    made = json.loads(result.stdout)
    truth = 10 * sum(solver_times(160, 2).values())
    assert made["time_s"]["low"] < truth < made["time_s"]["high"]
    what_to_do = made.pop("what_to_do")
    assert "track-record" in what_to_do
    assert made.pop("request")["slurm"].startswith("--nodes=1 --ntasks=2 --cpus-per-task=1 --time=")
    assert [one.as_dict() for one in ForecastStore(folder).all()] == [made]


def test_table_says_all_that_a_person_needs(folder):
    result = run(folder, "solver", "n=160", "--ranks", "2")
    assert result.exit_code == 0, result.output
    for words in (
        "n=160",
        "2 ranks x 1 thread",
        "95 % interval",
        "usually",
        "any one run",
        "o measured",
        "stencil",
        "within reach",
        "N = 32, 48, 64, 80",
        "20 launches",
        "next: make this run",
    ):
        assert words in result.stdout


def test_a_terminal_of_80_columns_shows_it_whole(folder, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    shown = run(folder, "solver", "n=160", "--ranks", "2").stdout.splitlines()
    chart_and_phases = shown[2 : shown.index(next(line for line in shown if line.startswith("rests on")))]
    assert max(map(len, chart_and_phases)) <= 80


def test_why_has_the_models(folder):
    assert "flops/cores" not in run(folder, "solver", "n=160", "--ranks", "2").stdout
    assert "flops/cores" in run(folder, "solver", "n=160", "--ranks", "2", "--why").stdout


def test_far_forecast_is_called_far(folder):
    result = run(folder, "solver", "n=256", "--ranks", "2")
    assert "far from the measured runs" in result.stdout and "near N = 144" in result.stdout


def test_refusal_ends_with_two_and_keeps_nothing(folder):
    result = run(folder, "solver", "n=160", "method=put", "--ranks", "2")
    assert isinstance(result.exception, UserError) and result.exception.exit_code == 2
    assert "20 records: other parameters" in str(result.exception)
    as_json = run(folder, "solver", "n=160", "method=put", "--ranks", "2", "--json")
    assert as_json.exit_code == 2
    assert json.loads(as_json.stdout)["extrapolation"]["flag"] == "refused"
    assert ForecastStore(folder).all() == []


def test_growth_is_shown_as_the_users(folder):
    result = run(folder, "solver", "n=160", "--ranks", "2", "--growth", "N^3")
    assert "growth N^3 is yours" in result.stdout
    assert isinstance(run(folder, "solver", "n=160", "--growth", "N^").exception, UserError)


@pytest.mark.parametrize("words", [["solver", "n"], ["nosuch", "n=3"], ["solver", "m=3"], []])
def test_bad_words_are_errors_for_people(folder, words):
    result = run(folder, *words)
    assert isinstance(result.exception, UserError) and result.exception.exit_code == 2


def test_zero_ranks_are_refused(folder):
    assert run(folder, "solver", "n=160", "--ranks", "0").exit_code == 2


def test_track_record_scores_and_tells(folder):
    assert "no forecast of 0" in run(folder, "--track-record").stdout
    run(folder, "solver", "n=160", "--ranks", "2")
    RecordStore(folder).write(record(160, started="2999-01-01T00:00:00.000Z"))
    result = run(folder, "--track-record")
    assert "held 1 times of 1" in result.stdout and "error: median" in result.stdout
    (folder / "forecasts" / "broken.json").write_text("{")
    track = json.loads(run(folder, "--track-record", "--json").stdout)
    assert track["scored"] == 1 and track["inside"]["count"] == 1
    assert [entry["file"].endswith("broken.json") for entry in track["damaged"]] == [True]


def test_backtest(folder):
    result = run(folder, "solver", "--backtest")
    assert "N=80" in result.stdout and "held" in result.stdout
    entries = json.loads(run(folder, "solver", "--backtest", "--json").stdout)
    assert [entry["size"] for entry in entries] == [80] and entries[0]["inside"]
    empty = run(folder / "nothing", "solver", "--backtest")
    assert isinstance(empty.exception, UserError)
