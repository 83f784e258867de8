"""The comparison of advice with measurements: launches in turn, and a wrong advice fails."""

from types import SimpleNamespace

from hakaru.base.files import load_module
from hakaru.foretell.advise.candidates import Candidate
from hakaru.own.bench.runner import bench_folder, check_row

advise = load_module(bench_folder() / "advise.py")
FLAT, HYBRID = Candidate(1, 2, 1), Candidate(1, 1, 2)
CASE = advise.Case("heat", "n=128 steps=10", "steps=2")


def advice(best):
    return SimpleNamespace(best=SimpleNamespace(candidate=best))


def test_layouts_take_turns():
    order = []
    times = {FLAT: 2.0, HYBRID: 1.0}

    def run(one):
        order.append(one)
        return times[one]

    found = advise.measure([FLAT, HYBRID], run, launches=5)
    assert order[:4] == [FLAT, HYBRID, HYBRID, FLAT] and found[FLAT] == [2.0] * 5


def test_wrong_advice_is_beyond_the_bound():
    found = advise.measure([FLAT, HYBRID], lambda one: {FLAT: 2.0, HYBRID: 1.0}[one], launches=5)
    right, wrong = (advise.compare(CASE, advice(one), found) for one in (HYBRID, FLAT))
    check_row(right)
    assert right["value"] == 1.0 <= right["bound"] < wrong["value"] == 2.0


def test_cases_are_ten_and_run_no_longer_than_seconds():
    assert len(advise.CASES) == 10 and sum(case.lab is not None for case in advise.CASES) >= 3
    assert "lab 1.00 ms, 100 Mbit/s" in advise.CASES[-1].name
