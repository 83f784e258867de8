"""A leaf that takes parameters from a file says in its record, its description and its plan what was computed."""

import json

import pytest
from support import all_programs, start

from hakaru.facts import programs
from hakaru.run.campaign import plan

FILE = """
[grid]
points = [12, 12, 12]
[k_points]
mesh = [1, 1, 2]
[time]
step = "2 as"
steps = 3
[field]
kind = "none"
"""


@pytest.fixture
def electrons():
    found = [program for program in all_programs() if program.name == "electrons"]
    if not found:
        pytest.skip("electrons was not built")
    return found[0]


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "crystal.toml"
    path.write_text(FILE)
    return path


def test_record_has_the_values_of_the_file(electrons, file, record_file):
    words = ["run", f"input={file}", "steps=2", "--repetitions", "1", "--warmup", "0"]
    result = start(electrons, [*words, "--record", str(record_file)], ranks=2)
    assert result.returncode == 0, result.stderr
    record = json.loads(record_file.read_text())
    parameters = record["parameters"]
    assert (parameters["nx"], parameters["kz"], parameters["field"]) == (12, 2, "none")
    assert parameters["dt"] == pytest.approx(0.0826827, rel=1e-6)
    assert parameters["steps"] == 2, "the command line wins"
    assert parameters["input"] == str(file)
    assert record["work"]["parameters"] == parameters


def test_command_line_wins_with_a_default_too(electrons, file):
    described = programs.named("electrons").work({"input": str(file), "nx": 16})
    assert (described.parameters["nx"], described.parameters["ny"]) == (16, 12)


def test_plan_and_record_have_the_same_parameters(electrons, file):
    runs = {"program": "electrons", "parameters": {"input": str(file), "nx": [12, 16]}}
    points = plan.points_of(plan.make_plan({"name": "input", "runs": [runs]}, "test"))
    assert sorted(dict(point.parameters)["nx"] for point in points) == [12, 16]
    file.unlink()
    for point in points:
        again = programs.named("electrons").work(dict(point.parameters)).parameters
        assert again == dict(point.parameters), "what is launched is what was planned"


def test_missing_file_is_an_error_in_words(electrons, tmp_path):
    result = start(electrons, ["run", f"input={tmp_path / 'none.toml'}"])
    assert result.returncode == 2
    assert "none.toml" in result.stderr
