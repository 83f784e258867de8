"""For the tests that make a real lab: whether one can be made here, and whether one has left anything."""

import subprocess
import sys

from hakaru.base.errors import UserError
from hakaru.run.lab import bring, state, system

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
