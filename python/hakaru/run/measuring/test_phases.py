"""Which shares a time gets that the program prints itself."""

import pytest

from hakaru.facts.records.record import STARTING
from hakaru.run.measuring.phases import Parts, of_printed

KINDS = {"computing": "compute", "MPI_Send": "communicate", STARTING: "idle"}
WHOLE = Parts({"computing": 0.6, "MPI_Send": 0.2, STARTING: 0.2}, KINDS, 10.0)


def test_a_printed_time_holds_no_start_of_mpi():
    parts = of_printed(WHOLE, 7.5)
    assert parts.shares == {"computing": pytest.approx(0.75), "MPI_Send": pytest.approx(0.25)}
    assert parts.kinds == {"computing": "compute", "MPI_Send": "communicate"}


def test_of_a_small_part_of_the_run_nothing_is_told():
    assert of_printed(WHOLE, 3.9) is None
    assert of_printed(WHOLE, 4.1) is not None


def test_without_mpi_the_shares_are_of_the_whole():
    parts = Parts({"computing": 0.9, "files": 0.1}, {"computing": "compute", "files": "io"}, None)
    assert of_printed(parts, 0.1) is parts


def test_a_run_that_only_starts_keeps_its_shares():
    parts = Parts({STARTING: 1.0}, {STARTING: "idle"}, 1.0)
    assert of_printed(parts, 0.1) is parts
