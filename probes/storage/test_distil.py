"""Facts out of synthetic records whose truth is known."""

from pathlib import Path

import pytest

from hakaru.base.files import load_module
from hakaru.facts.machines import validate
from hakaru.facts.records import Record
from hakaru.facts.records.fixtures import probed, table

distil = load_module(Path(__file__).with_name("distil.py"))
AMOUNTS = ((1, 4096), (256, 4096), (8, 1 << 20))
TRUTH = {"own": (1e-4, 2e-6, 1e9), "master": (5e-5, 1e-5, 4e8)}  # open in s, a call in s, B/s of all ranks
RANKS = 2


def seconds(way: str, calls: int, size: int) -> float:
    opened, call, bandwidth = TRUTH[way]
    return opened + calls * call + RANKS * calls * size / bandwidth


def make_record(status: str = "ok", noise: float = 0.0, amounts=AMOUNTS) -> Record:
    rows = [
        [way, "parts", RANKS, calls, size, file, seconds(way, calls, size) * (1 + noise * (file - 3))]
        for file in range(7)
        for way in TRUTH
        for calls, size in amounts
    ]
    return probed("r1", table("ways", "way pattern ranks calls bytes file seconds", rows), status=status)


@pytest.mark.parametrize("noise", [0.0, 0.02])
def test_ways_cost_what_was_put_in(noise):
    tree = distil.distil([make_record(noise=noise)])
    ways = tree["storage"]["ways"]
    for number, name in enumerate(("open", "call", "bandwidth")):
        found = {one["way"]: one["value"] for one in ways[name]}
        assert found == {way: pytest.approx(TRUTH[way][number], rel=1e-6) for way in TRUTH}, name
        assert all(one["ranks"] == RANKS and one["pattern"] == "parts" for one in ways[name])
    head = {"schema": "hakaru/machine/1", "name": "m", "kind": "measured", "date": "2026"}
    validate({**head, **tree})


def test_failed_records_are_no_facts():
    assert distil.distil([make_record(status="failed")]) == {}


def test_amounts_that_do_not_tell_them_apart_are_no_facts():
    assert distil.distil([make_record(amounts=((1, 4096), (1, 4096), (8, 4096)))]) == {}


def test_times_that_no_cost_explains_are_not_negative():
    found = distil.fitted([(1, 4096, 1.0), (256, 4096, 0.5), (8, 1 << 20, 0.2)], 2)
    assert min(found.values()) >= 0.0


def test_the_truth_lies_in_the_interval_of_noisy_files():
    tree = distil.distil([make_record(noise=0.02)])
    for number, name in enumerate(("open", "call", "bandwidth")):
        for one in tree["storage"]["ways"][name]:
            truth = TRUTH[one["way"]][number]
            assert (
                one["low"] * (1 - 1e-9) <= truth <= one["high"] * (1 + 1e-9) and one["low"] < one["high"]
            ), name
