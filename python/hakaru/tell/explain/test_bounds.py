import pytest

from hakaru.facts.machines.machine import UNKNOWN, Machine, MemoryLevel, at_cores
from hakaru.facts.records.groups import problems
from hakaru.tell.explain import fixtures
from hakaru.tell.explain.bounds import bounds, fits_in_cache, shortest_time
from hakaru.tell.explain.phases import phases

TREE = {
    "compute": {"fma_peak": [fixtures.fact(50e9, "flop/s", cores=1), fixtures.fact(90e9, "flop/s", cores=2)]},
    "memory": {
        "bandwidth": [fixtures.fact(10e9, "B/s", kernel="triad", cores=1)],
        "bandwidth_write_allocate": [
            fixtures.fact(16e9, "B/s", kernel="copy", cores=1),
            fixtures.fact(20e9, "B/s", kernel="triad", cores=1),
            fixtures.fact(30e9, "B/s", kernel="triad", cores=2),
        ],
        "levels": [{"name": "L3", "capacity": fixtures.fact(32e6, "B")}, {"name": "memory"}],
    },
    "network": {
        "core": {"pingpong": [fixtures.fact(1e-6, "s", bytes=0), fixtures.fact(3e-6, "s", bytes=1000)]}
    },
}
MACHINE = Machine.of(TREE)


def _bounds(work, machine=MACHINE, time_s=1.0, ranks=1, memory_bytes=1e9, kind="compute"):
    repetition = fixtures.repetition({"p": [time_s] * ranks})
    work = {"memory_bytes": memory_bytes, "phases": [{"phase": "p", **work}]}
    more = {"phases": [{"name": "p", "kind": kind}], "work": work, "layout": fixtures.layout(ranks, 1)}
    group = problems([fixtures.record("a", 0, [repetition], **more)])[0].groups[0]
    parts = phases(group)
    return bounds(group, parts, machine), group, parts


def test_memory_bound_phase_by_hand():
    (bound,), group, parts = _bounds({"flops": 1e9, "bytes": 8e9, "bytes_write_allocate": 10e9})
    assert bound.limit == "memory bandwidth"
    assert bound.fraction == pytest.approx(10e9 / 20e9)
    assert (bound.flop_rate, bound.byte_rate, bound.intensity) == pytest.approx((1e9, 10e9, 0.1))
    assert (bound.peak, bound.bandwidth) == (50e9, 20e9)
    assert shortest_time(group, parts, MACHINE) == pytest.approx(0.5)
    attainable = min(bound.peak, bound.intensity * bound.bandwidth)
    assert bound.flop_rate / attainable == pytest.approx(bound.fraction)


def test_arithmetic_bound_phase():
    (bound,), *_ = _bounds({"flops": 40e9, "bytes_write_allocate": 1e9})
    assert (bound.limit, bound.fraction) == ("arithmetic", pytest.approx(0.8))


def test_without_write_allocate_counts_the_other_convention_is_used():
    (bound,), *_ = _bounds({"flops": 0, "bytes": 5e9})
    assert (bound.bandwidth, bound.fraction, bound.intensity) == (10e9, pytest.approx(0.5), None)


def test_more_than_memory_can_deliver_is_explained():
    (bound,), group, parts = _bounds({"flops": 1e9, "bytes_write_allocate": 30e9})
    assert bound.fraction == pytest.approx(1.5)
    assert "cache" in bound.note
    assert shortest_time(group, parts, MACHINE) == pytest.approx(1e9 / 50e9)


def test_a_problem_in_cache_is_not_bound_by_memory():
    (bound,), group, parts = _bounds({"flops": 1e9, "bytes_write_allocate": 10e9}, memory_bytes=30e6)
    assert fits_in_cache(group, MACHINE) and "cache" in bound.note
    assert shortest_time(group, parts, MACHINE) == pytest.approx(0.02)


def test_bounds_are_those_of_the_core_count():
    (bound,), *_ = _bounds({"flops": 1e9, "bytes_write_allocate": 10e9}, ranks=2)
    assert (bound.peak, bound.bandwidth) == (90e9, 30e9)
    assert (
        at_cores(MACHINE.facts("compute.fma_peak"), 4, "fma").note == "no fact for 4 cores, that of 2 is used"
    )


def test_peaks_are_those_of_the_precision():
    kernels = [fixtures.fact(99e9, "flop/s", kernel="fma", precision="single", cores=1)]
    machine = Machine.of({"compute": TREE["compute"] | {"kernels": kernels}})
    assert machine.peak(1).value == 50e9
    assert machine.peak(1, "single").value == 99e9
    assert MACHINE.peak(1, "single").note == "no peak in single precision, that in double is used"


def test_levels_told_by_several_probes_are_one():
    levels = [
        {"name": "L1", "latency": fixtures.fact(1e-9, "s"), "capacity_reported": fixtures.fact(32768, "B")},
        {"name": "L1", "bandwidth": [fixtures.fact(1e11, "B/s", cores=1)]},
    ]
    found = Machine.of({"memory": {"levels": levels}}).levels
    assert found == (MemoryLevel("L1", 32768, 1e-9),)


def test_messages_are_priced_as_ping_pongs():
    (bound,), *_ = _bounds({"messages": 20, "message_bytes": 10000}, time_s=1e-4, ranks=2, kind="communicate")
    assert bound.limit == "messages"
    assert bound.bound_s == pytest.approx(10 * 2e-6)
    assert bound.fraction == pytest.approx(0.2)


def test_without_a_machine_rates_remain():
    (bound,), group, parts = _bounds({"flops": 1e9, "bytes_write_allocate": 10e9}, machine=UNKNOWN)
    assert (bound.fraction, bound.limit, bound.flop_rate) == (None, "unknown", pytest.approx(1e9))
    assert shortest_time(group, parts, UNKNOWN) is None


def test_phases_without_counted_work_have_no_bound():
    assert _bounds({"flops": 0, "bytes": 0})[0] == []


@pytest.mark.parametrize(("size", "time_s"), [(0, 1e-6), (250, 1.5e-6), (1000, 3e-6), (2000, 5e-6)])
def test_ping_pong_between_measured_sizes(size, time_s):
    assert MACHINE.pingpong_s(size) == pytest.approx(time_s)
