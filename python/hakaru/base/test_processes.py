"""What is ended is ended with everything that it started; what it wrote is kept."""

import os
import signal
import subprocess
import sys
import time

import pytest

from hakaru.base import processes

STUBBORN = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('ready', flush=True); time.sleep(60)"


def gone(pid):
    for _ in range(100):
        try:
            state = open(f"/proc/{pid}/stat").read().rpartition(")")[2].split()[0]
        except FileNotFoundError:
            return True
        if state == "Z":
            return True
        time.sleep(0.02)
    return False


def test_output_status_and_variables():
    done = processes.run(["sh", "-c", "echo $WORD; echo no >&2; exit 3"], {"WORD": "yes"})
    assert (done.status, done.output, done.errors, done.timed_out) == (3, "yes\n", "no\n", False)
    assert processes.run(["sh", "-c", "echo lost"], keep_output=False).output == ""
    with pytest.raises(FileNotFoundError):
        processes.run(["no-such-program"])


@pytest.mark.parametrize("own", [True, False])
def test_a_session_of_its_own_or_ours(own):
    told = "import os; print(os.getsid(0), os.getpgid(0) == os.getpid())"
    session, group = processes.run([sys.executable, "-c", told], own_session=own).output.split()
    assert (int(session) != os.getsid(0)) == own and group == "True"


def test_the_time_limit_ends_the_whole_tree():
    done = processes.run(["sh", "-c", "sleep 60 & echo $!; echo words >&2; wait"], limit_s=0.3)
    assert done.timed_out and done.status == -signal.SIGTERM and done.errors == "words\n"
    assert gone(int(done.output))


def test_a_child_that_ignores_the_question_is_forced_when_its_parent_has_gone():
    script = f'{sys.executable} -c "{STUBBORN}" >/dev/null & echo $!; sleep 0.3; exec sleep 60'
    done = processes.run(["sh", "-c", script], limit_s=0.8)
    assert done.timed_out and gone(int(done.output))


def test_what_ignores_the_question_is_forced():
    process = subprocess.Popen(
        [sys.executable, "-c", STUBBORN], stdout=subprocess.PIPE, text=True, start_new_session=True
    )
    assert process.stdout.readline() == "ready\n"
    processes.end(process, patience_s=0.2)
    assert process.returncode == -signal.SIGKILL


def test_one_of_our_own_group_is_ended_alone():
    process = subprocess.Popen(["sleep", "60"])
    assert os.getpgid(process.pid) == os.getpgid(0)
    processes.end(process, group=False)
    assert process.returncode == -signal.SIGTERM


def test_an_interruption_ends_the_tree_and_goes_on():
    code = (
        "import os, signal, threading; from hakaru.base import processes\n"
        "threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()\n"
        "try: processes.run(['sh', '-c', 'echo $$ > {0}; sleep 60'])\n"
        "except KeyboardInterrupt: print('interrupted')"
    )
    import tempfile

    with tempfile.NamedTemporaryFile() as file:
        done = subprocess.run(
            [sys.executable, "-c", code.format(file.name)], capture_output=True, text=True, timeout=30
        )
        assert done.stdout == "interrupted\n", done.stderr
        assert gone(int(open(file.name).read()))
