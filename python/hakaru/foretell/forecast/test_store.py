import json

import jsonschema
import numpy as np
import pytest

from hakaru.base import paths
from hakaru.base.errors import UserError
from hakaru.facts.records.fixtures import ENVIRONMENT, changed, layout
from hakaru.foretell.forecast import ForecastStore, make, score, score_all, track_record
from hakaru.foretell.forecast.fixtures import campaign, evaluated, record, slower

LATER = "2999-01-01T00:00:00.000Z"
EXAMPLES = paths.root() / "schema" / "examples"


@pytest.fixture
def store(tmp_path):
    return ForecastStore(tmp_path)


@pytest.fixture(scope="module")
def records():
    return campaign()


def met(n=160, **more):
    return record(n, started=LATER, **more)


def test_what_is_written_is_read_back(store, records):
    made = make(records, "solver", evaluated(160))
    store.write(made)
    assert store.all() == [made]
    assert [path.name for path in store.forecasts.iterdir()] == [f"{made.id}.json"]
    with pytest.raises(UserError, match="exists already"):
        store.write(made)


def test_refused_forecasts_are_not_kept(store):
    with pytest.raises(UserError, match="refused"):
        store.write(make([], "solver", evaluated(160)))
    assert store.all() == []


def test_a_run_scores_its_forecast_and_more_runs_score_it_anew(store, records):
    made = make(records, "solver", evaluated(160))
    store.write(made)
    runs = [met(seed=seed) for seed in range(3)]
    assert len(score_all(store, [*records, runs[0]])) == 1
    assert score_all(store, [*records, runs[0]]) == []
    fresh = score_all(store, [*records, *runs])[0]
    assert fresh.measured.launches == 3 and len(fresh.record_ids) == 3
    assert fresh.error == pytest.approx(made.time_s.value / fresh.measured.value - 1.0)
    assert fresh.inside is True
    assert sum(fresh.measured.phases.values()) == pytest.approx(fresh.measured.value, rel=0.01)
    assert store.all()[0].score == fresh


@pytest.mark.parametrize(
    "other",
    [
        {"n": 128},
        {"method": "put"},
        {"ranks": 1},
        {"threads": 2},
        {"started": "2020-01-01T00:00:00.000Z"},
        {"environment": ENVIRONMENT | {"host": "elsewhere"}},
        {"verdict": "failed"},
        {"status": "failed", "failure": {"reason": "r", "exit_code": 1, "standard_error": ""}},
        {"layout": layout(2, 1, oversubscribed=True)},
        {"program": "another"},
    ],
)
def test_other_runs_do_not_score_it(store, records, other):
    store.write(make(records, "solver", evaluated(160)))
    assert score_all(store, [*records, record(**({"n": 160, "started": LATER} | other))]) == []


def test_a_wrong_forecast_is_called_wrong(records):
    made = make(records, "solver", evaluated(160))
    slow = slower(met(), 2.0)
    found = score(made, [slow])
    assert found.error == pytest.approx(-0.5, abs=0.05) and found.inside is False


def disturbed(one, waits):
    """The record with so much waited by each of its two ranks, as shares of its time, one after the other."""
    rows = [row.as_dict() for row in one.repetitions]
    return changed(
        one,
        repetitions=[
            row
            | {
                "wall_s": (1.0 + sum(waits)) * row["wall_s"],
                "waited_s": [wait * row["wall_s"] for wait in waits],
            }
            for row in rows
        ],
    )


def test_waits_of_all_ranks_are_taken_off_where_they_add():
    """Short runs meet disturbances now and then, the long one on both ranks: less what was waited all take what they would alone."""
    draws = iter((0.3 * np.random.default_rng(3).random((20, 2))).tolist())
    short = [disturbed(one, next(draws)) for one in campaign()]
    made = make(short, "solver", evaluated(160))
    found = score(made, [*short, *(disturbed(met(seed=seed), (0.3, 0.3)) for seed in range(3))])
    assert found.measured.left_alone_s == pytest.approx(score(made, [met()]).measured.value, rel=0.05)
    assert found.usual_inside is True


def test_track_record_counts_each_question_once(store, records):
    for n in (96, 128, 160):
        store.write(make(records, "solver", evaluated(n)))
    store.write(make(records, "solver", evaluated(160)))
    slow = slower(met(128), 3.0)
    score_all(store, [met(96), slow, met(160)])
    track = track_record(store)
    assert (track.forecasts, track.distinct, track.scored) == (4, 3, 3)
    assert track.inside.count == 2 and track.inside.promised == 0.95
    # Clopper-Pearson for 2 of 3
    assert (track.inside.low, track.inside.high) == pytest.approx((0.0943, 0.9916), abs=1e-4)
    assert track.error.worst == pytest.approx(-2 / 3, abs=0.03)
    assert abs(track.error.median) < 0.05
    assert track.by_flag["ok"].scored == 3
    json.dumps(track.as_dict())


def test_empty_track_record(store):
    assert track_record(store).scored == 0


def test_damaged_files_are_named_and_skipped(store, records):
    good = make(records, "solver", evaluated(160))
    store.write(good)
    (store.forecasts / "broken.json").write_text('{"schema": "hakaru/for')
    (store.forecasts / "other.json").write_text('{"schema": "hakaru/record/1"}')
    (store.forecasts / f"{good.id}.score.json").write_text("[]")
    assert store.all() == [good]
    assert sorted(path.name for path, _ in store.damaged) == sorted(
        ["broken.json", "other.json", f"{good.id}.score.json"]
    )
    assert len(track_record(store).damaged) == 3
    score_all(store, [met()])
    assert track_record(store).scored == 1


def validator():
    return jsonschema.Draft202012Validator(
        json.loads((paths.root() / "schema" / "forecast.schema.json").read_text())
    )


def test_schema_and_its_examples():
    jsonschema.Draft202012Validator.check_schema(validator().schema)
    assert validator().is_valid(json.loads((EXAMPLES / "forecast.valid.json").read_text()))
    invalid = sorted(EXAMPLES.glob("forecast.invalid-*.json"))
    assert len(invalid) >= 4
    for path in invalid:
        assert not validator().is_valid(json.loads(path.read_text())), path.name
