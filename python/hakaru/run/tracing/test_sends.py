"""Blocking sends of a traced program, made non-blocking, are what a program traces that really uses non-blocking ones."""

import json
import subprocess

import pytest

from hakaru.facts import native
from hakaru.facts.traces.trace import convert, converter

pytestmark = pytest.mark.skipif(converter() is None, reason="the converter is not built")

COUNT, STEPS, RANKS = 20000, 6, 3  # 160 kB: beyond every eager limit


def schedule(mpi, folder, *options: str, changed: tuple[str, ...] = ()) -> list[list[tuple]]:
    """What each rank of a traced run does, requests by the order in which they were first used."""
    folder.mkdir()
    program = mpi.compile("pipeline.c", None, *options)
    done = mpi.launch([str(program), str(COUNT)], folder / "raw", RANKS)
    assert done.returncode == 0, done.stderr
    assert convert(folder / "raw", folder / "archive") is None
    written = folder / "schedule.json"
    subprocess.run(
        [native.tool("hakaru_replay"), folder / "archive", "--write", written, *changed], check=True
    )
    found = json.loads(written.read_text())
    return [told(found["streams"][stream]["operations"]) for stream in range(len(found["streams"]))]


def told(operations: list[dict]) -> list[tuple]:
    numbers: dict[int, int] = {}
    kept = [one for one in operations if one["do"] in ("send", "isend", "receive", "wait")]
    return [
        (
            one["do"],
            one.get("peer", one.get("shift")),
            one.get("tag"),
            numbers.setdefault(one["request"], len(numbers)) if "request" in one else None,
        )
        for one in kept
    ]


def test_they_do_the_same_in_the_same_order(mpi, tmp_path):
    blocking = schedule(mpi, tmp_path / "blocking")
    changed = schedule(mpi, tmp_path / "changed", changed=("--sends", "nonblocking"))
    real = schedule(mpi, tmp_path / "real", "-DNONBLOCKING")
    assert sum(one[0] == "send" for stream in blocking for one in stream) == STEPS * 2 * (RANKS - 1)
    assert changed == real != blocking


def test_waits_of_an_exchange_come_before_computing(mpi, tmp_path):
    early = schedule(mpi, tmp_path / "early", changed=("--sends", "nonblocking", "--waits", "exchange"))
    late = schedule(mpi, tmp_path / "late", changed=("--sends", "nonblocking"))
    assert early != late
    assert sorted(early[0]) == sorted(late[0])
