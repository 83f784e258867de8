"""Computing carried between machines: by the memory what traffic explains, by the core the rest; damage to a fact shows."""

from math import sqrt

import pytest

from hakaru.base.errors import UserError
from hakaru.facts.machines import Machine, known_machines
from hakaru.foretell.replay.carried import Share, carried, faster_memory, share_of

HERE = Share(bytes_per_s=20e9, flops_per_s=50e9, clock_hz=3e9)
THERE = Share(bytes_per_s=10e9, flops_per_s=100e9, clock_hz=2e9)
CORE = sqrt(0.5 * 1.5)


def of(name):
    return Machine.load(known_machines()[name])


def test_all_traffic_goes_with_the_memory():
    told = carried(4.0, 80e9, HERE, THERE)
    assert (told.low, told.value, told.high) == pytest.approx((8.0, 8.0, 8.0))
    assert carried(4.0, 800e9, HERE, THERE) == told, "no more than the time can be traffic"


def test_no_traffic_goes_with_the_core():
    told = carried(4.0, 0.0, HERE, THERE)
    assert (told.low, told.value, told.high) == pytest.approx((2.0, 4.0 * CORE, 6.0))


def test_half_of_each():
    assert carried(4.0, 40e9, HERE, THERE).value == pytest.approx(2.0 * 2.0 + 2.0 * CORE)


def test_unknown_traffic_lies_between_both():
    told = carried(4.0, None, HERE, THERE)
    assert (told.low, told.value, told.high) == pytest.approx((2.0, 4.0 * sqrt(2.0 * CORE), 8.0))


def test_a_clock_that_nobody_says_leaves_the_peak():
    told = carried(4.0, 0.0, HERE, Share(10e9, 100e9))
    assert told.low == told.value == told.high == pytest.approx(2.0)


def test_the_fullest_memory_node_decides():
    machine = of("rrze-clustera-icelake")
    for ranks in (18, 27, 72, 720):
        share = share_of(machine, ranks)
        assert share.bytes_per_s == pytest.approx(76.5e9 / 18)
        assert share.flops_per_s == pytest.approx(5.53e12 / 72)
    assert share_of(machine, 1).bytes_per_s == pytest.approx(19.48e9)
    assert share_of(machine, 4).bytes_per_s == pytest.approx(58.73e9 / 4)


def test_damage_to_a_fact_of_memory_shows():
    machine = of("rrze-clusterb-sapphire")
    before, after = (
        carried(4.0, 40e9, HERE, share_of(one, 104)).value for one in (machine, faster_memory(machine, 0.5))
    )
    assert after > 1.2 * before


@pytest.mark.parametrize("path", ["compute.peak", "memory.bandwidth"])
def test_a_missing_fact_is_named(path):
    machine = of("rrze-clustera-icelake").without(path)
    with pytest.raises(UserError, match=f"does not say .*{path}"):
        share_of(machine, 4)
