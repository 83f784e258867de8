"""``hakaru predict`` from too little, or from what misleads: it says what it lacks or refuses, and is never narrow and wrong."""

import json
from types import SimpleNamespace

import numpy as np
import pytest
import typer
from typer.testing import CliRunner

from hakaru.cli import predict as command
from hakaru.facts import programs
from hakaru.facts.records import Record, RecordStore
from hakaru.facts.records.fixtures import changed
from hakaru.foretell.forecast.fixtures import campaign, describe
from hakaru.foretell.models.fixtures import solver_times

MACHINE = """
schema = "hakaru/machine/1"
name = "{host}"
kind = "measured"
date = "2026"
[processor]
cores = {{ value = 4, unit = "1", source = "test" }}
"""
WANTED = 128


@pytest.fixture(autouse=True)
def solver(monkeypatch):
    usual = SimpleNamespace(count=lambda repetitions, warmup: 1)
    built = SimpleNamespace(
        brings_launcher=False,
        describe=lambda *given: SimpleNamespace(usual=usual),
        work=lambda given, ranks=1, threads=1: describe("solver", given, ranks, threads),
    )
    monkeypatch.setattr(programs, "named", lambda name: built)


def predicted(folder, records: list[Record], code: int = 0) -> dict:
    """The forecast of 128 points on two ranks from these records alone."""
    store = RecordStore(folder)
    for one in records:
        store.write(one)
    app = typer.Typer()
    command.register(app)
    app.command("another")(lambda: None)
    words = ["predict", "solver", f"n={WANTED}", "--ranks", "2", "--json", "--results", str(folder)]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == code, f"{done.output}{done.exception}"
    return json.loads(done.stdout)


def truth_s(size: float) -> float:
    return 10 * sum(solver_times(size, 2).values())


def size_of(one: Record) -> int:
    return one.parameters["n"]


def times(one: Record, factor: float) -> Record:
    """The record with all its times so much longer."""
    rows = [row.as_dict() for row in one.repetitions]
    for row in rows:
        row["wall_s"] *= factor
        row["rank_s"] = [value * factor for value in row["rank_s"]]
        row["phases"] = {name: [value * factor for value in of] for name, of in row["phases"].items()}
    return changed(one, repetitions=rows)


def taking(seconds, records: list[Record]) -> list[Record]:
    """The records with the time ``seconds(size)``, with their own noise."""
    return [times(one, seconds(size_of(one)) / truth_s(size_of(one))) for one in records]


def holds(made: dict, seconds: float) -> bool:
    return made["usual_s"]["low"] < seconds < made["usual_s"]["high"]


def reason(made: dict) -> str:
    return made["extrapolation"]["reason"]


def test_good_runs_lack_nothing(tmp_path):
    made = predicted(tmp_path, campaign())
    assert holds(made, truth_s(WANTED))
    assert reason(made).startswith("4.09 times the work") and made["fitted_on"]["left_out"] == []


def test_two_sizes_are_refused(tmp_path):
    made = predicted(tmp_path, campaign((32, 64)), code=2)
    assert made["time_s"] is None and "2 sizes measured, 3 are needed" in reason(made)
    assert "three sizes" in made["what_to_do"]


@pytest.mark.parametrize("sizes", [(62, 63, 64), (62, 63, 64, 65)])
def test_sizes_within_a_twentieth_are_called_too_close(tmp_path, sizes):
    made = predicted(tmp_path, campaign(sizes))
    assert "too close to see how the time grows" in reason(made)
    assert made["extrapolation"]["flag"] == "far" and holds(made, truth_s(WANTED))
    assert made["usual_s"]["high"] > 1.3 * made["usual_s"]["low"]


@pytest.mark.parametrize("noise", [0.01, 0.1])
def test_one_launch_of_each_size_says_so(tmp_path, noise):
    made = predicted(tmp_path, campaign(launches=1, noise=noise))
    assert "every size was launched once" in reason(made)
    assert holds(made, truth_s(WANTED)) and made["time_s"]["high"] > 1.3 * made["time_s"]["low"]


def test_a_time_that_does_not_depend_on_the_size_is_said(tmp_path):
    made = predicted(tmp_path, taking(lambda size: 0.02, campaign()))
    assert "does not depend on the size in these runs" in reason(made) and holds(made, 0.02)


def test_a_time_that_falls_with_the_size_is_said(tmp_path):
    made = predicted(tmp_path, taking(lambda size: 1.0 / size, campaign()))
    assert "the time falls as the size grows" in reason(made) and holds(made, 1.0 / WANTED)


@pytest.mark.parametrize("at", [64, 80])
def test_a_jump_within_the_sizes_is_said_and_widens(tmp_path, at):
    made = predicted(tmp_path, taking(lambda size: truth_s(size) * (3.0 if size >= at else 1.0), campaign()))
    assert "the time jumps by a factor" in reason(made) and f"and {at} the time" in reason(made)
    assert holds(made, 3.0 * truth_s(WANTED)) and made["usual_s"]["high"] > 3.0 * made["usual_s"]["low"]


def test_an_hour_that_disturbed_one_size_is_a_jump_and_still_held(tmp_path):
    records = [times(one, 1.8) if size_of(one) == 80 else one for one in campaign()]
    made = predicted(tmp_path, records)
    assert "a disturbed hour" in reason(made) and holds(made, truth_s(WANTED))


def test_an_hour_that_disturbed_many_launches_is_said(tmp_path):
    generator = np.random.default_rng(1)
    made = predicted(tmp_path, [times(one, 1.0 + generator.exponential(0.8)) for one in campaign()])
    assert "something disturbed them" in reason(made) and holds(made, truth_s(WANTED))
    assert made["time_s"]["high"] > 2.0 * made["time_s"]["low"]


def elsewhere(records: list[Record]) -> list[Record]:
    return [changed(one, environment=one.as_dict()["environment"] | {"host": "node2"}) for one in records]


def test_runs_of_two_machines_are_never_mixed(tmp_path):
    other = elsewhere([times(one, 5.0) for one in campaign((32, 96))])
    made = predicted(tmp_path, [*other, *campaign()])
    assert made["setting"]["host"] == "node1" and holds(made, truth_s(WANTED))
    assert made["fitted_on"]["left_out"] == ["10 records: another machine, compiler, MPI library or command"]


def test_where_no_machine_has_three_sizes_none_is_foretold(tmp_path):
    made = predicted(tmp_path, [*elsewhere(campaign((32, 48))), *campaign((64, 80))], code=2)
    assert "2 sizes measured" in reason(made) and "another machine" in reason(made)


def test_a_machine_file_of_another_machine_is_left_out_and_said(tmp_path):
    (tmp_path / "machine.toml").write_text(MACHINE.format(host="node7"))
    made = predicted(tmp_path, campaign())
    assert "the machine file is of 'node7', the runs are of 'node1'" in reason(made)
    assert holds(made, truth_s(WANTED)) and "ways" not in made


def test_its_own_machine_file_needs_no_words(tmp_path):
    (tmp_path / "machine.toml").write_text(MACHINE.format(host="node1"))
    assert "machine file" not in reason(predicted(tmp_path, campaign()))
