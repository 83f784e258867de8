"""``hakaru run`` as a whole, with the probes' small presets and small problems."""

import json
import subprocess
import sys

import pytest

PLAN = """
[probes]
preset = "small"

[programs]
name = "small-programs"
repeats = 3
most_repeats = 3
[[programs.runs]]
program = "turbulence"
parameters = { n = [12, 16, 24], steps = 1 }
layouts = ["one core", "flat"]
repetitions = 2

[prediction]
name = "small-prediction"
repeats = 3
most_repeats = 3
[[prediction.runs]]
program = "turbulence"
parameters = { n = 32, steps = 1 }
layouts = ["flat"]
repetitions = 2
"""


def hakaru(folder, *words, expected=0):
    done = subprocess.run(
        [sys.executable, "-m", "hakaru", *words, "--results", str(folder / "results")],
        capture_output=True,
        text=True,
        timeout=300,
        cwd=folder,
    )
    assert done.returncode == expected, done.stdout + done.stderr
    return done


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    folder = tmp_path_factory.mktemp("main-job")
    (folder / "plan.toml").write_text(PLAN)
    first = hakaru(folder, "run", "--plan", "plan.toml")
    return folder, first


def names(folder):
    return sorted(path.name for path in (folder / "results").rglob("*.json") if "session" not in path.name)


def test_it_prints_a_short_summary_and_the_report(finished):
    folder, first = finished
    lines = first.stdout.strip().splitlines()
    assert 4 <= len(lines) <= 11 and lines[-1].endswith("report.html")
    assert lines[0].startswith("Machine") and any("orecast" in line for line in lines)
    page = (folder / "report.html").read_text()
    assert "<svg" in page and "turbulence" in page and "://" not in page.replace("http://www.w3.org", "")
    for step in ("1 of 5", "4 of 5"):
        assert step in first.stderr


def test_the_prediction_was_made_before_the_run_and_is_scored(finished):
    folder, _ = finished
    track = json.loads(hakaru(folder, "predict", "--track-record", "--json").stdout)
    assert track["scored"] == 1
    entry = track["entries"][0]
    assert entry["parameters"]["n"] == 32 and entry["measured"]["launches"] == 3
    assert entry["error"] == pytest.approx(entry["predicted"]["value"] / entry["measured"]["value"] - 1.0)


def test_a_second_run_measures_nothing_again(finished):
    folder, _ = finished
    before = names(folder)
    again = hakaru(folder, "run", "--plan", "plan.toml", "--json")
    assert names(folder) == before
    assert json.loads(again.stdout)["complete"] is True


def test_the_machine_file_is_valid_and_every_fact_has_a_source(finished):
    folder, first = finished
    disturbed = [line for line in first.stderr.splitlines() if "disturbed: " in line]
    from hakaru.facts.machines import Machine, validate

    tree = json.loads(hakaru(folder, "machines", "here", "--json").stdout)
    validate(tree)
    machine = Machine.of(tree)
    paths = {path for path, _ in machine.walk()}
    for expected in (
        "memory.bandwidth",
        "memory.bandwidth_write_allocate",
        "compute.fma_peak",
        "compute.dgemm",
        "threads.parallel",
        "threads.barrier",
        "network.core.latency",
        "network.core.gap_per_byte",
        "network.core.pingpong",
    ):
        assert expected in paths or any(expected in line for line in disturbed), expected
    assert all(fact.source for _, fact in machine.walk())
    comparison = json.loads(
        hakaru(folder, "machines", "here", str(folder / "results" / "machine.toml"), "--json").stdout
    )
    assert comparison["rows"] and all(row["ratio"] in (1.0, None) for row in comparison["rows"])


def test_report_and_records_commands_read_the_same_folder(finished):
    folder, _ = finished
    explained = json.loads(hakaru(folder, "report", "--json").stdout)
    assert {case["program"] for case in explained["cases"]} >= {"turbulence"}
    listed = json.loads(hakaru(folder, "records", "--json").stdout)
    assert len(listed["records"]) >= 18 and listed["damaged"] == []


def test_dry_run_shows_every_line_and_starts_nothing(tmp_path):
    (tmp_path / "plan.toml").write_text(PLAN)
    rows = json.loads(hakaru(tmp_path, "run", "--plan", "plan.toml", "--dry-run", "--json").stdout)
    assert any("turbulence" in row["line"] and "n=32" in row["line"] for row in rows)
    assert not (tmp_path / "results").exists()


def test_bad_plans_end_in_one_line(tmp_path):
    (tmp_path / "plan.toml").write_text("[programs]\n")
    done = hakaru(tmp_path, "run", "--plan", "plan.toml", expected=2)
    assert "[prediction] is missing" in done.stderr
    done = hakaru(tmp_path, "run", "--plan", "none.toml", expected=4)
    assert "cannot read" in done.stderr
