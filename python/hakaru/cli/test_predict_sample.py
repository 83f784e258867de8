"""``hakaru predict --sample``: what was run stands in the forecast, by its schema."""

import copy
import json
from types import SimpleNamespace

import jsonschema
import pytest
import typer
from typer.testing import CliRunner

from hakaru.base import paths
from hakaru.cli import predict as command
from hakaru.facts import programs
from hakaru.facts.records import RecordStore
from hakaru.foretell.forecast import ForecastStore, sampling
from hakaru.foretell.forecast.fixtures import campaign, describe, record

SCHEMA = json.loads((paths.root() / "schema" / "forecast.schema.json").read_text())
PARAMETERS = [
    SimpleNamespace(name=name, type=kind, minimum=1)
    for name, kind in (("n", "integer"), ("steps", "integer"), ("method", "text"))
]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    usual = SimpleNamespace(count=lambda repetitions, warmup: 1)
    solver = SimpleNamespace(
        brings_launcher=False,
        describe=lambda *given: SimpleNamespace(usual=usual, parameters=PARAMETERS),
        work=lambda given, ranks=1, threads=1: describe("solver", given, ranks, threads),
    )

    def perform(point, store, timeout_s, number):
        given = dict(point.parameters)
        return store.write(record(given["n"], seed=100 + number, steps=given["steps"]))

    monkeypatch.setattr(programs, "named", lambda name: solver)
    monkeypatch.setattr(sampling, "_perform", perform)
    monkeypatch.setattr(sampling.topology, "usable_cores", lambda: 2)
    monkeypatch.setattr(sampling, "_rest_s", lambda *given: 0.0)
    store = RecordStore(tmp_path)
    for one in campaign():
        store.write(one)
    return tmp_path


def run(folder, *words):
    app = typer.Typer()
    command.register(app)
    app.command("another")(lambda: None)
    given = ["predict", "solver", "n=192", "steps=50", "--ranks", "2", "--results", str(folder)]
    done = CliRunner(env={"COLUMNS": "200"}).invoke(app, [*given, *words])
    assert done.exit_code == 0, f"{done.output}{done.exception}"
    return done.stdout


def test_json_names_the_sample(folder):
    made = json.loads(run(folder, "--sample", "60s", "--json"))
    for name in ("what_to_do", "request"):
        made.pop(name)
    jsonschema.validate(made, SCHEMA)
    sample = made["sample"]
    assert (sample["launches"], sample["share"]) == (sampling.MOST_LAUNCHES, 4 / 50)
    assert (sample["parameters"]["n"], sample["parameters"]["steps"]) == (192, 4)
    assert sample["took_s"] > 0.0
    assert ForecastStore(folder).all()[0].as_dict() == made


@pytest.mark.parametrize(("name", "value"), [("share", 2.0), ("launches", 0), ("took_s", -1.0)])
def test_a_damaged_sample_breaks_the_schema(folder, name, value):
    made = json.loads(run(folder, "--sample", "60s", "--json"))
    stored = copy.deepcopy(ForecastStore(folder).all()[0].as_dict())
    assert made["sample"] == stored["sample"]
    stored["sample"][name] = value
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(stored, SCHEMA)


def test_a_forecast_without_a_sample_names_none(folder):
    assert "sample" not in json.loads(run(folder, "--json"))


def test_people_read_it_once(folder):
    text = run(folder, "--sample", "60s")
    assert text.count("a sample at the wanted size: 12 launches with steps=4, 8 % of the work each, in ") == 1
