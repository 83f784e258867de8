"""What people are told when a lab cannot be made; none of this needs root."""

import json
import os
import subprocess

import pytest

from hakaru.base.errors import ENVIRONMENT, UserError
from hakaru.run.lab import bring, execute, state, system
from hakaru.run.lab.plan import Settings, plan_hosts


@pytest.fixture
def as_root(monkeypatch):
    monkeypatch.setattr(os, "geteuid", lambda: 0)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A state folder of the test's own, and a machine without namespaces."""
    monkeypatch.setattr(system, "NAMESPACES", tmp_path / "netns")
    return tmp_path / "lab"


def a_state(**changes) -> state.State:
    facts = {"switch_pid": os.getpid(), "switch_start_ticks": system.start_ticks(os.getpid())} | changes
    hosts = plan_hosts(2, [(0,), (1,)])
    boot = facts.pop("boot", state.boot_identity())
    return state.State(Settings(2, 1e-4, 1.25e8), hosts, (), "2026-11-21T00:00:00Z", boot, **facts)


def test_without_root(monkeypatch):
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    for action in (system.require_everything, bring.bring_down, execute.require_up):
        with pytest.raises(UserError, match=r"a lab needs root \(.*\); use sudo") as caught:
            action()
        assert caught.value.exit_code == ENVIRONMENT


def test_without_tun(as_root, tmp_path):
    with pytest.raises(UserError, match=r"tun is missing.*modprobe tun.*--device") as caught:
        system.require_everything(tmp_path / "tun")
    assert caught.value.exit_code == ENVIRONMENT


def test_without_ip(as_root, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    (tmp_path / "tun").touch()
    with pytest.raises(UserError, match=r"program ip is missing.*apt-get install iproute2") as caught:
        system.require_everything(tmp_path / "tun")
    assert caught.value.exit_code == ENVIRONMENT


def test_without_the_switch(monkeypatch, tmp_path):
    monkeypatch.setenv("HAKARU_BUILD", str(tmp_path))
    with pytest.raises(UserError, match="the lab's switch is not built") as caught:
        system.native_program("switch")
    assert caught.value.exit_code == ENVIRONMENT


def test_without_open_mpi(monkeypatch, tmp_path):
    monkeypatch.setenv("HAKARU_MPI", "mpich")
    with pytest.raises(UserError, match="programs of mpich cannot be started"):
        system.mpirun()
    monkeypatch.setenv("HAKARU_MPI", "openmpi")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UserError, match="mpirun is missing.*apt-get install openmpi-bin"):
        system.mpirun()


def test_a_failing_tool_is_quoted():
    with pytest.raises(UserError, match="no permission here") as caught:
        system.tool(["sh", "-c", "echo no permission here >&2; exit 1"])
    assert caught.value.exit_code == ENVIRONMENT


def test_a_program_that_does_not_exist():
    with pytest.raises(UserError, match="no_such_program cannot be started"):
        execute._absolute("no_such_program")


def test_state_survives_the_file(folder):
    state.save(a_state(), folder)
    assert state.load(folder) == a_state()
    assert [entry.name for entry in folder.iterdir()] == ["state.json"]


def test_no_file_is_no_lab(folder):
    assert state.load(folder) is None
    assert state.problems(None) == []


@pytest.mark.parametrize("text", ["", "{", "[]", '{"schema": "hakaru/lab/0"}', '{"schema": "hakaru/lab/1"}'])
def test_a_damaged_file_is_named(folder, text):
    folder.mkdir()
    state.state_file(folder).write_text(text)
    with pytest.raises(UserError, match="state.json cannot be read.*hakaru lab down"):
        state.load(folder)


def test_a_file_with_settings_that_cannot_be_is_refused(folder):
    state.save(a_state(), folder)
    data = json.loads(state.state_file(folder).read_text())
    data["settings"]["hosts"] = 0
    state.state_file(folder).write_text(json.dumps(data))
    with pytest.raises(UserError):
        state.load(folder)


def test_another_boot_is_noticed(folder):
    assert state.problems(a_state(boot="other")) == ["the machine has been restarted since"]


def test_a_switch_that_has_ended_is_noticed(folder):
    with subprocess.Popen(["true"]) as process:
        ticks = system.start_ticks(process.pid)
    assert "its switch does not run" in state.problems(
        a_state(switch_pid=process.pid, switch_start_ticks=ticks)
    )


def test_another_process_with_the_number_of_the_switch_is_not_it(folder):
    assert state.switch_runs(a_state())
    assert not state.switch_runs(a_state(switch_start_ticks=1))


def test_missing_and_left_over_namespaces_are_named(folder):
    namespaces = system.NAMESPACES
    namespaces.mkdir()
    for name in ("hakaru-lab-2", "hakaru-lab-7", "somebody-else"):
        (namespaces / name).touch()
    found = state.problems(a_state())
    assert found == ["hosts are missing: hakaru-lab-1", "namespaces are left over: hakaru-lab-7"]
    assert state.problems(None) == ["namespaces without a lab: hakaru-lab-2, hakaru-lab-7"]


def test_one_at_a_time(folder):
    with state.exclusively("lab", "busy", folder):
        with pytest.raises(UserError, match="busy"), state.exclusively("lab", "busy", folder):
            pass
    with state.exclusively("lab", "busy", folder):
        pass


def test_processes_that_do_not_listen_are_forced_to_end():
    script = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print(flush=True); time.sleep(60)"
    with subprocess.Popen(["python3", "-c", script], stdout=subprocess.PIPE) as process:
        process.stdout.readline()
        system.end_processes(lambda: [process.pid] if system.is_running(process.pid) else [], 0.2)
        assert process.wait(10) == -9
