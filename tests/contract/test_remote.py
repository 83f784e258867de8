"""The schedule of a program with PUT and GET equals what a run of it does, however the data move."""

import copy
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from contract.operations import difference, operations_of_schedule, operations_of_trace
from contract.test_schedule import LIMIT_S, recorder, some  # noqa: F401

from hakaru.base import topology
from hakaru.base.paths import build_folder, mpi_flavour
from hakaru.facts import native
from hakaru.run.launchers.here import launch_here


@pytest.fixture(scope="module")
def remote_program() -> Path:
    path = build_folder() / "tests" / "remote_program"
    if not path.is_file():
        pytest.skip("remote_program is not built")
    return path


def schedule_of(program: Path, ranks: int) -> dict:
    done = subprocess.run([program, "schedule", str(ranks)], capture_output=True, check=True, timeout=LIMIT_S)
    return json.loads(done.stdout)


def record(program: Path, ranks: int, library: Path, folder: Path, path: str) -> list:
    launch = launch_here(mpi_flavour(), ranks)
    command = launch.command(["env", f"LD_PRELOAD={library}", str(program)])
    chosen = {"HAKARU_RECORDER": str(folder), "HAKARU_REMOTE_PATH": path}
    if path == "rma":
        chosen["OMPI_MCA_osc"] = "^rdma"  # see the note at RemoteMemory
    subprocess.run(command, env=os.environ | launch.variables() | chosen, check=True, timeout=LIMIT_S)
    return operations_of_trace(folder)


@pytest.mark.parametrize("path", ["automatic", "rma"])
@pytest.mark.parametrize("ranks", [1, 2, 3, 4])
def test_schedule_equals_trace(ranks, path, remote_program, recorder, tmp_path):  # noqa: F811
    if mpi_flavour() == "mpich" and ranks > topology.here().hardware_threads:
        pytest.skip("MPICH busy-polls: more ranks than cores take minutes")
    traced = record(remote_program, ranks, recorder, tmp_path, path)
    schedule = schedule_of(remote_program, ranks)
    assert difference(operations_of_schedule(schedule), traced) is None


@pytest.mark.parametrize("ranks", [2, 3])
def test_hakarus_tracer_sees_what_the_schedule_says(ranks, remote_program, tmp_path):
    """Tracer, converter and reader in a row."""
    if mpi_flavour() == "mpich" and ranks > topology.here().hardware_threads:
        pytest.skip("MPICH busy-polls: more ranks than cores take minutes")
    launch = launch_here(mpi_flavour(), ranks)
    subprocess.run(
        [sys.executable, "-P", "-m", "hakaru", "trace", "--output", tmp_path / "trace", "--"]
        + launch.command([str(remote_program)]),
        env=os.environ | launch.variables(),
        check=True,
        timeout=3 * LIMIT_S,
    )
    traced = tmp_path / "traced.json"
    subprocess.run(
        [native.tool("hakaru_replay"), tmp_path / "trace" / "archive", "--write", traced], check=True
    )
    schedule = schedule_of(remote_program, ranks)
    assert difference(operations_of_schedule(schedule), operations_of_trace(traced)) is None


DAMAGES = {
    "flag raised there": ({"do": "put", "tag": 1}, lambda all, one, lists: one.update(tag=2)),
    "flag raised here": ({"do": "put", "bytes": 64}, lambda all, one, lists: one.pop("list")),
    "sent flag of a get": (
        {"do": "get", "bytes": 32},
        lambda all, one, lists: lists[one["list"]].__setitem__(0, 1),
    ),
    "items": ({"do": "put", "bytes": 32}, lambda all, one, lists: lists[one["list"]].__setitem__(1, 5)),
    "bytes": ({"do": "get", "bytes": 16}, lambda all, one, lists: one.update(bytes=17)),
    "flag waited for": ({"do": "flag_wait"}, lambda all, one, lists: one.update(tag=2)),
    "raises waited for": ({"do": "flag_wait"}, lambda all, one, lists: one.update(bytes=1)),
    "no flag wait": ({"do": "flag_wait"}, lambda all, one, lists: all.remove(one)),
    "no acknowledgement": ({"do": "flush"}, lambda all, one, lists: all.remove(one)),
    "tag of a message": ({"do": "send"}, lambda all, one, lists: one.update(tag=8)),
    "bytes of a message": ({"do": "receive"}, lambda all, one, lists: one.update(bytes=201)),
    "group of a put": ({"do": "put", "communicator": 1}, lambda all, one, lists: one.pop("communicator")),
    "a get for a put": ({"do": "put"}, lambda all, one, lists: one.update(do="get")),
}


@pytest.fixture(scope="module")
def pair(remote_program, recorder, tmp_path_factory) -> tuple:  # noqa: F811
    folder = tmp_path_factory.mktemp("remote")
    return schedule_of(remote_program, 2), record(remote_program, 2, recorder, folder, "automatic")


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_changed_schedule_differs(damage, pair):
    wanted, change = DAMAGES[damage]
    damaged = copy.deepcopy(pair[0])
    change(*some(damaged["streams"][0]["operations"], **wanted), damaged["lists"])
    assert difference(operations_of_schedule(damaged), pair[1]) is not None
