"""The table of errors on machines of which others published results."""

import json

import pytest
import typer
from typer.testing import CliRunner

from hakaru.cli import accuracy as command
from hakaru.own.setup import targets as built
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
