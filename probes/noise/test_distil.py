"""Facts from synthetic records of the probe ``noise``, whose truth is known."""

from pathlib import Path

import numpy as np
import pytest

from hakaru.base.files import load_module
from hakaru.facts.machines import validate
from hakaru.facts.records import Record
from hakaru.facts.records.fixtures import changed, probed, table

distiller = load_module(Path(__file__).with_name("distil.py"))

WINDOW_S = 4e-4
QUANTUM_S = 1e-3
RATES = {2e-6: 250.0, 1e-4: 8.0}  # length in s -> detours a second


def record(identity="n1", reserve=0, seconds=100.0, tick_per_s=100.0, rates=RATES, left_out=0) -> Record:
    """Two cores; fixed work that is a tenth longer every tenth time; ticks that take work from the windows."""
    generator = np.random.default_rng(7)
    work, time, detours, watched = [], [], [], []
    for core in range(2):
        work += [[core, i * QUANTUM_S, QUANTUM_S * (1.1 if i % 10 == 0 else 1.0)] for i in range(200)]
        for window in range(2000):
            phase = np.cos(2 * np.pi * tick_per_s * window * WINDOW_S)
            time.append([core, window, int(500 + 5 * phase + generator.normal(0, 3))])
        for length, rate in rates.items():
            count = int(rate * seconds)
            detours += [[core, float(at), length] for at in generator.uniform(0, seconds, count)]
        watched.append([core, seconds, 4e-8, 10**6, left_out, left_out * 1e-6])
    tables = [
        table("fixed_work", "core start seconds", work),
        table("fixed_time", "core window chunks", time),
        table("detours", "core start length", detours),
        table("watched", "core seconds shortest_gap readings left_out left_out_s", watched),
    ]
    parameters = {"reserve": reserve, "window_seconds": WINDOW_S}
    return probed(identity, *tables, parameters=parameters)


def test_share_and_rates_are_recovered():
    found = distiller.distil([record()])["noise"]
    assert found["share"]["value"] == pytest.approx(0.01)
    assert found["deviation"]["value"] == pytest.approx(0.03)
    assert found["skewness"]["value"] > 2.0
    rates = {entry["length_s"]: entry for entry in found["detours"]}
    assert sorted(rates) == pytest.approx(sorted(RATES))
    for (_, entry), truth in zip(sorted(rates.items()), RATES.values(), strict=True):
        assert entry["value"] == pytest.approx(truth, rel=0.01)
        assert entry["low"] < truth < entry["high"]
    assert found["detour_share"]["value"] == pytest.approx(sum(s * r for s, r in RATES.items()))
    assert found["longest"]["value"] == 1e-4


def test_rates_times_lengths_are_what_the_detours_took():
    lengths = np.random.default_rng(3).lognormal(-12, 2, 5000)
    found = distiller.classes(lengths, 7.0)
    assert sum(one["rate"] * one["length_s"] for one in found) == pytest.approx(lengths.sum() / 7.0)
    assert len(found) > 8 and all(one["low"] < one["rate"] < one["high"] for one in found)


def test_a_tick_stands_out_of_the_spectrum_and_chance_does_not():
    tick = distiller.distil([record(tick_per_s=100.0)])["noise"]["lines"]
    assert tick[0]["frequency_per_s"] == pytest.approx(100.0, abs=2.0)
    chance = [np.random.default_rng(seed).normal(500, 3, 2000) for seed in range(4)]
    assert distiller.lines(chance, WINDOW_S) == []
    assert distiller.lines([np.full(2000, 7.0)], WINDOW_S) == []


def test_detours_that_were_not_kept_are_counted_in_proportion():
    one, more = (distiller.distil([record(left_out=n)])["noise"]["detours"] for n in (0, 12900))
    assert more[0]["value"] == pytest.approx(1.5 * one[0]["value"], rel=0.01)
    assert "not kept" in more[0]["note"]


def test_records_with_reserved_cores_do_not_speak_for_the_machine():
    found = distiller.distil([record("n1"), record("n2", reserve=1, rates={1e-6: 1.0})])["noise"]
    assert all("n2" not in entry["source"] for entry in found["detours"])
    assert distiller.distil([record("n2", reserve=1)])["noise"]["share"]["source"].endswith("n2")


def test_nothing_usable_gives_no_facts():
    assert distiller.distil([]) == {}
    assert distiller.distil([changed(record(), status="failed")]) == {}
    quiet = distiller.distil([record(rates={})])["noise"]
    assert "detours" not in quiet and quiet["detour_share"]["value"] == 0.0


def test_facts_fit_into_a_machine_file():
    machine = {"schema": "hakaru/machine/1", "name": "here", "kind": "measured", "date": "2026"}
    validate(machine | distiller.distil([record()]))


@pytest.mark.parametrize("count", [0, 1, 10, 1000])
def test_poisson_intervals_hold_the_count(count):
    low, high = distiller.poisson_interval(count)
    assert low <= count <= high and high > 0
