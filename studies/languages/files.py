"""What the programs wrote, read back: every value, in its place."""

import struct
from pathlib import Path

import numpy as np

from hakaru.base.errors import UserError

from .description import LIST, STARS, Program

Matrix = np.ndarray


def product(order: int) -> Matrix:
    """c(i, j) = sum_k (N - i) k (N - k) (N - j) = (N - i) (N - j) N (N^2 - 1) / 6: whole numbers below 2^53 at order 1000."""
    rest = (order - np.arange(order)).astype(float)
    return np.outer(rest, rest) * (order * (order**2 - 1) // 6)


def require_content(program: Program, path: Path, order: int) -> None:
    """Raises UserError when the file is not what the program should have written."""
    expected = product(order)
    expected = expected.T if program.language == "fortran" else expected  # it writes column by column
    read = _read_unformatted if not program.formatted and not program.instead else _read_text
    try:
        found = read(path, program, order)
    except (ValueError, IndexError, struct.error) as error:
        raise _other(program, path, str(error)) from None
    if found.shape != expected.shape or not np.array_equal(found, expected, equal_nan=True):
        where = "its shape" if found.shape != expected.shape else np.argwhere(found != expected)[0].tolist()
        raise _other(program, path, f"first at {where}")


def _other(program: Program, path: Path, why: str) -> UserError:
    return UserError(f"program {program.name} wrote something else into {path.name}", why, "report it")


def _read_text(path: Path, program: Program, order: int) -> Matrix:
    """A head line a row, then lines of an index and a value. Stars, where a number does not fit, are an error."""
    rows: list[list[float]] = []
    first = 1 if program.language == "fortran" else 0
    for line in path.read_text().splitlines():
        words = line.replace("[", "").replace("]", "").split()
        if len(words) == 1:
            if int(words[0]) != len(rows) + first:
                raise ValueError(f"row {words[0]} after {len(rows)} rows")
            rows.append([])
        elif words:
            if int(words[0]) != len(rows[-1]) + first:
                raise ValueError(f"item {words[0]} after {len(rows[-1])} items")
            rows[-1].append(float(words[1]))
    return np.array(rows)


def _read_unformatted(path: Path, _: Program, order: int) -> Matrix:
    """Sequential records: their length in 4 bytes before and after; a row's number, or an index and a value."""
    data, place, rows = path.read_bytes(), 0, []
    for row in range(order):
        for item in range(order + 1):
            length = struct.unpack_from("=i", data, place)[0]
            if (
                length != (12 if item else 4)
                or struct.unpack_from("=i", data, place + 4 + length)[0] != length
            ):
                raise ValueError(f"a record of {length} B at {place}")
            number = struct.unpack_from("=i", data, place + 4)[0]
            if number != (item if item else row + 1):
                raise ValueError(f"number {number} at {place}")
            if item == 0:
                rows.append([])
            else:
                rows[-1].append(struct.unpack_from("=d", data, place + 8)[0])
            place += length + 8
    if place != len(data):
        raise ValueError(f"{len(data) - place} B more")
    return np.array(rows)


def whole_bytes(program: Program, order: int) -> int | None:
    """Size of what a program in Fortran writes: gfortran's library does not tell when a disk is full. None where the size is the library's choice, or the
    program looks itself (C, C++)."""
    if program.language != "fortran" or program.instead == LIST:
        return None
    if not program.formatted:
        return order * (4 + 8 + order * (12 + 8))  # records with their length before and after
    return order * (4 + 1 + order * (4 + 6 + (20 if program.instead == STARS else 24) + 1))


def require_whole(program: Program, path: Path, order: int) -> None:
    """Raises UserError when the file is shorter than it should be."""
    expected, found = whole_bytes(program, order), path.stat().st_size
    if expected is not None and found != expected:
        raise UserError(
            f"program {program.name} wrote {found} B instead of {expected} B",
            "the folder for temporary files may be full",
            "free some space",
        )


def stars(order: int) -> float:
    """The part of the results that the printed format f20.6 cannot hold, and writes as stars: those of 10^13 and more."""
    return float(np.mean(product(order) >= 1e13))
