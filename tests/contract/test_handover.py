"""Runs whose threads have cores of their own say how far these are from each other, and test_schedule.py shows that traces do not have it."""

import json

import pytest
from support import start

from hakaru.base import topology
from hakaru.facts import programs
from hakaru.facts.records import Record

pytestmark = pytest.mark.skipif("heat" not in {one.name for one in programs.known("app")}, reason="no heat")
HAVE_TWO = topology.usable_cores() >= 2


def told(tmp_path, ranks: int, threads: int) -> list[float]:
    """By the repetitions of a small run."""
    file = tmp_path / "record.json"
    words = ["run", "--preset", "small", "--repetitions", "2", "--record", str(file)]
    done = start(programs.named("heat"), words, ranks, threads)
    assert done.returncode == 0, done.stdout + done.stderr
    return [one.handover_s for one in Record.of(json.loads(file.read_text())).repetitions]


@pytest.mark.skipif(not HAVE_TWO, reason="one core")
@pytest.mark.parametrize("layout", [(2, 1), (1, 2)])
def test_runs_on_two_cores_say_how_far_these_are_from_each_other(tmp_path, layout):
    assert len(told(tmp_path, *layout)) == 2 and min(told(tmp_path, *layout)) > 0.0


@pytest.mark.skipif(not HAVE_TWO, reason="one core")
def test_traced_runs_do_not_ask(tmp_path, monkeypatch):
    monkeypatch.setenv("HAKARU_TRACE_FOLDER", str(tmp_path))
    assert told(tmp_path, 2, 1) == [0.0, 0.0]


def test_runs_on_one_core_have_nothing_to_say(tmp_path):
    assert told(tmp_path, 1, 1) == [0.0, 0.0]


def test_ranks_that_share_cores_do_not_ask(tmp_path):
    assert told(tmp_path, topology.usable_cores() + 1, 1) == [0.0, 0.0]
