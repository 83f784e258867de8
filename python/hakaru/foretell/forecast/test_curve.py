"""The curve below a forecast: which sizes it has, and that its answers are those of the questions themselves."""

import json

import msgspec
import pytest
from jsonschema import validate

from hakaru.base import paths
from hakaru.base.errors import UserError
from hakaru.base.files import write_json_atomically
from hakaru.foretell.forecast import asking
from hakaru.foretell.forecast.asking import Question
from hakaru.foretell.forecast.curve import BETWEEN, with_curve
from hakaru.foretell.forecast.fixtures import campaign, describe

SCHEMA = json.loads((paths.root() / "schema" / "forecast.schema.json").read_text())


class Solver:
    """The made-up solver as a program that was built; it takes even sizes only."""

    def work(self, given, ranks, threads):
        if given["n"] % 2:
            raise UserError("no such size")
        return describe("solver", given, ranks, threads)


@pytest.fixture
def question(tmp_path, monkeypatch) -> Question:
    for one in [*campaign(steps=5), *campaign((40, 56), ranks=1)]:
        write_json_atomically(tmp_path / "records" / f"{one.id}.json", one.as_dict())
    monkeypatch.setattr(asking.programs, "named", lambda name: Solver())
    return Question(tmp_path, "solver", {"n": 144, "steps": 10, "method": "alltoall"}, 2)


def test_measured_sizes_of_the_layout_and_some_between_them_and_the_wanted_one(question):
    made = with_curve(question.forecast(), question)
    sizes = [one.size for one in made.curve]
    assert sizes[:4] == [32, 48, 64, 80] and len(sizes) == 4 + BETWEEN
    assert sizes == sorted(set(sizes)) and sizes[-1] < 144
    assert [one.size for one in made.whole_curve] == [*sizes, 144]
    validate(made.as_dict(), SCHEMA)


def test_each_of_them_is_what_the_question_itself_would_be_told(question):
    made = with_curve(question.forecast(), question)
    for one in made.curve:
        alone = question.forecast({**question.given, "n": int(one.size)})
        assert (one.usual_s, one.time_s) == (alone.usual_s, alone.time_s)


def test_they_have_as_many_steps_as_are_wanted(question):
    made = with_curve(question.forecast(), question)
    measured_s = {one.size: one.value for one in made.fitted_on.points}
    for one in made.curve[:4]:
        assert one.usual_s.low <= measured_s[one.size] <= one.usual_s.high


def test_sizes_that_the_program_does_not_take_are_left_out(question, monkeypatch):
    def only_measured(self, given, ranks, threads):
        if given["n"] not in (32, 48, 64, 80, 144):
            raise UserError("no such size")
        return describe("solver", given, ranks, threads)

    monkeypatch.setattr(Solver, "work", only_measured)
    made = with_curve(question.forecast(), question)
    assert [one.size for one in made.curve] == [32, 48, 64, 80]


def test_without_anything_below_it_stays_as_it_is(question):
    made = question.forecast()
    refused = msgspec.structs.replace(made, time_s=None)
    assert with_curve(refused, question) is refused
    smallest = question.forecast({**question.given, "n": 32})
    assert with_curve(smallest, question).whole_curve == ()
