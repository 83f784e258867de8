"""What the launches of probes of messages count for."""

import pytest

from hakaru.facts.machines.by_launch import ENOUGH_LAUNCHES, over_launches

FAST, SLOW = 1e-7, 1.5e-7


def test_facts_of_a_host_with_two_speeds_lie_between_them_as_what_programs_take_does():
    launches = [[SLOW, SLOW, SLOW, FAST, FAST], [FAST, FAST, FAST, SLOW, SLOW]] * 4
    found = over_launches(launches, "s", ["one"], bytes=8)
    assert FAST < found["value"] < SLOW and found["low"] <= found["value"] <= found["high"]
    assert (found["samples"], found["bytes"], found["unit"]) == (len(launches), 8, "s")


def test_one_disturbed_launch_does_not_carry_them_away():
    calm = [[FAST] * 5 for _ in range(ENOUGH_LAUNCHES)]
    assert over_launches([*calm, [40.0 * FAST] * 5], "s", ["one"])["value"] == pytest.approx(FAST)


def test_of_few_launches_all_samples_count():
    found = over_launches([[1.0, 2.0], [], [9.0]], "s", ["one", "two"])
    assert (found["value"], found["samples"]) == (2.0, 3)
