"""Sixteen cores that behave as eight, as one virtual machine's did, and cores that only slow down."""

import pytest

from hakaru.facts.machines import Machine
from hakaru.facts.machines.fact import Fact
from hakaru.facts.machines.hidden_threads import hidden_threads
from hakaru.facts.machines.show import print_machine

EMPTY = {
    "schema": "hakaru/machine/1",
    "name": "there",
    "description": "made up",
    "kind": "measured",
    "date": "2026-11-27",
}


def rates(unit, one, each_of_16, **keys):
    return [
        Fact(value=cores * rate, unit=unit, source="made up", keys={"cores": cores, **keys})
        for cores, rate in ((1, one), (16, each_of_16))
    ]


def machine(fma=37e9, cache=163e9):
    made = Machine.of(EMPTY).with_facts("compute.fma_peak", rates("flop/s", 74e9, fma, precision="double"))
    sets = rates("B/s", 367e9, cache, kernel="triad", bytes=16384) + rates(
        "B/s", 20e9, 20e9, kernel="triad", bytes=2**30
    )
    return made.with_facts("memory.working_sets", sets)


def test_threads_share_what_is_a_core_s_own(capsys):
    found = hidden_threads(machine())
    assert (found.multiply_adds, found.first_cache) == pytest.approx((0.5, 163 / 367))
    assert "its 16 cores behave as 8 with two threads each" in found.words and "to 50 %" in found.words
    print_machine(machine())
    assert found.words in capsys.readouterr().out


@pytest.mark.parametrize("change", [{"fma": 55e9}, {"cache": 300e9}])
def test_what_slows_down_in_one_way_has_other_reasons(change, capsys):
    assert hidden_threads(machine(**change)) is None
    print_machine(machine(**change))
    assert "behave as" not in capsys.readouterr().out


@pytest.mark.parametrize("path", ["compute.fma_peak", "memory.working_sets"])
def test_what_was_not_measured_is_not_judged(path):
    assert hidden_threads(machine().with_facts(path, None)) is None
