"""A level refined by single messages and windows gives exactly these in the engine, at and between the sizes measured."""

import pytest

from hakaru.foretell.replay import measured
from hakaru.foretell.replay.measured import as_set, at, one_way_s, refine

PLAIN = {
    "latency_s": 1e-7,
    "eager_limit_bytes": 3000,
    "send_overhead": [
        {"minimum_bytes": 0, "maximum_bytes": 511, "value_s": 5e-8},
        {"minimum_bytes": 512, "maximum_bytes": None, "value_s": 1.8e-7},
    ],
    "receive_overhead": [{"minimum_bytes": 0, "maximum_bytes": None, "value_s": 6e-8}],
    "gap": [{"minimum_bytes": 0, "maximum_bytes": None, "value_s": 1e-7}],
    "gap_per_byte": [{"minimum_bytes": 0, "maximum_bytes": None, "value_s": 1e-10}],
}
PINGPONG = [(0, 2.1e-7), (1, 2.2e-7), (1024, 4e-7), (4096, 3.1e-6), (65536, 9e-6), (1 << 26, 8e-3)]
WINDOW = [(0, 1e-7), (1, 1.1e-7), (1024, 2e-7), (4096, 2.5e-6), (65536, 7e-6)]
SIZES = [0, 1, 8, 511, 512, 1000, 1024, 2999, 3000, 3001, 4096, 5000, 65536, 10**6, 1 << 26, 2_300_000_000]


def later(document, size):
    points = [(point["bytes"], point["value_s"]) for point in document["later"]]
    return points[-1][1] if size >= points[-1][0] else at(points, size)


def turn_s(document, size):
    return measured._value(document["gap"], size) + measured._value(document["gap_per_byte"], size) * max(
        size - 1, 0
    )


@pytest.mark.parametrize("size", SIZES)
def test_a_single_message_takes_what_was_measured(size):
    document = refine(PLAIN, PINGPONG, WINDOW)
    assert one_way_s(document, size) + later(document, size) == pytest.approx(at(PINGPONG, size), rel=1e-9)


@pytest.mark.parametrize("size", [size for size in SIZES if size <= 65536])
def test_messages_of_a_window_take_what_was_measured(size):
    document = refine(PLAIN, PINGPONG, WINDOW)
    assert turn_s(document, size) == pytest.approx(at(WINDOW, size), rel=1e-9)
    for name in ("send_overhead", "receive_overhead"):
        assert measured._value(document[name], size) <= at(WINDOW, size) * (1 + 1e-9)


def test_a_single_call_that_costs_much_more_than_one_of_many_keeps_its_cost():
    slow = PLAIN | {"send_overhead": [{"minimum_bytes": 0, "maximum_bytes": None, "value_s": 25e-6}]}
    document = refine(slow, PINGPONG, WINDOW)
    assert document["send_overhead"] == slow["send_overhead"]
    assert one_way_s(document, 8) + later(document, 8) == pytest.approx(at(PINGPONG, 8))


def test_beyond_the_window_turns_grow_as_long_messages_do():
    document = refine(PLAIN, PINGPONG, WINDOW)
    slope = (PINGPONG[-1][1] - PINGPONG[-2][1]) / (PINGPONG[-1][0] - PINGPONG[-2][0])
    grown = turn_s(document, 2_300_000_000) - turn_s(document, 65536)
    assert grown == pytest.approx(slope * (2_300_000_000 - 65536), rel=1e-6)


def test_without_the_curves_nothing_changes():
    assert refine(PLAIN, [], WINDOW) == PLAIN and refine(PLAIN, PINGPONG, []) == PLAIN


def test_facts_that_are_set_change_their_own_part_only():
    refined = refine(PLAIN, PINGPONG, WINDOW)
    assert as_set(refined, PLAIN, PLAIN) == refined
    slower = PLAIN | {"latency_s": 1.1e-6}
    found = as_set(refined, PLAIN, slower)
    assert one_way_s(found, 8) - one_way_s(refined, 8) == pytest.approx(1e-6)
    assert found["later"] == refined["later"]
    halved = PLAIN | {"gap_per_byte": [PLAIN["gap_per_byte"][0] | {"value_s": 5e-11}]}
    assert as_set(refined, PLAIN, halved)["gap_per_byte"][-1]["value_s"] == pytest.approx(
        0.5 * refined["gap_per_byte"][-1]["value_s"]
    )
    replaced = PLAIN | {"send_overhead": [{"minimum_bytes": 0, "maximum_bytes": None, "value_s": 0.0}]}
    assert as_set(refined, PLAIN, replaced)["send_overhead"] == replaced["send_overhead"]
