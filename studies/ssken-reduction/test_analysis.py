"""Tables of a record beside published ones."""

from pathlib import Path

import pytest

from hakaru.base.errors import UserError
from hakaru.facts.records import Record
from hakaru.facts.records.fixtures import probed, table
from hakaru.studies import load
from hakaru.studies.analyses import part
from hakaru.studies.fixtures import with_rows

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
    calls = [["plain", 2, 8, turn, seconds] for turn, seconds in enumerate((1e-6, 3e-6, 2e-6))]
    return probed(
        "r1",
        table("errors", "method operands trial bits", errors),
        table("sums", "method operands repetition seconds", [["plain", 65536, 0, 65536e-9]]),
        table("reductions", "method ranks bytes repetition seconds", calls),
    )


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
    first, *others = study.published.table("significant-bits").rows
    without = {name: value for name, value in first.items() if name != "n_2k"}
    with pytest.raises(UserError, match="no number 'n_2k'"):
        tables.compare(with_rows(study, "significant-bits", [without, *others]), record())
