"""Facts from synthetic records of the probe ``operating_system``."""

from pathlib import Path

import pytest

from hakaru.base.files import load_module
from hakaru.facts.machines import validate
from hakaru.facts.records import Record
from hakaru.facts.records.fixtures import changed, probed, table

distiller = load_module(Path(__file__).with_name("distil.py"))

ROWS = [
    ("processes", "null call", 0, 1e-7),
    ("integer", "intgr add", 0, 4e-10),
    ("context-switch", "24p/16K ctxsw", 0, 2e-6),
    ("local-bandwidth", "Pipe", 10**7, 5e-3),
    ("memory-parallelism", "1 load", 0, 1e-7),
    ("memory-parallelism", "2 loads", 0, 5e-8),
    ("memory-parallelism", "8 loads", 0, 2e-8),
]


def record(identity="o1", placement="free", factor=1.0) -> Record:
    scatter = (0.98, 1.0, 1.0, 1.01, 1.05)
    rows = [
        [group, item, number, size, seconds * factor * scale]
        for group, item, size, seconds in ROWS
        for number, scale in enumerate(scatter)
    ]
    items = table("items", "group item sample bytes seconds", rows)
    return probed(identity, items, parameters={"placement": placement})


def test_times_rates_and_the_clock_are_recovered():
    found = distiller.distil([record()])["operating_system"]
    call = found["processes"][0]
    assert call["item"] == "null call" and call["value"] == pytest.approx(1e-7)
    assert call["low"] < call["value"] < call["high"]
    assert found["local_bandwidth"][0]["value"] == pytest.approx(2e9)
    assert found["clock"]["value"] == pytest.approx(2.5e9)
    switch = found["context_switch"][0]
    assert (switch["processes"], switch["bytes"], switch["value"]) == (24, 16384, pytest.approx(2e-6))


def test_memory_parallelism_is_of_the_best_number_of_chains():
    found = distiller.distil([record()])["operating_system"]["memory_parallelism"]
    assert found["chains"] == 8 and found["value"] == pytest.approx(5.0)


def test_bound_processes_do_not_speak_for_the_machine():
    found = distiller.distil([record(), record("o2", "one_core", 9.0)])["operating_system"]
    assert all("o2" not in entry["source"] for entry in found["processes"])
    assert distiller.distil([record("o2", "one_core")])["operating_system"]["processes"]


def test_nothing_usable_gives_no_facts():
    assert distiller.distil([]) == {}
    assert distiller.distil([changed(record(), status="failed")]) == {}


def test_facts_fit_into_a_machine_file():
    machine = {"schema": "hakaru/machine/1", "name": "here", "kind": "measured", "date": "2026"}
    validate(machine | distiller.distil([record()]))
