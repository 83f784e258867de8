"""Launches with meters: counters that begin again, powers that change, meters that fail; with clocks that are made up where time counts."""

import itertools
import time

import pytest

from hakaru.facts.records.power import Power, Reading
from hakaru.run.power import metering
from hakaru.run.power.command import VARIABLE
from hakaru.run.power.made_up import MadeUpNode
from hakaru.run.power.meter import Meter
from hakaru.run.power.metering import Track, look_s, metered


def meter(values, counts="energy", step_s=1e-3, range_j=None):
    """One that says these values, one a reading; an exception is raised."""
    said = iter(values)

    def read():
        value = next(said)
        if isinstance(value, Exception):
            raise value
        return value

    return Meter("package", "made up", counts, read, step_s, range_j)


def tracked(values, moments=None, **more):
    clock = iter(moments if moments is not None else itertools.count())
    track = Track(meter(values, **more), lambda: next(clock))
    for _ in values:
        track.look()
    return track


def test_a_counter():
    reading = tracked([100.0, 130.0, 180.0]).reading(2.0)
    assert (reading.joules, reading.watts) == (80.0, 40.0)


def test_a_counter_that_begins_again():
    """Twice, with readings between."""
    range_j = 100_000.0
    reading = tracked([90_000.0, 10_000.0, 95_000.0, 5_000.0], range_j=range_j).reading(3.0)
    assert reading.joules == pytest.approx(20_000.0 + 85_000.0 + 10_000.0)


def test_a_counter_that_begins_again_without_a_range_is_not_believed():
    assert "went back" in tracked([90.0, 10.0]).reading(1.0)
    assert "went back" in tracked([90_000.0, -20_000.0], range_j=100_000.0).reading(1.0)


def test_a_counter_that_may_have_begun_again_twice_is_not_believed():
    late = tracked([0.0, 50_000.0], moments=[0.0, 100.0], range_j=100_000.0)
    assert "more than once" in late.reading(100.0)


@pytest.mark.parametrize("range_j", [1_000.0, 65_532.6, 262_143.3, None])
def test_counters_are_looked_at_often_enough(range_j):
    one = meter([], range_j=range_j)
    assert look_s(one) <= metering.LONGEST_LOOK_S
    assert range_j is None or look_s(one) * metering.MOST_W < range_j


def test_powers_by_the_trapezoid_rule():
    """Also where readings are not evenly apart."""
    reading = tracked([100.0, 200.0, 200.0], moments=[0.0, 1.0, 4.0], counts="power").reading(4.0)
    assert reading.joules == pytest.approx(150.0 + 600.0) and reading.watts == pytest.approx(187.5)


def test_what_passes_before_and_after_the_launch_is_not_counted():
    reading = tracked([0.0, 120.0], moments=[0.0, 1.2]).reading(1.0)
    assert (reading.joules, reading.watts) == (pytest.approx(100.0), pytest.approx(100.0))


@pytest.mark.parametrize(
    ("values", "more", "seconds", "why"),
    [
        ([5.0, 5.0], {}, 1.0, "it did not move"),
        ([5.0, OSError(5, "Input/output error")], {}, 1.0, "Input/output error"),
        ([5.0, ValueError("nonsense"), 9.0], {}, 1.0, "nonsense"),
        (
            [200.0, 200.0],
            {"counts": "power", "step_s": 1.0},
            2.0,
            "the launch took 2 s, and it says something about 5 s",
        ),
    ],
)
def test_a_meter_that_says_nothing_says_why(values, more, seconds, why):
    assert why in tracked(values, **more).reading(seconds)


