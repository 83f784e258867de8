"""The chart of a forecast in the terminal: marks where they belong."""

import json

import msgspec
import pytest

from hakaru.base.paths import root
from hakaru.facts.forecasts import Forecast, Span
from hakaru.facts.forecasts.forecast import CurvePoint, FittedPoint
from hakaru.tell.size_chart import ANY_ONE, HEIGHT, MEASURED, USUAL, WANTED, size_chart


@pytest.fixture
def made() -> Forecast:
    found = Forecast.of(json.loads((root() / "schema/examples/forecast.valid.json").read_text()))
    layout = {"ranks": found.layout.ranks, "threads": found.layout.threads, "parameters": {}, "launches": 5}
    points = tuple(FittedPoint(size=size, value=size**3 * 1e-6, **layout) for size in (16.0, 32.0, 64.0))
    return msgspec.structs.replace(
        found,
        size=128.0,
        time_s=Span(value=2.1, low=1.0, high=9.0),
        usual_s=Span(value=2.1, low=1.6, high=2.6),
        fitted_on=msgspec.structs.replace(found.fitted_on, points=points),
    )


def test_every_size_is_a_mark_that_rises(made):
    rows = size_chart(made)[:HEIGHT]
    marks = sorted((row.index(MEASURED), number) for number, row in enumerate(rows) if MEASURED in row)
    assert len(marks) == 3
    assert [number for _, number in marks] == sorted((number for _, number in marks), reverse=True)


def test_the_wanted_column_has_both_bands(made):
    rows = size_chart(made)[:HEIGHT]
    column = next(row.index(WANTED) for row in rows if WANTED in row)
    marks = "".join(row[column] for row in rows if len(row) > column and row[column] != " ")
    assert marks.strip(ANY_ONE).strip(USUAL + WANTED) == ""
    assert ANY_ONE in marks and (USUAL in marks or WANTED in marks)


def test_sizes_stand_under_the_axis_the_wanted_one_always(made):
    feet = size_chart(made)[HEIGHT + 1]
    assert feet.split()[0] == "size" and "128" in feet and "16" in feet


def test_nothing_is_drawn_where_nothing_was_measured_or_foretold(made):
    assert size_chart(msgspec.structs.replace(made, time_s=None)) == []
    other = msgspec.structs.replace(made.fitted_on.points[0], ranks=99)
    elsewhere = msgspec.structs.replace(made.fitted_on, points=(other,))
    assert size_chart(msgspec.structs.replace(made, fitted_on=elsewhere)) == []
    sampled = msgspec.structs.replace(made.fitted_on, points=made.fitted_on.points[-1:])
    assert size_chart(msgspec.structs.replace(made, size=64.0, fitted_on=sampled)) == []


def test_an_interval_down_to_nothing_ends_at_the_frame(made):
    rows = size_chart(msgspec.structs.replace(made, time_s=Span(value=2.1, low=0.0, high=9.0)))
    assert len(rows) == HEIGHT + 3


def test_bands_lie_over_all_sizes_of_the_curve(made):
    def at(size: float) -> CurvePoint:
        usual_s = 1e-6 * size**3
        usual = Span(value=usual_s, low=0.8 * usual_s, high=1.2 * usual_s)
        return CurvePoint(size=size, usual_s=usual, time_s=usual.scaled(3.0))

    rows = size_chart(msgspec.structs.replace(made, curve=tuple(map(at, (16.0, 32.0, 64.0, 96.0)))))[:HEIGHT]
    first = min(row.index(MEASURED) for row in rows if MEASURED in row)
    last = max(row.index(WANTED) for row in rows if WANTED in row)
    for column in range(first, last + 1):
        marks = {row[column] for row in rows if len(row) > column}
        assert marks & {USUAL, MEASURED, WANTED} and ANY_ONE in marks
