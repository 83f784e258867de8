"""The table of errors on machines of which others published results."""

import json

import pytest
import typer
from typer.testing import CliRunner

from hakaru.base.errors import UserError
from hakaru.cli import accuracy as command
from hakaru.foretell.accuracy import here
from hakaru.own.setup import targets as built
from hakaru.run.measuring import awake, handover
from hakaru.studies.result import Result, Section


@pytest.fixture
def asked(monkeypatch):
    """The names of the studies that were run, which all say the same."""
    names = []

    def run_study(study, results, here, say):
        names.append(study.name)
        table = Section("Errors by kind", [], [], ["kind", "results"], [["worst", "2"], ["best", "3"]])
        return Result(
            sections=[table], summary=["predictions", "free parameters", "others", "collectives: 5"]
        )

    monkeypatch.setattr("hakaru.studies.run.run_study", run_study)
    return names


def run(*words):
    app = typer.Typer()
    command.register(app)
    app.command("another")(lambda: None)
    return CliRunner().invoke(app, ["accuracy", *words])


def test_the_errors_of_published_results_are_told_worst_first(asked):
    done = run("--machines")
    assert done.exit_code == 0, f"{done.output}{done.exception}"
    assert asked == ["machines-today"]
    assert done.output.index("worst") < done.output.index("best") < done.output.index("collectives: 5")
    assert "free parameters" not in done.output
    told = json.loads(run("--machines", "--json").stdout)
    assert told["kinds"][0] == {"kind": "worst", "results": "2"} and "free parameters" in told["summary"]


def test_published_results_need_the_engine_alone():
    assert command.targets(["accuracy", "--machines"]) == [*built.REPLAY]


def test_what_a_round_on_this_machine_starts_is_built_for_it():
    wanted = {here.TOOL, handover.TOOL, awake.TOOL, here.MEMORY_PROBE, *here.PROBES}
    assert wanted <= set(command.targets(["accuracy", "--here"]))


@pytest.mark.parametrize(
    ("words", "option"),
    [
        (["--here", "--drawn", "3"], "--drawn is nothing to accuracy --here"),
        (["--forecasts", "--", "mpirun", "-n", "2", "x"], "-- COMMAND is nothing to accuracy --forecasts"),
        (["--round", "caches"], "--round is nothing to accuracy on labs"),
        (["--machines", "--launches", "5"], "--launches is nothing to accuracy --machines"),
        (["--drawn", "3", "--only", "2"], "--drawn and --only exclude each other"),
        (["--also", "x", "--", "mpirun", "-n", "2", "x"], "-- COMMAND and --also exclude each other"),
        (["--here", "--forecasts"], "--forecasts and --here are two questions"),
    ],
)
def test_an_option_that_would_do_nothing_is_refused(words, option):
    done = run(*words)
    assert done.exit_code != 0 and isinstance(done.exception, UserError)
    assert option in str(done.exception)
