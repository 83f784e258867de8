"""Threads that keep cores awake: one on each, behind everybody else, gone afterwards and where nothing moves cores."""

import os
from pathlib import Path

import pytest

from hakaru.base.errors import UserError
from hakaru.base.topology import usable_cores
from hakaru.facts import native
from hakaru.run.doctor.system import System
from hakaru.run.measuring import awake as module
from hakaru.run.measuring.awake import awake


@pytest.fixture
def virtual(tmp_path) -> System:
    (tmp_path / "proc").mkdir()
    (tmp_path / "proc/cpuinfo").write_text("flags : fpu hypervisor\n")
    return System(tmp_path)


def _keepers() -> list[Path]:
    """Processes that this one started and that are the tool."""
    children = Path("/proc/self/task").glob("*/children")
    pids = [pid for file in children for pid in file.read_text().split()]
    return [Path("/proc", pid) for pid in pids if _is_tool(pid)]


def _is_tool(pid: str) -> bool:
    return Path(f"/proc/{pid}/comm").read_text().strip() == module.TOOL[:15]


def _cores_of_idle_threads(keeper: Path) -> list[int]:
    threads = [int(task.name) for task in (keeper / "task").iterdir()]
    idle = [one for one in threads if os.sched_getscheduler(one) == os.SCHED_IDLE]
    return sorted(core for one in idle for core in os.sched_getaffinity(one))


def _built() -> bool:
    try:
        return native.tool(module.TOOL).is_file()
    except UserError:
        return False


@pytest.mark.skipif(not _built(), reason="the tool is not built")
def test_every_core_has_a_thread_of_the_lowest_class_while_it_is_entered(virtual):
    said = []
    with awake(said.append, virtual):
        (keeper,) = _keepers()
        cores = _cores_of_idle_threads(keeper)
        assert os.getsid(int(keeper.name)) == os.getsid(0)
    assert len(cores) == len(set(cores)) == usable_cores() and not said
    assert not _keepers()


@pytest.mark.skipif(not _built(), reason="the tool is not built")
def test_they_end_when_what_is_measured_fails(virtual):
    with pytest.raises(KeyboardInterrupt), awake(print, virtual):
        raise KeyboardInterrupt
    assert not _keepers()


def test_no_core_is_kept_awake_where_no_hypervisor_moves_it(tmp_path, monkeypatch):
    monkeypatch.setattr(native, "tool", lambda name: pytest.fail(f"{name} was asked for"))
    with awake(pytest.fail, System(tmp_path)):
        pass


def test_what_cannot_be_kept_awake_is_said_and_measured_all_the_same(virtual, tmp_path, monkeypatch):
    refused = tmp_path / "refused"
    refused.write_text("#!/bin/sh\necho 'awake: the kernel refused SCHED_IDLE' >&2\nexit 4\n")
    refused.chmod(0o755)
    monkeypatch.setattr(native, "tool", lambda name: refused)
    said, measured = [], []
    with awake(said.append, virtual):
        measured.append(1)
    assert measured == [1]
    assert said == ["cores may be moved when they sleep: awake: the kernel refused SCHED_IDLE"]
