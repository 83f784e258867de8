import pytest

from hakaru.base.errors import UserError
from hakaru.foretell.forecast import asking, make, variants
from hakaru.foretell.forecast.fixtures import campaign, describe, evaluated
from hakaru.foretell.forecast.variants import foretold, varied


class Solver:
    """The made-up solver as a program that was built."""

    def work(self, given, ranks, threads):
        if given["n"] % 10 == 1:
            raise UserError("no such size")
        return describe("solver", given, ranks, threads)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    from hakaru.base.files import write_json_atomically

    records = [*campaign(), *campaign(ranks=1, threads=2)]
    (tmp_path / "records").mkdir()
    for one in records:
        write_json_atomically(tmp_path / "records" / f"{one.id}.json", one.as_dict())
    monkeypatch.setattr(asking.programs, "named", lambda name: Solver())
    return tmp_path, records


def test_larger_sizes_on_every_layout_that_ran_its_own_first(folder):
    place, records = folder
    made = make(records, "solver", evaluated(96), lambda given: describe("solver", given))
    assert varied(made) == "n"
    asked = variants.variants(place, [made], records)
    assert [(one.value, one.ranks, one.threads) for one in asked] == [
        (96, 2, 1),
        (128, 2, 1),
        (160, 2, 1),
        (96, 1, 2),
        (128, 1, 2),
        (160, 1, 2),
    ]
    answers = foretold(asked[:2], 60.0)
    assert [one.value for one in answers] == [96, 128]
    assert answers[0].made.time_s == made.time_s, "the same question has the same answer"
    assert answers[1].made.time_s.value > made.time_s.value and not answers[1].made.refused


def test_what_cannot_be_foretold_says_why(folder):
    place, records = folder
    one = variants.Variant(place, "solver", (("n", 1024), ("steps", 10), ("method", "alltoall")), "n", 2, 1)
    odd = variants.Variant(place, "solver", (("n", 101), ("steps", 10), ("method", "alltoall")), "n", 2, 1)
    large, refused = foretold([one, odd], 60.0)
    assert large.made is None and "memory" in large.reason
    assert refused.made is None and "no such size" in refused.reason


def test_out_of_time_is_said(folder):
    place, records = folder
    made = make(records, "solver", evaluated(96), lambda given: describe("solver", given))
    answers = foretold(variants.variants(place, [made], records) * 10, 0.0)
    assert len(answers) == 60 and "left out" in answers[-1].reason


def test_without_one_size_there_is_nothing_to_vary(folder):
    place, records = folder
    made = make(campaign((64,)), "solver", evaluated(64), lambda given: describe("solver", given))
    assert varied(made) is None and variants.variants(place, [made], records) == []
    assert foretold([], 1.0) == []
