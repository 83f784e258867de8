"""Grids that are refused, problems that do not fit, samples of a run, and what a damaged result does to each check."""

import json
import subprocess

import pytest
from support import start

from hakaru.facts import programs
from hakaru.facts.schedules import Schedule

ONCE = ("--repetitions", "1", "--warmup", "0")


@pytest.fixture
def linpack():
    return programs.named("linpack")


def run(program, *words: str, ranks: int = 1, threads: int = 1):
    return start(program, ["run", *ONCE, *words], ranks, threads)


@pytest.mark.parametrize("words", [["p=2"], ["q=3"], ["p=2", "q=2"], ["p=1", "q=2"]], ids=" ".join)
def test_a_grid_that_is_not_the_ranks_is_refused(linpack, words):
    done = run(linpack, "n=20", *words)
    assert done.returncode == 2 and "has not 1 ranks" in done.stderr and ";" in done.stderr


def test_a_matrix_that_does_not_fit_is_refused_before_it_starts(linpack):
    done = run(linpack, "n=3000000", "nb=32")
    assert done.returncode == 4 and "GiB are available" in done.stderr, done.stderr


def test_messages_beyond_what_mpi_counts_are_refused(linpack):
    done = run(linpack, "n=90000000")
    assert done.returncode == 2 and "MPI counts to" in done.stderr, done.stderr


@pytest.mark.parametrize("word", ["broadcast=3ring", "swap=none", "look_ahead=2", "n=0", "nb=0"])
def test_what_there_is_not_is_refused(linpack, word):
    done = run(linpack, word)
    assert done.returncode == 2 and word.partition("=")[0] in done.stderr


@pytest.mark.parametrize("ranks", [1, 4])
def test_every_check_fails_when_its_result_is_damaged(linpack, tmp_path, ranks):
    record = tmp_path / "record.json"
    done = start(linpack, ["verify", "--damage", "--record", str(record)], ranks)
    assert done.returncode == 3
    passed = [check["name"] for check in json.loads(record.read_text())["checks"] if check["passed"]]
    assert passed == []


def test_six_ranks_on_every_grid(linpack):
    done = start(linpack, ["verify"], 6)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("ranks", [1, 2])
def test_a_sample_of_the_panels_is_checked(linpack, ranks):
    done = run(linpack, "n=150", "nb=16", "panels=4", ranks=ranks)
    assert done.returncode == 0 and "ok     scaled residual of what is eliminated" in done.stdout


def flops(program, ranks: int, *words: str) -> dict[str, float]:
    command = [program.path, "describe", *words, "--ranks", str(ranks)]
    done = subprocess.run(command, capture_output=True, check=True, timeout=60)
    return {work["phase"]: work["flops"] for work in json.loads(done.stdout)["evaluated"]["phases"]}


def test_the_schedule_has_the_operations_that_hpl_counts(linpack):
    """2/3 n^3 to within what rows that are counted twice and triangles add: of the order n^2 nb."""
    counted = flops(linpack, 1, "n=4000", "nb=50")
    assert sum(counted.values()) - counted["generate"] == pytest.approx(2 / 3 * 4000**3, rel=0.01)


def test_samples_add_up_to_the_whole(linpack):
    words = ["n=1200", "nb=100"]
    whole, first = flops(linpack, 4, *words), flops(linpack, 4, *words, "panels=6")
    rest = flops(linpack, 4, "n=600", "nb=100")
    for phase in ("panel", "update"):
        assert first[phase] + rest[phase] == pytest.approx(whole[phase], rel=0.01)


@pytest.mark.parametrize("swap", ["binary-exchange", "spread-roll"])
def test_messages_do_not_depend_on_the_pivots(linpack, swap):
    told = []
    for seed in (1, 2):
        words = ["schedule", "n=90", "nb=8", "p=3", f"swap={swap}", f"seed={seed}", "--ranks", "3"]
        done = subprocess.run([linpack.path, *words], capture_output=True, check=True, timeout=60)
        told.append(Schedule.of(json.loads(done.stdout)).streams)
    assert told[0] == told[1]
