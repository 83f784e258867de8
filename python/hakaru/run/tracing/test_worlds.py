"""Programs of several groups and worlds, from the run to the replay: nothing of their communication is lost."""

import json
import subprocess

import pytest

from hakaru.facts import native
from hakaru.facts.traces.trace import convert, converter

pytestmark = pytest.mark.skipif(converter() is None, reason="the converter is not built")

NETWORK = {"model": "loggp", "levels": {"switch": {"latency_s": 1e-3, "gap_per_byte": 1e-9}}}


def archive_of(mpi, name: str, ranks: int, folder) -> str:
    done = mpi.launch([str(mpi.compile(f"{name}.c"))], folder / "raw", ranks)
    if "Comm_spawn" in done.stderr or (mpi.flavour == "mpich" and done.returncode != 0):
        pytest.skip("this MPI library cannot spawn here")
    assert done.returncode == 0, done.stderr[-2000:]
    assert convert(folder / "raw", folder / "otf2") is None
    return str(folder / "otf2")


def replayed(*words: str) -> subprocess.CompletedProcess:
    return subprocess.run([str(native.tool("hakaru_replay")), *words], capture_output=True, text=True)


def schedule_of(archive: str, folder) -> dict:
    done = replayed(archive, "--write", str(folder / "schedule.json"))
    assert done.returncode == 0, done.stderr
    return json.loads((folder / "schedule.json").read_text())


def test_collectives_between_groups_are_what_open_mpi_makes_of_them(mpi, tmp_path):
    if mpi.flavour == "mpich":
        pytest.skip("the same raw files as with Open MPI")
    archive = archive_of(mpi, "between_groups", 3, tmp_path)
    check = replayed(archive, "--check", "--json")
    assert check.returncode == 0, check.stderr
    schedule = schedule_of(archive, tmp_path)
    names = [c["name"] for c in schedule["communicators"]]
    across = next(i for i, name in enumerate(names) if name.endswith(" collectives"))
    sent = [
        (
            rank,
            operation["peer"] if "peer" in operation else (rank + operation["shift"]) % 3,
            operation["bytes"],
        )
        for stream in schedule["streams"]
        for rank in range(stream["ranks"][0][0], stream["ranks"][0][1] + 1)
        for operation in stream["operations"]
        if operation["do"] in ("send", "isend") and operation.get("communicator") in (across, names[across])
    ]
    # Group low is rank 0, the other ranks 1 and 2. Leaders: 0 and 1.
    assert sorted(sent) == sorted(
        [(0, 1, 100)]  # broadcast
        + [(1, 0, 80)]  # reduce
        + [(0, 1, 72), (1, 0, 72)]  # allreduce
        + [(1, 0, 60)]  # gather
        + [(0, 1, 60)]  # scatter
        + [(1, 0, 1), (2, 0, 2)]  # gatherv
        + [(0, 1, 1), (0, 2, 2)]  # scatterv
        + [(0, 1, 20), (1, 0, 40)]  # allgather
        + [(0, 1, 1), (0, 2, 1), (1, 0, 1), (2, 0, 2)]  # allgatherv
        + [(0, 1, 12), (0, 2, 12), (1, 0, 12), (2, 0, 12)]  # alltoall
        + [(0, 1, 11), (0, 2, 12), (1, 0, 11), (2, 0, 21)]  # alltoallv
        + [(0, 1, 12), (1, 0, 12)]  # reduce_scatter_block
    )


def test_a_spawned_world_is_replayed_with_its_messages(mpi, tmp_path):
    archive = archive_of(mpi, "spawn", 2, tmp_path)
    check = replayed(archive, "--check", "--json")
    assert check.returncode == 0, check.stderr
    told = json.loads(check.stdout)
    assert told["progresses"] and told["ranks"] == 4 and told["messages"] > 0
    schedule = schedule_of(archive, tmp_path)
    own = [
        operation
        for stream in schedule["streams"]
        for operation in stream["operations"]
        if operation["do"] == "send" and operation["tag"] == 6
    ]
    assert len(own) == 2
    start_up = [
        sum(o["seconds"] for o in stream["operations"] if o["do"] == "compute" and "seconds" in o)
        for stream in schedule["streams"]
    ]
    assert len(start_up) == 4 and min(start_up[2:]) > 1e-3  # of a process


def test_without_the_files_of_the_spawned_world_it_is_refused_with_the_count(mpi, tmp_path):
    archive_of(mpi, "spawn", 2, tmp_path)
    for file in (tmp_path / "raw").glob("spawned-*"):
        file.unlink()
    assert convert(tmp_path / "raw", tmp_path / "half") is None
    check = replayed(str(tmp_path / "half"), "--check")
    assert check.returncode == 2 and "1 messages to another world" in check.stderr
    assert "collectives with another world" in check.stderr


def test_the_spawned_wait_for_those_who_spawn(mpi, tmp_path):
    """Network time that all wait for: with latency 1 ms the run cannot be over before its chain of messages is."""
    archive = archive_of(mpi, "spawn", 2, tmp_path)
    (tmp_path / "network.json").write_text(json.dumps(NETWORK))
    done = replayed(
        archive, "--network", str(tmp_path / "network.json"), "--json", "--set", "compute_factor=0"
    )
    assert done.returncode == 0, done.stderr
    finish = json.loads(done.stdout)["breakdown"]["finish"]
    assert finish["minimum"] > 10e-3 and finish["maximum"] < 60e-3
