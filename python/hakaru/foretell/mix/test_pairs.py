"""What jobs beside each other cost: made-up jobs with known times."""

import subprocess
from dataclasses import dataclass

import pytest

from hakaru.base.errors import UserError
from hakaru.foretell.mix import file, pairs

STARTED: list[subprocess.Popen] = []


@dataclass
class Made:
    """Takes 1 s alone and ``slower`` s beside anybody."""

    label: str
    slower: float
    cores: int = 1
    line: tuple[str, ...] = ("sleep", "60")

    def timed_s(self) -> float:
        beside = [one for one in STARTED if one.poll() is None]
        return self.slower if beside else 1.0

    def endless(self) -> subprocess.Popen:
        STARTED.append(subprocess.Popen(self.line, start_new_session=True))
        return STARTED[-1]


@pytest.fixture(autouse=True)
def nobody_is_left():
    STARTED.clear()
    yield
    assert all(one.poll() is not None for one in STARTED), "a neighbour still runs"


def test_every_pair_that_fits_is_told_and_nobody_is_left():
    jobs = [Made("a", 1.5), Made("b", 1.1), Made("wide", 9.0, cores=2)]
    found = pairs.measure(jobs, 3, lambda text: None, cores=2, warm_s=0.0)
    assert {(one.job, one.beside): one.slower.value for one in found} == {
        ("a", "a"): 1.5,
        ("a", "b"): 1.5,
        ("b", "a"): 1.1,
        ("b", "b"): 1.1,
    }
    assert len(STARTED) == 12


def test_what_is_printed_is_read_by_a_mix(tmp_path):
    found = pairs.measure([Made("a", 1.5)], 2, lambda text: None, cores=2, warm_s=0.0)
    text = 'name = "m"\nnodes = 1\ncores = 2\nshared = true\n[[jobs]]\nname = "a"\nusual_s = 1\n'
    (tmp_path / "mix.toml").write_text(text + found[0].toml())
    (pair,) = file.read(tmp_path / "mix.toml").pairs
    assert (pair.job, pair.beside, pair.slower) == ("a", "a", 1.5)


def test_a_neighbour_that_ends_and_jobs_that_do_not_fit_are_said():
    with pytest.raises(UserError, match="b ended beside the other"):
        pairs.measure([Made("b", 2.0, line=("true",))], 1, lambda text: None, cores=2, warm_s=0.2)
    with pytest.raises(UserError, match="no two jobs share a node here"):
        pairs.measure([Made("a", 1.0, cores=2)], 1, lambda text: None, cores=3)
