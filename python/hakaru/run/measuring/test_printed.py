import time
from pathlib import Path

import pytest

from hakaru.run.measuring.printed import NotFound, Wanted, find, lines_of, number, seconds


def value(pattern, *lines, **more):
    one = Wanted("time", pattern, **more)
    return find([one], lines)[one]


def test_the_last_match_counts_unless_said_otherwise():
    lines = ("t = 1.5", "other", "t = 2.5")
    assert value(r"t = ([0-9.]+)", *lines) == 2.5
    assert value(r"t = ([0-9.]+)", *lines, take="first") == 1.5
    assert value(r"t = ([0-9.]+)", *lines, take="sum") == 4.0
    assert value(r"t = ([0-9.]+)", *lines, take="largest") == 2.5


def test_fortran_prints_exponents_with_d():
    assert number("1.25D+02") == 125.0
    assert number("1,024") == 1024.0
    assert number("nan") is None and number("1e999") is None and number("fast") is None


def test_what_is_not_there_is_said_in_words():
    assert "printed no time" in str(value("t = (x)", "nothing"))
    assert "is no number" in str(value(r"t = (\S+)", "t = soon"))
    with pytest.raises(NotFound, match="negative"):
        seconds(-1.0, "s")
    assert seconds(2.0, "ms") == 2e-3


def test_a_pattern_that_tries_every_split_is_given_up():
    began = time.monotonic()
    found = value(r"(a+)+(b+)+$(x)", "a" * 40 + "c")
    assert isinstance(found, NotFound)
    assert time.monotonic() - began < 30.0


def test_the_others_are_found_beside_a_pattern_that_is_given_up():
    wanted = [Wanted("a", r"((a|aa)+)+$y(.)"), Wanted("b", r"b=(\d+)")]
    found = find(wanted, ["a" * 60 + "!", "b=3"])
    assert isinstance(found[wanted[0]], NotFound) and found[wanted[1]] == 3.0


def test_long_lines_are_cut_and_files_that_are_not_there_are_empty(tmp_path: Path):
    path = tmp_path / "output"
    path.write_text("t=1\n" + "x" * 3_000_000 + "t=9\nt=2\n")
    assert value(r"t=(\d)", *lines_of(path, tmp_path / "missing")) == 2.0
    assert max(len(line) for line in lines_of(path)) <= 65536
