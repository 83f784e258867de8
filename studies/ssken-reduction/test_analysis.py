"""Tables of a record beside published ones."""

from pathlib import Path

import pytest

from hakaru.base.errors import UserError
from hakaru.facts.records import Record, fixtures
from hakaru.studies import load
from hakaru.studies.analyses import part

FOLDER = Path(__file__).parent
tables = part(FOLDER)


@pytest.fixture
def study():
    return load("ssken-reduction")


def record(bits: float = 50.5) -> Record:
    errors = [
        [method, operands, trial, bits + trial]
        for method in ("tree", "exact")
        for operands in (2048, 16384)
        for trial in range(3)
    ]
    found = {
        "tables": [
            {"name": "errors", "columns": [{"name": n, "unit": "1"} for n in ("method", "operands", "trial", "bits")], "rows": errors},
            {
                "name": "sums",
                "columns": [{"name": n, "unit": "1"} for n in ("method", "operands", "repetition", "seconds")],
                "rows": [["plain", 65536, 0, 65536e-9]],
            },
            {
                "name": "reductions",
                "columns": [{"name": n, "unit": "1"} for n in ("method", "ranks", "bytes", "repetition", "seconds")],
                "rows": [["plain", 2, 8, 0, 1e-6], ["plain", 2, 8, 1, 3e-6], ["plain", 2, 8, 2, 2e-6]],
            },
        ]
    }  # fmt: skip
    return fixtures.record("reduction", 0, kind="probe", **found)


def test_rows_hold_the_statistic_and_what_was_published(study):
    rows = {row.id: row for row in tables.compare(study, record()).rows}
    assert rows["right bits/IEEE tree/2K"].ours == 50.5
    assert rows["right bits/IEEE tree/2K"].published == 50.0
    assert rows["median right bits/IEEE tree/2K"].ours == 51.5
    assert rows["right bits/exact (hakaru)/16K"].published is None
    assert rows["cost of a summand/one after another/65536 operands"].ours == pytest.approx(1e-9)
    assert rows["cost of a reduction/MPI_SUM/2 ranks"].ours == 2e-6
    assert "right bits/two-pass/2K" not in rows, "the record has none"


def test_bounds_that_do_not_hold_are_named(study):
    said = tables.compare(study, record(49.0)).summary[0]
    assert said == "right bits: at least as published in 0 of 2; below: IEEE tree/2K, IEEE tree/16K."


def test_a_missing_published_number_is_named(study):
    study.published.tables["significant-bits"]["rows"][0].pop("n_2k")
    with pytest.raises(UserError, match="no number 'n_2k'"):
        tables.compare(study, record())
