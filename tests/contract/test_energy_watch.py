"""A run of electrons whose energy the field does not explain stops, fails, and says so."""

import json

import pytest
from support import all_programs, start

# Beyond what the time step can follow: a vector potential of 1 moves the edge of the grid to twice its kinetic energy.
UNSTABLE = "nx=8 ny=8 nz=8 kx=1 ky=1 kz=1 corrections=0 dt=0.3 steps=1000 impulse=1"


@pytest.fixture
def electrons():
    found = [program for program in all_programs() if program.name == "electrons"]
    if not found:
        pytest.skip("electrons was not built")
    return found[0]


def ran(electrons, words, record_file):
    done = start(
        electrons,
        ["run", *words.split(), "--repetitions", "2", "--warmup", "0", "--record", str(record_file)],
    )
    return done, json.loads(record_file.read_text())


def test_it_stops_and_fails(electrons, record_file, tmp_path):
    state = tmp_path / "state"
    done, record = ran(electrons, f"{UNSTABLE} checkpoint={state}", record_file)
    assert done.returncode == 3
    assert "unstable" in done.stdout + done.stderr
    assert (record["status"], record["verdict"]) == ("failed", "failed")
    (watched,) = [check for check in record["checks"] if check["name"].startswith("energy that")]
    assert not watched["passed"] and watched["value"] > watched["reference"]
    tables = {table["name"]: table["rows"] for table in record["tables"]}
    assert 100 <= len(tables["history"]) - 1 < 1000, "it does not go on"
    assert len(tables["energies"]) >= 2
    assert not state.exists(), "what is wrong is no checkpoint"


def test_a_stable_run_is_watched_and_passes(electrons, record_file):
    words = "nx=8 ny=8 nz=8 kx=1 ky=1 kz=1 corrections=0 steps=130 field=none"
    done, record = ran(electrons, words, record_file)
    assert done.returncode == 0, done.stdout + done.stderr
    assert any(check["name"].startswith("energy that") for check in record["checks"])
    energies = next(table["rows"] for table in record["tables"] if table["name"] == "energies")
    assert [row[0] for row in energies] == [0, 100, 130]


def test_without_energies_nothing_is_watched(electrons, record_file):
    words = "nx=8 ny=8 nz=8 kx=1 ky=1 kz=1 corrections=0 steps=3 energy_interval=0"
    done, record = ran(electrons, words, record_file)
    assert done.returncode == 0, done.stdout + done.stderr
    assert not any(check["name"].startswith("energy that") for check in record["checks"])
