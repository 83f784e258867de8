"""Shares of a sweep, as tasks of a job array make them: together they are the sweep, bit by bit."""

# ruff: noqa: F811 - a fixture is named by its parameter

import pytest

from hakaru.foretell.replay.test_command import ask, break_engine, folder, refused, run  # noqa: F401


@pytest.mark.parametrize("asked", [("--sweep", "network.node.latency=1us..100us:7"), ("--sensitivity",)])
def test_shares_of_job_arrays_add_up_to_the_same_bits(folder, asked):
    line = (folder / "halo.json", "--machine", "fx1", *asked)
    alone = ask(*line, "--results", folder / "alone")
    for number in (1, 2, 3):
        done = run(*line, "--share", f"{number}/3")
        assert done.exit_code == 0 and f"part {number} of 3" in done.output, done.output
    assert not list((folder / "results" / "replays").glob("*.json")), "a share is no answer"
    break_engine(folder)
    together = ask(*line)
    rows = "points" if "--sweep" in asked else "rows"
    assert together[rows] == alone[rows] and together["complete"]


def test_a_share_that_is_missing_is_made_by_who_asks_for_all(folder):
    line = (folder / "halo.json", "--machine", "fx1", "--sweep", "network.node.latency=1us..100us:7")
    alone = ask(*line, "--results", folder / "alone")
    assert run(*line, "--share", "1/2").exit_code == 0
    half = len(list((folder / "results" / "replays" / ".kept").iterdir()))
    assert ask(*line)["points"] == alone["points"]
    assert half < len(list((folder / "results" / "replays" / ".kept").iterdir()))
    break_engine(folder)
    assert ask(*line)["points"] == alone["points"]


@pytest.mark.parametrize("share", ["0/3", "4/3", "3", "a/b", "1/"])
def test_a_share_that_is_none_is_refused(folder, share):
    line = (folder / "halo.json", "--machine", "fx1", "--sensitivity")
    assert f"--share {share} is not understood" in str(refused(*line, "--share", share))
    assert "one replay has no parts" in str(refused(*line[:-1], "--share", "1/3"))
