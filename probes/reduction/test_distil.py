"""Facts out of synthetic records whose truth is known."""

from pathlib import Path

import pytest

from hakaru.base.files import load_module
from hakaru.facts.machines import validate
from hakaru.facts.records import Record
from hakaru.facts.records.fixtures import probed, table

distil = load_module(Path(__file__).with_name("distil.py"))
A_SUMMAND_S = {"plain": 1e-9, "exact": 3e-9}


def make_record(operands: int = 1000, status: str = "ok") -> Record:
    rows = [
        [method, operands, turn, seconds * operands * (1.0 + 0.01 * (turn - 3))]
        for turn in range(7)
        for method, seconds in A_SUMMAND_S.items()
    ]
    sums = table("sums", "method operands repetition seconds", rows)
    return probed(f"r{operands}", sums, status=status)


def test_a_summand_costs_what_was_put_in():
    tree = distil.distil([make_record(), make_record(2000)])
    found = {(one["method"], one["operands"]): one["value"] for one in tree["compute"]["sum"]}
    assert found == {
        (method, operands): pytest.approx(seconds)
        for method, seconds in A_SUMMAND_S.items()
        for operands in (1000, 2000)
    }
    head = {"schema": "hakaru/machine/1", "name": "m", "kind": "measured", "date": "2026"}
    validate({**head, **tree})


def test_failed_records_are_no_facts():
    assert distil.distil([make_record(status="failed")]) == {}
