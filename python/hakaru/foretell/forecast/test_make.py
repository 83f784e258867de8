import json

import jsonschema
import msgspec
import pytest

from hakaru.base import paths
from hakaru.base.errors import UserError
from hakaru.facts.records.fixtures import ENVIRONMENT, changed
from hakaru.foretell.forecast import advice, backtest, make
from hakaru.foretell.forecast.fixtures import campaign, describe, evaluated, longer, record
from hakaru.foretell.models.fixtures import solver_times

SCHEMA = json.loads((paths.root() / "schema" / "forecast.schema.json").read_text())


def truth(n, steps=10, ranks=2):
    return steps * sum(solver_times(n, ranks).values())


def test_forecast_is_right_complete_and_valid():
    records = campaign()
    made = make(records, "solver", evaluated(160), lambda parameters: describe("solver", parameters))
    jsonschema.validate(made.as_dict(), SCHEMA)
    assert made.time_s.low < truth(160) < made.time_s.high
    assert made.time_s.value == pytest.approx(truth(160), rel=0.03)
    assert sum(phase.time_s.value for phase in made.phases) == pytest.approx(made.time_s.value)
    assert {f"record {one.id}" for one in records} <= set(made.facts)
    assert made.extrapolation.flag == "ok" and made.extrapolation.factor == pytest.approx(8.0, rel=0.01)
    assert made.extrapolation.size_factor == pytest.approx(2.0)
    assert [point.launches for point in made.fitted_on.points] == [5, 5, 5, 5]
    assert advice.next_step(made).startswith("make this run")


def test_facts_are_only_those_used():
    flat, hybrid = campaign(), campaign(ranks=1, threads=2)
    made = make([*flat, *hybrid], "solver", evaluated(128, ranks=1, threads=2))
    assert {fact for fact in made.facts if fact.startswith("record")} == {
        f"record {one.id}" for one in hybrid
    }


def test_refused_forecast_has_no_time_and_says_what_to_do():
    made = make(campaign(sizes=(32, 48)), "solver", evaluated(128))
    jsonschema.validate(made.as_dict(), SCHEMA)
    assert made.time_s is None and made.extrapolation.flag == "refused"
    assert "2 sizes measured, 3 are needed" in made.extrapolation.reason
    assert "--growth" in advice.next_step(made)
    nothing = make([changed(record(64), verdict="failed")], "solver", evaluated(128))
    jsonschema.validate(nothing.as_dict(), SCHEMA)
    assert "1 record: not verified" in nothing.extrapolation.reason


def test_too_large_for_the_memory_is_refused():
    made = make(campaign(), "solver", evaluated(640))
    assert made.extrapolation.flag == "refused" and "GB of memory" in made.extrapolation.reason
    assert "smaller" in advice.next_step(made)


def test_stated_growth_needs_one_size_and_is_named():
    made = make(campaign(sizes=(64,)), "solver", evaluated(128), growth="N^3")
    jsonschema.validate(made.as_dict(), SCHEMA)
    assert made.growth == "N^3" and "growth N^3 stated by the user" in made.facts
    assert made.time_s.value == pytest.approx(8.0 * truth(64), rel=0.02)
    assert [one.as_dict() for one in made.phases[0].candidates] == [
        {"model": "c0 * N^3", "cross_validation_error": None}
    ]
    with pytest.raises(UserError, match="not understood"):
        make(campaign(), "solver", evaluated(128), growth="exec(N)")


def test_a_layout_that_the_program_refuses():
    with pytest.raises(UserError, match="slabs"):
        make(
            campaign(),
            "solver",
            msgspec.structs.replace(evaluated(128), refused="3 ranks do not divide the slabs"),
        )


def test_far_forecast_asks_for_a_size_in_between():
    made = make(campaign(), "solver", evaluated(256))
    assert made.extrapolation.flag == "far"
    assert "near N = 144" in advice.next_step(made)


def test_backtest_holds_out_the_largest_size_of_every_layout():
    records = [
        *campaign((32, 48, 64, 96)),
        *campaign((32, 48, 64), ranks=1, threads=2),
        *campaign((32,), method="put"),
    ]
    entries = backtest(records, describe)
    assert [(entry.layout.threads, entry.size, entry.flag) for entry in entries] == [
        (1, 96, "ok"),
        (2, 64, "refused"),
    ]
    first = entries[0]
    assert first.inside and abs(first.error) < 0.05 and first.sizes == (32, 48, 64)
    assert first.measured.launches == 5
    assert entries[1].error is None and "3 are needed" in entries[1].reason


def test_backtest_measures_what_runs_usually_take():
    """Of five launches three were slow: their median is the slow one by chance."""
    records = campaign((32, 48, 64, 96))
    held = [one for one in records if one.work.size == 96]
    slow = [longer(one, 1.3) if one in held[:3] else one for one in records]
    (calm,), (found,) = backtest(records, describe), backtest(slow, describe)
    assert 1.1 < found.measured.value / calm.measured.value < 1.2


def test_backtest_does_not_see_what_it_holds_out():
    honest = campaign((32, 48, 64, 96))
    spoiled = [
        changed(one, repetitions=[{"wall_s": 1e3, "rank_s": [1e3, 1e3], "phases": {}}])
        if one.work.size == 96
        else one
        for one in honest
    ]
    one, other = backtest(honest, describe)[0], backtest(spoiled, describe)[0]
    assert other.predicted == one.predicted
    assert not other.inside and other.error < -0.9


def test_made_up_records_follow_the_record_schema():
    schema = paths.root() / "schema" / "record.schema.json"
    jsonschema.validate(record(64).as_dict(), json.loads(schema.read_text()))
    assert ENVIRONMENT["host"] == "node1"
