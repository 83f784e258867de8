"""Labs that break, are interrupted or are taken down twice leave nothing behind. Needs what a real lab needs."""

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace

import pytest

from hakaru.run.lab import bring, state, system
from hakaru.run.lab.fixtures import LIMIT_S, assert_nothing_is_left, command, why_not

REASON = why_not()
pytestmark = pytest.mark.skipif(REASON is not None, reason=REASON or "")


def test_a_killed_switch_is_noticed_and_replaced():
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


def test_a_lab_that_is_faster_than_it_says_fails_the_check():
    """The state is altered after the switch has started: it says a latency and a rate that nobody keeps."""
    try:
        assert command("up").returncode == 0
        made = state.load()
        state.save(replace(made, settings=bring.Settings(2, latency_s=0.05, rate_bytes_per_s=1e4)))
        done = command("check", "--json")
        assert done.returncode == 3, done.stderr
        assert {row["verdict"] for row in json.loads(done.stdout)["rows"]} == {"impossible"}
    finally:
        bring.bring_down()