def test_a_launch_between_two_readings_of_a_made_up_counter(tmp_path):
    node = MadeUpNode(tmp_path)
    counter = node.zone("intel-rapl:0", "package-0", 999_000_000_000, 1_000_000_000_000)
    memory = node.zone("intel-rapl:0:0", "dram", 50_000_000)
    began = time.monotonic()
    with metered(place=node.place) as meters:
        time.sleep(0.02)
        counter.write_text("1000000000\n")  # 2 kJ later, from the beginning again
        memory.write_text("550000000\n")
    share = meters.power.seconds / (
        time.monotonic() - began
    )  # of the readings' moments, which lie outside of the launch
    joules = {one.scope: one.joules for one in meters.power.readings}
    assert 2000.0 * share <= joules["package"] <= 2000.0 and 500.0 * share <= joules["memory"] <= 500.0
    assert meters.power.total.scope == "package and memory"
    assert meters.power.total.joules == pytest.approx(sum(joules.values()))
    assert meters.power.unavailable == ""


def test_a_power_that_is_sampled_while_the_launch_runs(tmp_path):
    node = MadeUpNode(tmp_path)
    file = node.sensor(0, "power_meter", "power1_average", 100_000_000, power1_average_interval=50)
    with metered(place=node.place) as meters:
        time.sleep(0.2)
        file.write_text("300000000\n")
        time.sleep(0.2)
    [reading] = meters.power.readings
    assert reading.scope == "node" and 110.0 < reading.watts < 290.0
    assert reading.joules == pytest.approx(reading.watts * meters.power.seconds)


def test_a_fake_command_that_counts(tmp_path):
    node = MadeUpNode(tmp_path)
    said = node.write("said", "1000 J")
    node.variables[VARIABLE] = str(node.command("meter", f"cat {said}"))
    began = time.monotonic()
    with metered(place=node.place) as meters:
        time.sleep(0.6)
        node.write("said", "1060 J")
    share = meters.power.seconds / (time.monotonic() - began)
    assert 60.0 * share <= meters.power.total.joules <= 60.0 and meters.power.total.scope == "node"


def test_without_a_meter_there_is_a_reason_and_no_thread(tmp_path):
    node = MadeUpNode(tmp_path)
    with metered(place=node.place) as meters:
        pass
    assert meters.power.readings == () and meters.power.unavailable.startswith("no meter found: ")
    assert meters.power.words.startswith("not available (") and meters.power.total is None


def test_ranks_on_other_nodes(tmp_path):
    node = MadeUpNode(tmp_path)
    node.zone("intel-rapl:0", "package-0", 1)
    with metered(2, node.place) as meters:
        pass
    assert meters.power.readings == () and "2 nodes" in meters.power.unavailable


def test_a_launch_that_is_interrupted_leaves_no_thread(tmp_path):
    import threading

    node = MadeUpNode(tmp_path)
    node.sensor(0, "power_meter", "power1_average", 1_000_000, power1_average_interval=50)
    before = threading.active_count()
    with pytest.raises(KeyboardInterrupt), metered(place=node.place):
        assert threading.active_count() == before + 1
        raise KeyboardInterrupt
    assert threading.active_count() == before


def power(*readings):
    rows = [
        Reading(scope=scope, source=source, joules=joules, watts=joules) for scope, source, joules in readings
    ]
    return Power(seconds=1.0, readings=tuple(rows))


@pytest.mark.parametrize(
    ("readings", "joules", "scope"),
    [
        ([("package", "powercap 0", 3.0), ("package", "powercap 1", 4.0)], 7.0, "package"),
        ([("package", "powercap 0", 3.0), ("memory", "powercap 0", 1.0)], 4.0, "package and memory"),
        ([("package", "powercap 0", 3.0), ("package", "hwmon 0", 3.1)], 3.0, "package"),
        ([("package", "powercap 0", 3.0), ("node", "ipmi dcmi", 9.0)], 9.0, "node"),
        ([("node", "cray energy", 9.0), ("node", "ipmi dcmi", 9.5)], 9.0, "node"),
        ([("package", "command x", 2.0), ("node", "ipmi dcmi", 9.0)], 2.0, "package"),
    ],
)
def test_nothing_is_counted_twice(readings, joules, scope):
    total = power(*readings).total
    assert (total.joules, total.scope) == (joules, scope)


def test_parts_are_no_whole():
    parts = power(("other", "hwmon amdgpu PPT", 3.0), ("memory", "cray memory_energy", 1.0))
    assert parts.total is None and parts.why_not == "only parts of the node have meters"
