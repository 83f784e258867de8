"""Files of records are put together where their blocks lie; a damaged one is noticed."""

import struct
from array import array

import pytest

from hakaru.base.paths import root
from hakaru.studies.analyses import part

records = part(root() / "studies" / "mpi-io-application", "records")


def record(content):
    length = struct.pack("<I", len(content))
    return length + content + length


def file_of(*fields):
    return record(b"123456789012") + b"".join(record(array("d", field).tobytes()) for field in fields)


def test_two_halves_make_the_whole():
    """Three cells along x in two blocks of one and two."""
    left = file_of(*([10.0 * unknown] for unknown in range(5)))
    right = file_of(*([10.0 * unknown + 1, 10.0 * unknown + 2] for unknown in range(5)))
    whole = array("d", records.joined([left, right], (3, 1, 1), (2, 1, 1)))
    assert list(whole) == [10.0 * unknown + x for unknown in range(5) for x in range(3)]


def test_a_record_that_ends_otherwise_is_no_record():
    with pytest.raises(ValueError, match="another length"):
        records.contents(record(b"1234")[:-1] + b"x")


def test_sizes_are_40_bytes_a_point_and_60():
    assert len(file_of(*([0.0] * 7 for _ in range(5)))) == 40 * 7 + 60
