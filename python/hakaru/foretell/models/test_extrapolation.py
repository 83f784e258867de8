import pytest

from hakaru.facts.records.record import Cache
from hakaru.foretell.models import chosen_layout, judge, memory_level, parse, predict, refusal
from hakaru.foretell.models.fixtures import SOLVER_KINDS, solver_observed, solver_work
from hakaru.foretell.models.observations import Point

SIZES = (32.0, 48.0, 64.0, 96.0)
CACHES = [
    Cache(1, "data", 32768, 1),
    Cache(1, "instruction", 32768, 1),
    Cache(2, "unified", 2**20, 1),
    Cache(3, "unified", 32 * 2**20, 2),
]


def target(size, ranks=2, threads=1, memory_bytes=None):
    return Point(size, ranks, threads, solver_work(size, ranks), memory_bytes=memory_bytes)


def verdict(points, wanted, growth=None, **facts):
    observations = chosen_layout(solver_observed(points, 0.005, 3), wanted)
    return judge(predict(observations, wanted, SOLVER_KINDS, growth), observations, wanted, growth, **facts)


def test_within_reach_is_ok_and_says_how_far():
    found = verdict([(size, 2, 1) for size in SIZES], target(128.0))
    assert found.flag == "ok"
    assert found.factor == pytest.approx((128 / 96) ** 3, rel=0.01)
    assert "2.37 times the work" in found.reason
    assert "rests on no jump in cost beyond the measured sizes" in found.reason


def test_inside_the_measured_range():
    found = verdict([(size, 2, 1) for size in SIZES], target(80.0))
    assert (found.flag, found.reason) == ("ok", "inside the measured range")


def test_far_in_work_is_flagged():
    assert "more than 16" in verdict([(size, 2, 1) for size in SIZES], target(288.0)).reason


def test_reaching_further_than_the_data_span_is_flagged():
    found = verdict([(size, 2, 1) for size in (64.0, 72.0, 80.0)], target(144.0))
    assert found.flag == "far" and "while they span" in found.reason


def test_layout_never_run_and_layout_with_few_sizes_are_flagged():
    points = [(size, ranks, 1) for size in SIZES for ranks in (1, 2)]
    assert "4 ranks x 1 thread never ran" in verdict(points, target(96.0, 4)).reason
    assert "4 ranks x 1 thread ran 1 size only" in verdict([*points, (32.0, 4, 1)], target(96.0, 4)).reason


def test_own_layout_is_used_alone_when_it_has_three_sizes():
    observations = solver_observed([(size, ranks, 1) for size in SIZES[:3] for ranks in (1, 2)], 0.01, 1)
    assert {one.point.ranks for one in chosen_layout(observations, target(128.0, 2))} == {2}
    assert len(chosen_layout(observations, target(128.0, 4))) == 6


def test_more_cores_than_the_machine_has_is_flagged():
    assert (
        "8 cores where the measured machine has 2"
        in verdict(
            [(size, ranks, 1) for size in SIZES for ranks in (1, 2)], target(96.0, 8), cpus_online=2
        ).reason
    )


def test_leaving_the_cache_of_all_runs_is_flagged():
    points = [(size, 2, 1) for size in (32.0, 48.0, 64.0, 80.0)]
    inside, outside = (
        verdict(points, target(100.0, memory_bytes=size), caches=CACHES) for size in (30e6, 60e6)
    )
    assert inside.flag == "ok"
    assert outside.flag == "far" and "its data live in memory" in outside.reason


@pytest.mark.parametrize(
    ("memory_bytes", "cores", "level"),
    [
        (20e3, 1, "L1"),
        (60e3, 2, "L1"),
        (100e3, 1, "L2"),
        (30e6, 2, "L3"),
        (40e6, 2, "memory"),
        (40e6, 4, "L3"),
        (1e12, 1, "memory"),
    ],
)
def test_memory_level(memory_bytes, cores, level):
    assert memory_level(Point(1.0, cores, 1, memory_bytes=memory_bytes), CACHES) == level


def test_level_is_unknown_without_caches_or_memory():
    assert memory_level(Point(1.0, memory_bytes=1e6), []) is None
    assert memory_level(Point(1.0), CACHES) is None


def test_refusals():
    two = solver_observed([(size, 2, 1) for size in SIZES[:2]], 0.01, 1)
    four = solver_observed([(size, 2, 1) for size in SIZES], 0.01, 1)
    assert refusal([], target(64.0), None) == "no run to rest on"
    assert "2 sizes measured, 3 are needed" in refusal(two, target(96.0), None)
    assert refusal(two, target(96.0), parse("N^3")) is None
    assert refusal(four, target(128.0), None) is None
    assert "the most that is extrapolated" in refusal(four, target(3000.0), None)
    assert refusal(four, target(3000.0), parse("N^3")) is None
    assert "GB of memory" in refusal(four, target(128.0, memory_bytes=4e10), parse("N^3"), 2e10)


def test_a_size_that_ran_needs_no_other():
    one = solver_observed([(64.0, 2, 1)], 0.01, 1)
    assert refusal(one, target(64.0), None) is None
    found = predict(one, target(64.0), SOLVER_KINDS)
    assert found.time_s.value == pytest.approx(one[0].totals()[0], rel=0.1)
