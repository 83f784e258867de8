"""Who comes second waits; who has died does not block; who is interrupted while waiting leaves the first alone."""

import errno
import fcntl
import os
import signal
import subprocess
import sys

import pytest

from hakaru.facts.records import RecordStore
from hakaru.run.campaign.turns import FOLDER, alone

HOLD = """
import sys
from hakaru.facts.records import RecordStore
from hakaru.run.campaign.turns import alone
try:
    with alone(RecordStore(sys.argv[1]), "c", lambda text: print(text, flush=True)):
        print("mine", flush=True)
        sys.stdin.readline()
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


@pytest.fixture
def store(tmp_path):
    return RecordStore(tmp_path)


@pytest.fixture
def hold(tmp_path):
    """Starts a process that holds the lock until it reads a line; what it says first."""
    started = []

    def start():
        command = [sys.executable, "-c", HOLD, str(tmp_path)]
        started.append(subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True))
        return started[-1], started[-1].stdout.readline()

    yield start
    for process in started:
        process.kill()
        process.communicate()


def test_the_second_waits_for_the_first(hold):
    first, said = hold()
    assert said == "mine\n"
    second, said = hold()
    assert said.startswith(f"process {first.pid} on ") and "waiting until it has ended" in said
    first.communicate("\n", timeout=30)
    assert second.stdout.readline() == "mine\n"


def test_other_campaigns_do_not_wait(hold, store):
    hold()
    heard = []
    with alone(store, "another", heard.append):
        assert heard == []


def test_a_dead_holder_does_not_block(hold, store):
    first, _ = hold()
    first.send_signal(signal.SIGKILL)
    first.wait()
    heard = []
    with alone(store, "c", heard.append):
        assert heard == []
        assert (store.records / FOLDER / "c.lock").read_text().startswith(f"process {os.getpid()} on ")


def test_an_interrupted_waiter_leaves_the_first_alone(hold):
    first, _ = hold()
    second, _ = hold()
    second.send_signal(signal.SIGINT)
    assert second.stdout.readline() == "interrupted\n" and second.wait() == 0
    assert first.poll() is None
    _, said = hold()
    assert said.startswith(f"process {first.pid} on ")


def test_a_file_system_without_locks_is_told(store, monkeypatch):
    def refuse(*_):
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    monkeypatch.setattr(fcntl, "flock", refuse)
    heard = []
    with alone(store, "c", heard.append):
        assert "cannot be locked (No locks available)" in heard[0]
