"""Runs and sizes as people name them: what is missing or damaged is said, and nothing is guessed."""

import msgspec
import pytest

from hakaru.base.errors import UserError
from hakaru.foretell.extrapolate import fixtures, given


class NoEngine:
    """An engine that is asked for nothing, or that finds a trace without its end."""

    def write_schedule(self, source, output):
        raise UserError("the trace is incomplete", "rank 1 ended early", "trace a run that ends")


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for ranks in (2, 4):
        (tmp_path / f"ring{ranks}.json").write_bytes(msgspec.json.encode(fixtures.ring(ranks)))
    (tmp_path / "work").mkdir()
    return tmp_path


def test_words_are_runs_or_sizes():
    asked = given.asked(["two:n=64", "n=512", "schedule:heat,n=64,ranks=4", "m=1e3"])
    assert asked.words == ("two:n=64", "schedule:heat,n=64,ranks=4")
    assert asked.sizes == {"n": 512.0, "m": 1000.0}


def test_a_program_that_lies_here_is_no_run(files):
    """``hakaru predict lulesh2.0`` is asked where lulesh2.0 lies."""
    (files / "lulesh2.0").write_bytes(b"\x7fELF")
    (files / "solver").mkdir()
    assert not given.names_runs("lulesh2.0") and not given.names_runs("solver")
    (files / "solver" / "archive").mkdir()
    assert (
        given.names_runs("solver:n=64")
        and given.names_runs("ring2.json")
        and given.names_runs("schedule:heat")
    )


def test_a_run_has_the_sizes_behind_its_name(files):
    runs = given.read(["ring2.json:n=64,m=3", "ring4.json"], files / "work", NoEngine())
    assert [run.schedule.ranks for run in runs] == [2, 4]
    assert dict(runs[0].sizes) == {"n": 64.0, "m": 3.0} and not runs[1].sizes


def refused(files, *words):
    with pytest.raises(UserError) as error:
        given.read(words, files / "work", NoEngine())
    return str(error.value)


def test_what_is_missing_is_said(files):
    assert "no input nowhere" in refused(files, "nowhere:n=3")
    with pytest.raises(UserError, match="no size"):
        given.asked(["n=large"])


def test_no_run_is_no_answer(files):
    assert "no trace is named" in refused(files)


def test_a_trace_without_its_end_is_refused(files):
    (files / "cut").mkdir()
    (files / "cut" / "traces.otf2").touch()
    assert "ended early" in refused(files, "cut")


def test_a_damaged_schedule_is_refused(files):
    (files / "half.json").write_text((files / "ring2.json").read_text()[:200])
    assert "is no schedule" in refused(files, "half.json")


def test_a_program_says_its_ranks(files):
    assert "does not say its ranks" in refused(files, "schedule:heat,n=64")
