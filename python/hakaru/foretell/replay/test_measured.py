"""A level refined by single messages and windows gives exactly these in the engine, at and between the sizes measured."""

import pytest
from msgspec.structs import replace

from hakaru.foretell.replay.documents.network import Level, SizeClass, at_size
from hakaru.foretell.replay.measured import alone, as_set, at, one_way_s, refine, stepping


def pieces(*classes):
    return tuple(
        SizeClass(minimum_bytes=low, maximum_bytes=high, value_s=value) for low, high, value in classes
    )


PLAIN = Level(
    latency_s=1e-7,
    eager_limit_bytes=3000,
    send_overhead=pieces((0, 511, 5e-8), (512, None, 1.8e-7)),
    receive_overhead=pieces((0, None, 6e-8)),
    gap=pieces((0, None, 1e-7)),
    gap_per_byte=pieces((0, None, 1e-10)),
)
PINGPONG = [(0, 2.1e-7), (1, 2.2e-7), (1024, 4e-7), (4096, 3.1e-6), (65536, 9e-6), (1 << 26, 8e-3)]
WINDOW = [(0, 1e-7), (1, 1.1e-7), (1024, 2e-7), (4096, 2.5e-6), (65536, 7e-6)]
SINGLE, MANY = (stepping(points, PLAIN.eager_limit_bytes) for points in (PINGPONG, WINDOW))
SIZES = [0, 1, 8, 511, 512, 1000, 1024, 2999, 3000, 3001, 4096, 5000, 65536, 10**6, 1 << 26, 2_300_000_000]


def later(level, size):
    points = [(point.bytes, point.value_s) for point in level.later]
    return points[-1][1] if size >= points[-1][0] else at(points, size)


def turn_s(level, size):
    return at_size(level.gap, size) + at_size(level.gap_per_byte, size) * max(size - 1, 0)


def test_the_curves_step_at_the_eager_limit():
    """At 3.9 ms: 32 KiB take one latency and 64 KiB three; half-way there is no message of two."""
    measured = [(16384, 4.05e-3), (32768, 4.13e-3), (65536, 12.2e-3), (131072, 12.6e-3)]
    curve = stepping(measured, 60000)
    assert at(curve, 59999) == pytest.approx(4.13e-3 + 0.08e-3 * (59999 - 32768) / 16384, rel=1e-9)
    assert at(curve, 60001) == pytest.approx(12.2e-3 - 0.4e-3 * (65536 - 60001) / 65536, rel=1e-9)
    assert [at(curve, size) for size, _ in measured] == [seconds for _, seconds in measured]
    assert stepping(measured, None) == stepping(measured, 200000) == stepping(measured, 20000) == measured
    level = alone(replace(PLAIN, latency_s=3.9e-3, eager_limit_bytes=60000), measured)
    assert one_way_s(level, 50000) + later(level, 50000) < 4.3e-3


def test_one_size_beyond_the_eager_limit_does_not_make_bytes_slow():
    """At 1.6 ms and 90 Mbit/s: 64 KiB take two latencies more than the eager sizes, and 1 MiB no more than that beside its bytes."""
    measured, per_byte = (
        [(4096, 2.037e-3), (16384, 3.142e-3), (65536, 10.877e-3)],
        (3.142e-3 - 2.037e-3) / 12288,
    )
    limit = 65472
    curve = stepping(measured, limit)
    assert at(curve, 1 << 20) == pytest.approx(10.877e-3 + per_byte * ((1 << 20) - 65536), rel=1e-9)
    assert at(curve, limit) == pytest.approx(3.142e-3 + per_byte * (limit - 16384), rel=1e-9)
    level = refine(
        replace(PLAIN, latency_s=1.57e-3, eager_limit_bytes=limit), measured, [(8, 2e-5), (4096, 3.7e-4)]
    )
    assert level.gap_per_byte[-1].value_s == pytest.approx(per_byte, rel=1e-9)


