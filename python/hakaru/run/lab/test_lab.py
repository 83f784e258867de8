"""A real lab, on which real MPI programs run. Needs root, TAP devices, Open MPI and the built programs."""

import json

import pytest

from hakaru.base.errors import UserError
from hakaru.facts import programs
from hakaru.run.lab import Cluster, state, system
from hakaru.run.lab.fixtures import LIMIT_S, assert_nothing_is_left, command, why_not

LATENCY_S = 2e-3
RATE = 1.25e7

REASON = why_not()
pytestmark = pytest.mark.skipif(REASON is not None, reason=REASON or "")


@pytest.fixture(scope="module")
def cluster():
    with Cluster(2, LATENCY_S, RATE) as made:
        yield made
    assert_nothing_is_left(made.state.switch_pid)


def test_puts_between_hosts_cross_the_link(cluster, tmp_path):
    """By shared memory past the links a step would take a twentieth of what its bytes need."""
    record = tmp_path / "record.json"
    parameters = {"n": 32, "steps": 1, "transposition": "put"}
    execution = programs.Execution(parameters=parameters, repetitions=1)
    line = programs.named("turbulence").recorded(execution, record)
    done = cluster.run(line, ranks=2, timeout_s=LIMIT_S)
    assert done.returncode == 0, done.stderr
    sent = 72 * (32**3 * 8) / 4  # bytes of a rank: it keeps half of its half of a field
    assert json.loads(record.read_text())["repetitions"][0]["wall_s"] > sent / RATE


def test_ranks_are_on_hosts_of_their_own_behind_the_latency(cluster):
    done = cluster.run([str(system.native_program("pingpong"))], ranks=2, timeout_s=LIMIT_S)
    assert done.returncode == 0, done.stderr
    measured = json.loads(done.stdout)
    assert measured["hosts"] == ["hakaru-lab-1", "hakaru-lab-2"]
    for point in measured["points"]:
        least_s = LATENCY_S + point["bytes"] / RATE
        assert min(point["one_way_s"]) >= least_s, f"{point['bytes']} B came before they could"
    assert max(measured["stream_bytes_per_s"]) <= RATE
    statistics = cluster.statistics()
    assert statistics["dropped_frames"] == statistics["refused_frames"] == 0
    assert statistics["delivered_bytes"] > sum(point["bytes"] for point in measured["points"])


def test_several_ranks_on_a_host(cluster):
    done = cluster.run(["hostname"], ranks=4, per_host=2, timeout_s=LIMIT_S)
    assert sorted(done.stdout.split()) == ["hakaru-lab-1"] * 2 + ["hakaru-lab-2"] * 2, done.stderr


def test_variables_are_the_programs_alone_and_files_are_shared(cluster, tmp_path):
    script = 'echo "$WORDS $LD_PRELOAD" > "$FOLDER/$(hostname)"; hostname'
    variables = {"WORDS": "with; odd, = words", "LD_PRELOAD": "libm.so.6", "FOLDER": str(tmp_path)}
    done = cluster.run(["sh", "-c", script], ranks=2, environment=variables, timeout_s=LIMIT_S)
    assert done.returncode == 0, done.stderr
    written = {entry.name: entry.read_text().strip() for entry in tmp_path.iterdir()}
    assert written == dict.fromkeys(("hakaru-lab-1", "hakaru-lab-2"), "with; odd, = words libm.so.6")


def test_the_exit_code_is_the_programs(cluster):
    assert cluster.run(["sh", "-c", "exit 3"], ranks=2, timeout_s=LIMIT_S).returncode == 3


def test_a_program_that_does_not_end_is_ended(cluster):
    with pytest.raises(UserError, match="had not finished in 1 s"):
        cluster.run(["sleep", "1000"], ranks=2, timeout_s=1.0)
    assert system.processes_inside([host.name for host in cluster.state.hosts]) == []
    assert cluster.run(["true"], ranks=2, timeout_s=LIMIT_S).returncode == 0


def test_a_second_lab_is_refused(cluster):
    done = command("up", "--hosts", "2")
    assert done.returncode == 4
    assert "a lab of 2 hosts is up already" in done.stderr and "--replace" in done.stderr
    assert state.switch_runs(cluster.state)


def test_status_tells_of_the_lab(cluster):
    done = command("status", "--json")
    assert done.returncode == 0
    told = json.loads(done.stdout)
    assert told["problems"] == []
    assert [host["address"] for host in told["lab"]["hosts"]] == ["10.77.0.1", "10.77.0.2"]
