"""A real lab, on which real MPI programs run. Needs root, TAP devices, Open MPI and the built programs."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest

from hakaru.errors import UserError
from hakaru.lab import Cluster, bring, state, system

LATENCY_S = 2e-3
RATE = 1.25e7
LIMIT_S = 120.0


def why_not() -> str | None:
    try:
        system.require_everything()
        system.mpirun()
        system.native_program("pingpong")
        if state.load() is not None or system.namespaces():
            return "a lab is up on this machine, and there is room for one"
    except UserError as error:
        return str(error)
    made = subprocess.run(["unshare", "--net", "--uts", "true"], capture_output=True, text=True)
    return None if made.returncode == 0 else f"namespaces cannot be made here ({made.stderr.strip()})"


REASON = why_not()
pytestmark = pytest.mark.skipif(REASON is not None, reason=REASON or "")


def assert_nothing_is_left(switch_pid: int | None = None) -> None:
    assert system.namespaces() == []
    assert state.load() is None
    assert {entry.name for entry in state.FOLDER.iterdir()} <= set(bring.KEPT)
    assert switch_pid is None or not system.is_running(switch_pid)
    switch = str(system.native_program("switch"))
    for entry in system.Path("/proc").glob("[0-9]*/cmdline"):
        try:
            assert switch not in entry.read_text().split("\0") or not system.is_running(
                int(entry.parent.name)
            )
        except OSError:
            continue
    devices = subprocess.run(["ip", "-brief", "link"], capture_output=True, text=True).stdout
    assert "hakaru" not in devices


def command(*words: str, **more) -> subprocess.CompletedProcess:
    return subprocess.run(
        [sys.executable, "-m", "hakaru", "lab", *words],
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
        **more,
    )


@pytest.fixture(scope="module")
def cluster():
    with Cluster(2, LATENCY_S, RATE) as made:
        yield made
    assert_nothing_is_left(made.state.switch_pid)


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


def test_a_killed_switch_is_noticed_and_replaced():
    """Runs after the tests above have let their lab go; ends without any lab."""
    if state.load() is not None:
        bring.bring_down()
    try:
        assert command("up", "--hosts", "3", "--latency", "1ms", "--rate", "100Mbit").returncode == 0
        made = state.load()
        os.kill(made.switch_pid, signal.SIGKILL)
        assert system.wait_until(lambda: not system.is_running(made.switch_pid), 10.0)
        broken = command("status")
        assert broken.returncode == 4 and "its switch does not run" in broken.stdout
        refused = command("run", "-n", "2", "--", "true")
        assert refused.returncode == 4 and "the lab is broken" in refused.stderr
        assert command("up", "--hosts", "2").returncode == 0
        assert len(state.load().hosts) == 2
        assert command("down").returncode == 0
        assert_nothing_is_left()
        again = command("down")
        assert again.returncode == 0 and "there was no lab" in again.stdout
    finally:
        bring.bring_down()


def test_an_interrupted_run_leaves_nothing_on_the_hosts():
    try:
        assert command("up").returncode == 0
        words = [sys.executable, "-m", "hakaru", "lab", "run", "-n", "2", "--", "sleep", "1000"]
        names = [host.name for host in state.load().hosts]
        with subprocess.Popen(words, stderr=subprocess.PIPE, start_new_session=True) as process:
            assert system.wait_until(lambda: len(system.processes_inside(names)) >= 4, LIMIT_S)
            time.sleep(0.2)
            os.killpg(process.pid, signal.SIGINT)
            process.communicate(timeout=LIMIT_S)
        assert process.returncode != 0
        assert system.processes_inside(names) == []
        assert command("status").returncode == 0
    finally:
        bring.bring_down()
    assert_nothing_is_left()


def test_a_failure_on_the_way_up_leaves_nothing(monkeypatch):
    def fail(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(bring, "_configure", fail)
    with pytest.raises(KeyboardInterrupt):
        bring.bring_up(bring.Settings(2))
    assert_nothing_is_left()
