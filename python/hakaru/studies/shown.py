"""Cells of a study's tables."""

from hakaru.base import units
from hakaru.studies.row import Row


def number(value: float | None) -> str:
    return "" if value is None else units.digits(value)


def error(row: Row) -> str:
    return "" if row.error is None else f"{row.error:+.1%}"
