"""A long run of electrons survives its end: a signal to any rank, or a kill amid the search for the ground state."""

import json
import os
import signal
import subprocess
import time
from pathlib import Path

import pytest
from support import all_programs, start

from hakaru.base.paths import mpi_flavour
from hakaru.facts.programs.leaf import Leaf
from hakaru.run.launchers.here import launch_here

LIMIT_S = 100
ONCE = ["--repetitions", "1", "--warmup", "0"]


@pytest.fixture
def electrons():
    found = [program for program in all_programs() if program.name == "electrons"]
    if not found:
        pytest.skip("electrons was not built")
    return found[0]


def begin(program: Leaf, words: list[str], ranks: int) -> subprocess.Popen:
    launch = launch_here(mpi_flavour(), ranks)
    return subprocess.Popen(
        launch.command([str(program.path), *words, *ONCE, "--threads", "1"]),
        env=os.environ | launch.variables() | {"HAKARU_PROGRESS": "1"},
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        text=True,
    )


def wait_for(what) -> None:
    end = time.monotonic() + LIMIT_S
    while not what():
        assert time.monotonic() < end, "nothing came"
        time.sleep(0.01)


def ranks_of(launcher: int, program: Path) -> list[int]:
    """The processes of this program below a launcher."""
    parents = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
                parents[int(entry.name)] = (int(fields[1]), os.readlink(entry / "exe"))
            except OSError:
                continue  # it has ended
    found = []
    for process, (parent, executable) in parents.items():
        while parent in parents and parent != launcher:
            parent = parents[parent][0]
        if parent == launcher and Path(executable) == Path(program).resolve():
            found.append(process)
    return sorted(found)


def finished(program: Leaf, words: list[str], record: Path, ranks: int) -> dict:
    result = start(program, ["run", *words, *ONCE, "--record", str(record)], ranks)
    assert result.returncode == 0, result.stderr
    return json.loads(record.read_text())


def rows(record: dict, table: str) -> list:
    return next(found["rows"] for found in record["tables"] if found["name"] == table)


@pytest.mark.parametrize("ranks", [2, 4])
def test_signal_to_one_rank_of_a_film(electrons, tmp_path, ranks):
    steps, state = 300, tmp_path / "state"
    film = "geometry=film field=pulse points=4 spacing=250 vacuum_before=30 vacuum_after=8 duration=0.5 photon_energy=8"
    words = [*film.split(), "start=waves", "nx=12", "ny=12", "nz=12", "kx=1", "ky=1", "kz=1", "reach=4"]
    whole = finished(electrons, [*words, f"steps={steps}"], tmp_path / "whole.json", ranks)
    run = begin(electrons, ["run", *words, f"steps={3 * steps}", f"checkpoint={state}"], ranks)
    try:
        while "step" not in run.stderr.readline():
            assert run.poll() is None
        processes = ranks_of(run.pid, electrons.path)
        assert len(processes) == ranks
        os.kill(processes[-1], signal.SIGUSR1)
        wait_for(state.exists)
    finally:
        run.terminate()
        run.wait(LIMIT_S)
        run.stderr.close()
    header = json.loads(state.read_bytes()[:4096])
    done = (header["shared"] - 4) // 9 - 1
    if done >= steps:
        pytest.skip(f"the machine was so busy that step {done} was over")
    left = [*words, f"steps={steps - done}", f"restart={state}"]
    continued = finished(electrons, left, tmp_path / "continued.json", ranks)
    for table in ("history", "film"):
        assert rows(continued, table) == rows(whole, table), "the same bits"
    assert any(row[2] != 0.0 for row in rows(whole, "film"))


def test_killed_search_for_the_ground_state_is_continued(electrons, tmp_path):
    words = ["nx=16", "ny=16", "nz=16", "steps=1", "field=none"]
    whole = finished(electrons, words, tmp_path / "whole.json", 1)
    kept = tmp_path / "ground"
    words += [f"ground_state={kept}", "ground_state_interval=3"]
    run = begin(electrons, ["run", *words], 1)
    try:
        wait_for(kept.exists)
    finally:
        for process in ranks_of(os.getpid(), electrons.path):
            os.kill(process, signal.SIGKILL)
        run.kill()
        run.wait(LIMIT_S)
        run.stderr.close()
    assert json.loads(kept.read_bytes()[:4096])["identity"]["what"] == "search for the ground state"
    continued = finished(electrons, words, tmp_path / "continued.json", 1)
    assert rows(continued, "ground_state") == rows(whole, "ground_state"), "the same bits"
    assert json.loads(kept.read_bytes()[:4096])["identity"]["what"] == "ground state"
