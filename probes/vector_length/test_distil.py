"""Facts from synthetic records of the probe ``vector_length``, whose truth is known."""

from pathlib import Path

import pytest

from hakaru.base.files import load_module
from hakaru.facts.machines import validate
from hakaru.facts.records import Record
from hakaru.facts.records.fixtures import changed, probed, table

distiller = load_module(Path(__file__).with_name("distil.py"))

LENGTHS = [2**power for power in range(4, 18)]
START_S, ELEMENT_S, REGION_S = 8e-9, 0.25e-9, 1e-6


def record(identity="v1", bend=0.0, threads=True) -> Record:
    """8 ns and a quarter of one for each element, so n_1/2 = 32; a region of two threads costs a microsecond more. Beyond L1 all is ten times slower.
    ``bend``: every second length is so much slower."""
    rows = []
    for sample in range(5):
        for place, n in enumerate(LENGTHS):
            slow = (10.0 if 16 * n > 32768 else 1.0) * (1.0 + bend * (place % 2)) * (1.0 + 0.001 * sample)
            one = slow * (START_S + ELEMENT_S * n)
            ways = [("one", 1, 1, one)]
            if threads:
                ways += [("inner", 2, 1, REGION_S + one / 2), ("outer", 2, 2, 2 * (REGION_S / 2 + one / 2))]
            rows += [
                ["daxpy", "C++", way, cores, n, 16 * n, sample, 10, vectors, 10 * seconds, 2 * n]
                for way, cores, vectors, seconds in ways
            ]
    names = "kernel language way cores length bytes sample passes vectors seconds operations"
    return probed(identity, table("vectors", names, rows))


def vector(*records: Record) -> dict:
    return distiller.distil(list(records))["compute"]["vector"]


def test_hockneys_numbers_are_recovered_from_what_fits_into_l1():
    found = vector(record())
    (rate,), (half,) = found["r_inf"], found["n_half"]
    assert rate["value"] == pytest.approx(2 / ELEMENT_S, rel=0.01) and rate["unit"] == "flop/s"
    assert half["value"] == pytest.approx(START_S / ELEMENT_S, rel=0.01)
    assert rate["residual"] < 0.01 and rate["kernel"] == "daxpy"
    assert "findings" not in found


def test_a_fit_that_misses_is_no_fact_but_is_told():
    found = vector(record(bend=1.0))
    assert "r_inf" not in found and "n_half" not in found
    (finding,) = found["findings"]
    assert "daxpy in C++" in finding["value"] and "misses" in finding["value"]


def test_threads_pay_from_a_length_on():
    """In L1 a vector takes at most half a region's microsecond, and beyond ten times longer: both ways pay from the first length beyond."""
    found = {fact["way"]: fact["value"] for fact in vector(record())["break_even"]}
    assert 2048 < found["outer"] < found["inner"] < 4096


@pytest.mark.parametrize(
    ("gains", "length"),
    [
        ([0.5, 0.5, 2.0, 2.0], 32 * 2**0.5),
        ([2.0, 2.0, 2.0, 2.0], 16),
        ([0.9, 0.9, 0.9, 0.9], None),
        ([2.0, 0.9, 0.9, 0.9], None),
    ],
)
def test_the_length_lies_between_the_last_loss_and_the_next_gain(gains, length):
    one = {16 * 2**i: 1.0 for i in range(4)}
    other = {n: 1.0 / gain for n, gain in zip(one, gains, strict=True)}
    found = distiller.break_even(one, other)
    assert found is None if length is None else found == pytest.approx(length)


def test_parts_without_a_gain_outvote_the_others():
    one = {16: [1.0, 1.0, 1.0], 32: [1.0, 1.0, 1.0]}
    assert distiller.break_evens(one, {16: [2.0, 2.0, 2.0], 32: [0.5, 2.0, 2.0]}) == []
    assert len(distiller.break_evens(one, {16: [2.0, 2.0, 2.0], 32: [0.5, 0.5, 2.0]})) == 2


def test_a_disturbed_time_turns_neither_line_nor_length():
    times = {n: START_S + ELEMENT_S * n for n in LENGTHS[:8]}
    line = distiller.fitted(times | {256: 3 * times[256]})
    assert line.rate == pytest.approx(1 / ELEMENT_S, rel=0.02) and line.residual > 0.5
    one = {16 * 2**i: 1.0 for i in range(6)}
    gains = [0.5, 0.5, 2.0, 2.0, 0.9, 2.0]
    other = {n: 1.0 / gain for n, gain in zip(one, gains, strict=True)}
    assert distiller.break_even(one, other) == pytest.approx(32 * 2**0.5)


def test_the_least_of_a_part_of_the_samples_counts():
    times = {16: [3.0, 2.0, 9.0, 1.0, 8.0, 7.0]}
    assert [distiller.least(times, part, 3)[16] for part in range(3)] == [1.0, 2.0, 7.0]
    assert distiller.parts_of(times) == 3 and distiller.parts_of({16: [1.0]}) == 1


def test_few_or_falling_times_have_no_line():
    assert distiller.fitted({16: 1.0, 32: 2.0, 64: 4.0}) is None
    assert distiller.fitted({16: 4.0, 32: 3.0, 64: 2.0, 128: 1.0}) is None


def test_one_core_has_no_break_even():
    assert "break_even" not in vector(record(threads=False))


def test_nothing_usable_gives_no_facts():
    assert distiller.distil([]) == {}
    assert distiller.distil([changed(record(), status="failed")]) == {}


def test_the_machine_file_accepts_it():
    head = {"schema": "hakaru/machine/1", "name": "m", "kind": "measured", "date": "2026"}
    validate({**head, **distiller.distil([record()])})
    validate({**head, **distiller.distil([record(bend=1.0)])})
