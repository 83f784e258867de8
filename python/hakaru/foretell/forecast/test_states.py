"""A machine of two states: forecasts of what runs usually take are of the usual one, and any one run may meet both."""

import json

import jsonschema
import pytest

from hakaru.base import paths
from hakaru.facts.records.fixtures import changed
from hakaru.foretell import models
from hakaru.foretell.forecast import backtest, make, score
from hakaru.foretell.forecast.fixtures import campaign, describe, evaluated, longer, record

SCHEMA = json.loads((paths.root() / "schema" / "forecast.schema.json").read_text())
NEAR_S, FAR_S, FAST = 85e-9, 300e-9, 0.65
LATER = "2999-01-01T00:00:00.000Z"


def met(one, far: bool):
    """The record in the one state or the other, in which it takes less."""
    one = longer(one, FAST) if far else one
    rows = [row.as_dict() | {"handover_s": FAR_S if far else NEAR_S} for row in one.repetitions]
    return changed(one, repetitions=rows)


def blind(records):
    """The same, which nobody asked."""
    return [
        changed(one, repetitions=[row.as_dict() | {"handover_s": 0.0} for row in one.repetitions])
        for one in records
    ]


@pytest.fixture(scope="module")
def records():
    """Nine launches of each size, four of them in the rarer state."""
    return [met(one, number // 4 % 9 % 2 == 1) for number, one in enumerate(campaign(launches=9))]


def test_the_usual_time_is_that_of_the_usual_state(records):
    alone = [one for one in records if one.repetitions[0].handover_s == NEAR_S]
    told, by_alone = (make(some, "solver", evaluated(160)) for some in (records, alone))
    assert told.state.near and told.state.share == pytest.approx(5 / 9)
    assert told.usual_s.value == pytest.approx(by_alone.usual_s.value, rel=1e-6)
    assert "in 56 % of the launches" in " ".join(told.statements())
    assert told.time_s.low < FAST * told.usual_s.value < told.usual_s.low, "any one run may meet the other"
    jsonschema.validate(told.as_dict(), SCHEMA)


def test_what_the_state_explains_is_no_disturbance(records):
    told, other = (
        make(some, "solver", evaluated(160)).extrapolation.reason for some in (records, blind(records))
    )
    assert "differ by a factor" in other and "differ by a factor" not in told


def test_without_its_states_the_forecast_would_be_wider_and_elsewhere(records):
    told, other = (make(some, "solver", evaluated(160)) for some in (records, blind(records)))
    assert not other.state and other.usual_s.value < 0.95 * told.usual_s.value
    assert other.usual_s.high - other.usual_s.low > 1.2 * (told.usual_s.high - told.usual_s.low)


def test_a_score_is_of_the_state_that_was_foretold(records):
    told = make(records, "solver", evaluated(160))
    runs = [met(record(160, seed=seed, started=LATER), seed > 1) for seed in range(5)]
    found = score(told, [*records, *runs])
    assert found.measured.launches == 5 and found.measured.in_state == 2 and found.usual_inside
    assert found.runs_inside == 5
    damaged = [met(longer(record(160, seed=seed, started=LATER), 1.6), False) for seed in range(5)]
    assert not score(told, [*records, *damaged]).usual_inside
    elsewhere = score(told, [*records, *runs[2:]])
    assert elsewhere.measured.in_state == 0 and not elsewhere.usual_inside, "they are all there is"


def test_backtests_know_states_too(records):
    entries = backtest(records, describe)
    assert len(entries) == 1 and entries[0].measured.launches == 5
    assert abs(entries[0].error) < 0.05


def test_a_point_that_hardly_met_the_usual_state_keeps_all_its_launches(records):
    few = [met(record(100, seed=seed), seed > 0) for seed in range(4)]
    usual = models.relevant([*records, *few], evaluated(160), None, models.Usual.of(records))
    point = next(one for one in usual.observations if one.point.size == 100)
    assert len(point.launches) == 4 and not point.elsewhere
