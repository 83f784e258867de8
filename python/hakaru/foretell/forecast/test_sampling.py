"""A sample of the wanted run: fewest steps, within its time, and what a forecast makes of it."""

from types import SimpleNamespace

import msgspec
import pytest

from hakaru.base.errors import UserError
from hakaru.facts import programs
from hakaru.facts.records import RecordStore
from hakaru.facts.records.fixtures import changed
from hakaru.foretell.forecast import sampling
from hakaru.foretell.forecast.asking import Question
from hakaru.foretell.forecast.fixtures import campaign, describe, longer, record
from hakaru.foretell.models.fixtures import solver_times

NAMES = (("n", "integer", 1), ("steps", "integer", 1), ("method", "text", None))
PARAMETERS = [SimpleNamespace(name=name, type=kind, minimum=least) for name, kind, least in NAMES]
PECULIAR = 1.8  # no law of smaller sizes knows that this size takes so much longer


@pytest.fixture
def question(tmp_path, monkeypatch):
    solver = SimpleNamespace(
        describe=lambda: SimpleNamespace(parameters=PARAMETERS),
        work=lambda given, ranks=1, threads=1: describe("solver", given, ranks, threads),
    )
    monkeypatch.setattr(programs, "named", lambda name: solver)
    monkeypatch.setattr(sampling.topology, "usable_cores", lambda: 2)
    store = RecordStore(tmp_path)
    for one in campaign():
        store.write(one)
    return Question(tmp_path, "solver", {"n": 192, "steps": 50}, ranks=2)


def launched(point, store, seconds, number, ok=True):
    """A launch of a size that takes longer than its neighbours, by a clock that goes on by a second."""
    given = dict(point.parameters)
    made = record(given["n"], seed=100 + number, steps=given["steps"])
    made = store.write(longer(made, PECULIAR))
    return made if ok else made.failed("took too long", 1, "")


@pytest.fixture
def clock(monkeypatch):
    now = iter(range(10_000))
    monkeypatch.setattr(sampling.time, "monotonic", lambda: float(next(now)))
    rests = []
    monkeypatch.setattr(sampling.time, "sleep", rests.append)
    return rests


def test_the_parameter_that_multiplies_all_work_is_made_smallest(question):
    parameters, share = sampling.shortened(question)
    assert (parameters["n"], parameters["steps"], share) == (192, 1, 50.0)


@pytest.mark.parametrize(("repetition_s", "warmup"), [(0.0, 1), (0.5, 1), (0.3, 1), (0.1, 3), (0.001, 10)])
def test_what_is_timed_comes_after_a_third_of_a_second_of_work(repetition_s, warmup):
    assert sampling._warmup(repetition_s) == warmup


def test_a_sample_tells_what_no_law_of_other_sizes_knows(question, clock):
    truth = 50 * PECULIAR * sum(solver_times(192, 2).values())
    blind = question.forecast()
    assert blind.usual_s.high < truth
    found = sampling.sample(question, 60.0, launched)
    assert (found.launches, found.share, found.parameters["steps"]) == (sampling.MOST_LAUNCHES, 4 / 50, 4)
    words = "a sample at the wanted size: 12 launches with steps=4, 8 % of the work each, in "
    assert found.words(question.wanted.parameters).startswith(words) and found.took_s > 0.0
    seen = Question(question.folder, "solver", question.given, ranks=2).forecast()
    assert seen.usual_s.value == pytest.approx(truth, rel=0.05)
    assert (seen.usual_s.high - seen.usual_s.low) / seen.usual_s.value < 0.35  # within 16 s, on two cores
    assert (seen.sample.launches, seen.sample.share) == (sampling.MOST_LAUNCHES, pytest.approx(4 / 50))
    assert seen.fitted_on.sizes == "192" and seen.sample.took_s > 0.0


def test_a_few_launches_of_the_wanted_size_are_points_like_others(question, clock):
    for number in range(4):
        point = SimpleNamespace(parameters=(("n", 192), ("steps", 4)))
        launched(point, RecordStore(question.folder), 1.0, number)
    seen = Question(question.folder, "solver", question.given, ranks=2).forecast()
    assert not seen.sample and "192" in seen.fitted_on.sizes and "32" in seen.fitted_on.sizes


def test_a_sample_ends_before_its_time_is_over(question, clock):
    assert sampling.sample(question, 8.0, launched).launches < sampling.MOST_LAUNCHES
    assert not any(clock), "no time to rest"


def test_launches_are_spread_over_the_time_that_is_there(question, clock):
    assert sampling.sample(question, 120.0, launched).launches == sampling.MOST_LAUNCHES
    first, *others = clock
    assert first == 0.0 and all(5.0 < rest < 120.0 for rest in others)


def test_a_rest_leaves_room_for_launches_that_take_twice_as_long():
    assert sampling._rest_s(24.0, 1.0, 12) == 0.0
    assert 12 * (sampling._rest_s(60.0, 1.0, 12) + 2.0) == 60.0


def test_a_sample_that_does_not_fit_is_said(question, clock):
    def ended(*given):
        return launched(*given, ok=False)

    with pytest.raises(UserError, match="no sample of solver in 8.00 s.*took too long.*allow more time"):
        sampling.sample(question, 8.0, ended)


def test_more_ranks_than_cores_are_not_sampled(question, monkeypatch):
    monkeypatch.setattr(sampling.topology, "usable_cores", lambda: 1)
    with pytest.raises(UserError, match="cannot be sampled on 2 cores.*lends 1"):
        sampling.sample(question, 60.0, launched)


def test_what_the_program_refuses_is_not_started(question):
    with pytest.raises(UserError, match="cannot run so.*no room"):
        sampling._point(question, msgspec.structs.replace(question.wanted, refused="no room"))


def starting(steps):
    """Launches that do once what takes as long as so many steps."""

    def launch(point, store, seconds, number):
        made = record(192, seed=100 + number, steps=dict(point.parameters)["steps"])
        more = 1.0 + steps / made.parameters["steps"]
        rows = [row.as_dict() for row in made.repetitions]
        for row in rows:
            row["wall_s"] *= more
            row["rank_s"] = [one * more for one in row["rank_s"]]
            row["phases"] = {name: [one * more for one in of] for name, of in row["phases"].items()}
        return store.write(changed(made, repetitions=rows))

    return launch


def test_what_a_run_does_once_is_not_taken_for_steps(question, clock):
    asked = Question(question.folder, "solver", {"n": 192, "steps": 2000}, ranks=2)
    truth = 2010 * sum(solver_times(192, 2).values())
    found = sampling.sample(asked, 600.0, starting(10))
    assert found.parameters["steps"] == 256, "10 steps are 3.8 % of 266"
    kept = [one for one in RecordStore(question.folder).all() if one.parameters["n"] == 192]
    assert {one.parameters["steps"] for one in kept} == {256}
    seen = Question(question.folder, "solver", asked.given, ranks=2).forecast()
    assert seen.usual_s.value == pytest.approx(truth, rel=0.06)


def test_a_run_that_never_settles_is_made_whole(question, clock):
    found = sampling.sample(question, 600.0, starting(100))
    assert (found.parameters["steps"], found.share) == (50, 1.0)


def test_time_that_ends_before_it_settles_is_said(question, clock):
    with pytest.raises(
        UserError, match="no sample of solver in 4.00 s.*hide what a run does once.*more time"
    ):
        sampling.sample(question, 4.0, starting(100))
