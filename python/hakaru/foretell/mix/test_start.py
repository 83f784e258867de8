"""What launches take beside their repetitions, out of made-up launches whose start is known."""

import pytest

from hakaru.foretell.forecast import fixtures
from hakaru.foretell.mix.fixtures import launches
from hakaru.foretell.mix.start import Wanted, beside_s, start


def wanted(n: float, ranks: int = 2, nodes: int = 1) -> Wanted:
    return Wanted(ranks, 1, nodes, fixtures.evaluated(n).memory_bytes)


def test_a_start_and_a_share_of_the_memory_are_found():
    records = launches(0.6, 2e-9)
    expected_s = 0.6 + 2e-9 * fixtures.evaluated(96).memory_bytes
    times = start(records, wanted(96)).times
    assert times.usual.value == pytest.approx(expected_s) and times.any_one.value == pytest.approx(expected_s)
    assert beside_s(records[0]) == pytest.approx(0.6 + 2e-9 * records[0].work.memory_bytes)


def test_the_intervals_hold_what_they_should():
    expected_s = 0.6 + 2e-9 * fixtures.evaluated(96).memory_bytes
    found = start(launches(0.6, 2e-9, noise=0.1), wanted(96)).times
    assert found.usual.low < expected_s < found.usual.high
    assert found.any_one.low <= found.usual.low < found.usual.high <= found.any_one.high
    assert found.usual.high - found.usual.low < found.any_one.high - found.any_one.low


def test_one_size_gives_a_constant():
    times = start(launches(0.6, 0.0, sizes=(32,)), wanted(400)).times
    assert times.usual.value == pytest.approx(0.6)


def test_two_launches_say_little():
    times = start(launches(0.6, 0.0, sizes=(32,), launches=2), wanted(32)).times
    assert times.usual.low == 0.0 and times.usual.high == pytest.approx(1.2)


def test_launches_of_the_layout_count_and_others_are_said():
    both = launches(0.6, 0.0) + launches(2.0, 0.0, ranks=4)
    assert start(both, wanted(48)).times.usual.value == pytest.approx(0.6)
    assert start(both, wanted(48, ranks=4)).times.usual.value == pytest.approx(2.0)
    elsewhere = start(both, wanted(48, nodes=2))
    assert "other layouts" in elsewhere.note and 0.6 < elsewhere.times.usual.value < 2.0


def test_launches_that_nobody_timed_as_a_whole_give_nothing_and_say_so():
    found = start(fixtures.campaign(), wanted(48))
    assert found.times.usual.value == 0.0 and "is not known" in found.note
