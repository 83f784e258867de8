"""Facts from synthetic records whose truth is known."""

from pathlib import Path

import pytest

from hakaru.base.files import load_module
from hakaru.facts.machines import validate
from hakaru.facts.records.fixtures import changed, probed, table

distiller = load_module(Path(__file__).with_name("distil.py"))
COST_S = 2e-8


def record():
    rows = [[batch, COST_S * (1.0 + 0.01 * (batch - 3))] for batch in range(7)]
    return probed("r1", table("cost", "batch seconds", rows))


def test_the_cost_is_recovered_and_fits_into_a_machine_file():
    tree = distiller.distil([record()])
    assert tree["processor"]["clock_reading"]["value"] == pytest.approx(COST_S)
    head = {"schema": "hakaru/machine/1", "name": "m", "kind": "measured", "date": "2026"}
    validate({**head, **tree})


def test_failed_records_are_no_facts():
    assert distiller.distil([changed(record(), status="failed")]) == {}