@pytest.mark.parametrize("size", SIZES)
def test_a_single_message_takes_what_was_measured(size):
    level = refine(PLAIN, PINGPONG, WINDOW)
    assert one_way_s(level, size) + later(level, size) == pytest.approx(at(SINGLE, size), rel=1e-9)


@pytest.mark.parametrize("size", SIZES)
def test_a_single_message_takes_what_was_published_of_it_alone(size):
    level = alone(PLAIN, PINGPONG)
    assert one_way_s(level, size) + later(level, size) == pytest.approx(at(SINGLE, size), rel=1e-9)
    assert turn_s(level, size) == turn_s(PLAIN, size)
    slower = alone(PLAIN, [(bytes_, 2.0 * time_s) for bytes_, time_s in PINGPONG])
    assert later(slower, size) > later(level, size)


@pytest.mark.parametrize("size", [size for size in SIZES if size <= 65536])
def test_messages_of_a_window_take_what_was_measured(size):
    level = refine(PLAIN, PINGPONG, WINDOW)
    assert turn_s(level, size) == pytest.approx(at(MANY, size), rel=1e-9)
    for name in ("send_overhead", "receive_overhead"):
        assert at_size(getattr(level, name), size) <= at(MANY, size) * (1 + 1e-9)


def test_a_single_call_that_costs_much_more_than_one_of_many_keeps_its_cost():
    far = [(size, seconds + 50e-6) for size, seconds in PINGPONG]
    slow = replace(PLAIN, send_overhead=pieces((0, None, 25e-6)))
    level = refine(slow, far, WINDOW)
    assert level.send_overhead == slow.send_overhead
    assert one_way_s(level, 8) + later(level, 8) == pytest.approx(at(far, 8))


def test_calls_that_take_longer_than_a_whole_message_are_not_believed():
    """Isolated sends of 1 KiB that took 1.13 us on a host where the whole message takes 0.4 us and one of many 0.2 us."""
    slow = replace(PLAIN, send_overhead=pieces((0, 511, 5e-8), (512, None, 1.13e-6)))
    level = refine(slow, PINGPONG, WINDOW)
    assert at_size(level.send_overhead, 1024) <= at(WINDOW, 1024)
    assert at_size(level.send_overhead, 8) == 5e-8
    assert one_way_s(level, 1024) + later(level, 1024) == pytest.approx(at(PINGPONG, 1024))


def test_beyond_the_window_turns_grow_as_long_messages_do():
    level = refine(PLAIN, PINGPONG, WINDOW)
    slope = (PINGPONG[-1][1] - PINGPONG[-2][1]) / (PINGPONG[-1][0] - PINGPONG[-2][0])
    grown = turn_s(level, 2_300_000_000) - turn_s(level, 65536)
    assert grown == pytest.approx(slope * (2_300_000_000 - 65536), rel=1e-6)


def test_without_the_curves_nothing_changes():
    assert refine(PLAIN, [], WINDOW) == PLAIN and refine(PLAIN, PINGPONG, []) == PLAIN


def test_facts_that_are_set_change_their_own_part_only():
    refined = refine(PLAIN, PINGPONG, WINDOW)
    assert as_set(refined, PLAIN, PLAIN) == refined
    slower = replace(PLAIN, latency_s=1.1e-6)
    found = as_set(refined, PLAIN, slower)
    assert one_way_s(found, 8) - one_way_s(refined, 8) == pytest.approx(1e-6)
    assert found.later == refined.later
    halved = replace(PLAIN, gap_per_byte=pieces((0, None, 5e-11)))
    assert as_set(refined, PLAIN, halved).gap_per_byte[-1].value_s == pytest.approx(
        0.5 * refined.gap_per_byte[-1].value_s
    )
    replaced = replace(PLAIN, send_overhead=pieces((0, None, 0.0)))
    assert as_set(refined, PLAIN, replaced).send_overhead == replaced.send_overhead
