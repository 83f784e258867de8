"""Sweeps as jobs, with a batch system that stands in for PBS: together they are the sweep, bit by bit."""

# ruff: noqa: F811 - a fixture is named by its parameter

import pytest

from hakaru.base.commands import words_of
from hakaru.foretell.replay.test_command import ask, break_engine, folder, refused, run  # noqa: F401
from hakaru.run.batch.testing import LIMIT_S, stand_in
from hakaru.run.lab.system import wait_until
from hakaru.tell.replays.options import Request

SITE = 'system = "pbs"\ncores = 2\nmost_tasks = 4\n'


@pytest.fixture
def queue(folder, monkeypatch):
    monkeypatch.chdir(folder)
    (folder / "site.toml").write_text(SITE)
    return stand_in("pbs", folder, monkeypatch)


@pytest.mark.parametrize("asked", [("--sweep", "network.node.latency=1us..100us:7"), ("--sensitivity",)])
def test_jobs_make_shares_that_add_up_to_the_same_bits(folder, queue, asked):
    line = ("halo.json", "--machine", "fx1", *asked)
    alone = ask(*line, "--results", folder / "alone")
    kept = folder / "results" / "replays" / ".kept"
    done = run(*line, "--submit", "3")
    assert done.exit_code == 0 and "3 tasks" in done.output, f"{done.output}{done.exception}"
    wanted = len(list((folder / "alone" / "replays" / ".kept").iterdir()))
    assert wait_until(lambda: kept.is_dir() and len(list(kept.iterdir())) >= wanted, LIMIT_S), [
        one.read_text() for one in folder.glob("results/jobs/replays/*/out-task-*.txt")
    ]
    break_engine(folder)
    rows = "points" if "--sweep" in asked else "rows"
    assert ask(*line)[rows] == alone[rows]


def test_the_script_is_shown_and_nothing_is_submitted(folder, queue):
    done = run("halo.json", "--machine", "fx1", "--sensitivity", "--submit", "3", "--dry-run")
    assert "#PBS" in done.output and "--share task/3" in done.output and "--submit" not in done.output
    assert not list(queue.iterdir()) and not (folder / "results").exists()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--submit", "3"), "one replay has no parts"),
        (("--submit", "3", "--sensitivity", "--share", "1/3"), "each job makes a share"),
        (("--submit", "5", "--sensitivity"), "the site takes 4 tasks"),
        (("--dry-run", "--sensitivity"), "nothing is submitted"),
        (("--share", "task/3", "--sensitivity"), "--share task/3 is not understood"),
    ],
)
def test_what_makes_no_sense_is_refused(queue, words, said):
    assert said in str(refused("halo.json", "--machine", "fx1", *words))


def test_a_request_is_written_as_words():
    request = Request("x", machine="fx1", settings=["a=1", "b=2"], sharing=False, sensitivity=True, ranks=4)
    assert words_of(request) == [
        *("x", "--machine", "fx1", "--set", "a=1", "--set", "b=2"),
        *("--no-sharing", "--ranks", "4", "--sensitivity"),
    ]
