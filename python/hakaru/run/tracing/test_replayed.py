"""Programs with MPI calls of several threads, or with polling loops, from their run to a schedule and a replay."""

import json
import subprocess
from collections import Counter

import pytest

from hakaru.facts import native
from hakaru.facts.traces.raw import raw_files
from hakaru.facts.traces.trace import convert, converter

pytestmark = pytest.mark.skipif(converter() is None, reason="the converter is not built")


def replayed(mpi, tmp_path, source: str, how: str) -> dict:
    """The schedule of a run with two ranks, which a replay got through."""
    done = mpi.launch([str(mpi.compile(source)), how], tmp_path / "raw", 2)
    assert done.returncode == 0, done.stderr
    if "too low a thread level" in done.stdout:
        pytest.skip("this MPI library does not offer the thread level")
    assert convert(tmp_path / "raw", tmp_path / "archive") is None
    tool = native.tool("hakaru_replay")
    written = tmp_path / "schedule.json"
    subprocess.run([tool, tmp_path / "archive", "--write", written], check=True, timeout=60)
    subprocess.run([tool, written, "--check"], check=True, timeout=60)
    return json.loads(written.read_text())


def operations(schedule: dict, rank: int) -> list[dict]:
    """Those of a rank, its threads' in place of their forks."""
    found = []
    for operation in schedule["streams"][rank]["operations"]:
        found += [operation, *operation.get("operations", [])]
    return found


def counts(schedule: dict, rank: int) -> Counter:
    return Counter(operation["do"] for operation in operations(schedule, rank))


@pytest.mark.parametrize("how", ["single", "second", "robin"])
def test_calls_of_threads_that_never_overlap_are_one_stream(mpi, tmp_path, how):
    schedule = replayed(mpi, tmp_path, "hybrid.c", how)
    assert raw_files(tmp_path / "raw")[0].header.threads == 2
    tags = list(range(40 if how == "robin" else 20))
    for rank in range(2):
        stream = schedule["streams"][rank]["operations"]
        assert "fork" not in counts(schedule, rank)
        assert [one["tag"] for one in stream if one["do"] == "send"] == tags
        assert [one["tag"] for one in stream if one["do"] == "ireceive"] == tags
    if how == "second":
        assert [phase["name"] for phase in schedule["phases"]] == ["communicate"]


@pytest.mark.parametrize(("how", "what", "times"), [("tags", "send", 40), ("communicators", "allreduce", 40)])
def test_calls_that_overlap_are_replayed_by_threads(mpi, tmp_path, how, what, times):
    schedule = replayed(mpi, tmp_path, "hybrid.c", how)
    for rank in range(2):
        assert counts(schedule, rank)[what] == times
    assert sum(counts(schedule, rank)["fork"] for rank in range(2)) > 0


def test_what_one_thread_starts_another_may_complete(mpi, tmp_path):
    schedule = replayed(mpi, tmp_path, "hybrid.c", "progress")
    assert counts(schedule, 0)["ireceive"] == 40 and counts(schedule, 1)["isend"] == 20
    assert counts(schedule, 0)["wait"] == 40 + counts(schedule, 0)["fork"]


@pytest.mark.parametrize("how", ["test", "testany", "testall", "testsome", "iprobe", "overlap", "cancel"])
def test_polling_loops_become_few_operations(mpi, tmp_path, how):
    schedule = replayed(mpi, tmp_path, "polling.c", how)
    assert len(operations(schedule, 0)) < 40
    found = counts(schedule, 0)
    expected = {"cancel": {}, "iprobe": {"probe": 3, "receive": 3}}.get(how, {"ireceive": 3, "wait": 3})
    assert {name: found[name] for name in ("probe", "receive", "ireceive", "wait") if found[name]} == expected
