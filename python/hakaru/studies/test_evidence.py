"""What a row is worth, and the first lines of a summary."""

from dataclasses import replace

import pytest

from hakaru.studies.evidence import Basis, Parameter, distance, headline, judged, problems
from hakaru.studies.row import Row

BASIS = Basis(
    (Parameter("rate", ("time/1",)), Parameter("limit", beside="a range of lengths")),
    {"factor": ("note",)},
    ("time/2", "time/3", "time/4", "sum of nothing fitted"),
)
ROWS = [
    Row("time/1", 10.0, 10.1, "s"),
    Row("time/2", 10.0, 10.4, "s"),
    Row("time/3", 10.0, 12.0, "s"),
    Row("time/4", 10.0, 1.0, "s"),
    Row("time/5", None, 1.0, "s"),
    Row("given", 8.0, 8.0, "times", of=("factor",)),
    Row("note", 1.0, 2.0, "s"),
    Row("ratio of fitted", 1.0, 1.0, "times", of=("time/1", "rate", "given")),
    Row("ratio", None, 1.0, "times", of=("time/1", "time/2")),
    Row("sum", 11.0, 11.0, "s", parts=("time/1", "time/2")),
    Row("sum of nothing fitted", 11.0, 11.0, "s", parts=("time/2", "time/3")),
    Row("counted", 3.0, 3.0, "1", "measured"),
    Row("of what is counted", None, 3.0, "1", of=("counted",)),
]


def kinds(rows):
    return {row.id: row.kind for row in rows}


def test_a_row_is_fitted_when_the_fitted_numbers_imply_it():
    assert kinds(judged(ROWS, BASIS)) == {
        "time/1": "fitted",
        "time/2": "prediction",
        "time/3": "prediction",
        "time/4": "prediction",
        "time/5": "unpublished",
        "given": "fitted",
        "note": "fitted",
        "ratio of fitted": "fitted",
        "ratio": "unpublished",
        "sum": "fitted",
        "sum of nothing fitted": "prediction",
        "counted": "measured",
        "of what is counted": "unpublished",
    }


def test_rows_of_each_other_are_no_fits_and_nothing_fits_without_parameters():
    circle = [Row("a", 1.0, 1.0, "1", of=("b",)), Row("b", 1.0, 1.0, "1", of=("a",))]
    assert set(kinds(judged(circle, BASIS)).values()) == {"prediction"}
    assert kinds(judged(ROWS, Basis()))["sum"] == "prediction"


def test_the_first_lines_count_every_prediction_and_name_each_miss():
    first, second, third = headline(judged(ROWS, BASIS), BASIS)
    assert first == (
        "Predictions: of 4 published numbers 2 within 5 %, 2 within 10 %, 3 within 25 %. "
        "Beyond 5 %: time/4 -90 %, time/3 +20 %."
    )
    assert second == (
        "Free parameters: 2 (rate, limit), fitted to 1 published number, and to a range of lengths. "
        "5 rows fitted or given, 4 of 5 reached within 5 %: no test of the model."
    )
    assert third == "Beside them: 3 rows without a published number, 1 row measured."
    assert headline([], Basis())[:2] == [
        "Predictions: no published number can test one.",
        "Free parameters: none.",
    ]


@pytest.mark.parametrize(
    ("published", "ours", "expected"),
    [
        (10.0, 9.0, 0.1),
        (-10.0, -9.0, 0.1),
        (0.0, 0.0, 0.0),
        (0.0, 0.1, float("inf")),
        (1.0, None, float("inf")),
    ],
)
def test_what_has_no_error_is_a_miss_unless_it_is_the_same(published, ours, expected):
    row = Row("prediction", published, ours, "1")
    assert distance(row) == pytest.approx(expected)
    said = headline(judged([row], Basis()), Basis())[0]
    assert ("Beyond 5 %: prediction" in said) == (expected > 0.05)


def test_a_sound_result_has_no_problems():
    rows = judged(ROWS, BASIS)
    assert problems(rows, [*headline(rows, BASIS), "and more"], BASIS) == []


def damaged(index, **changes):
    rows = judged(ROWS, BASIS)
    return [replace(row, **changes) if number == index else row for number, row in enumerate(rows)]


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ([row for row in judged(ROWS, BASIS) if row.id != "time/4"], "the prediction time/4 is missing"),
        (
            [row for row in judged(ROWS, BASIS) if row.id != "time/1"],
            "time/1, whose number went in, is missing",
        ),
        (damaged(3, kind="fitted"), "time/4 is called fitted, and is prediction"),
        (damaged(3, kind="measured"), "the prediction time/4 is missing"),
        (damaged(3, of=("rate",)), "time/4 is called prediction, and is fitted"),
        (damaged(3, of=("ratte",)), "ratte is no row, parameter or given number"),
        (damaged(3, id="time/3"), "two rows are called time/3"),
        (damaged(4, published=1.0, kind="prediction"), "the prediction time/5 is not declared"),
    ],
)
def test_damaged_rows_are_told(rows, expected):
    assert any(expected in text for text in problems(rows, headline(rows, BASIS), BASIS))


def test_a_summary_that_leaves_out_its_misses_is_told():
    rows = judged(ROWS, BASIS)
    without = headline([row for row in rows if row.id != "time/4"], BASIS)
    assert problems(rows, without, BASIS) == ["the summary does not begin with what its rows say"]
