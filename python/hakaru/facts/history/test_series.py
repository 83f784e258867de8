"""Series over dates: their values, changes and what changed beside them."""

import numpy as np
import pytest

from hakaru.facts.history.fixtures import launch, stored
from hakaru.facts.history.selection import side
from hakaru.facts.history.series import LAUNCH, series
from hakaru.facts.records.fixtures import ENVIRONMENT, changed


def days(count, change=None, factor=1.2, noise=0.01, between=0.0, seed=1, **more):
    """Five launches a day; from the day ``change`` on slower, with another compiler; ``between``: spread of whole days."""
    generator = np.random.default_rng(seed)
    found = []
    for day in range(count):
        late = change is not None and day >= change
        level = (factor if late else 1.0) * generator.lognormal(0.0, between)
        environment = {"compiler": "g++ 13"} if late else {}
        for number in range(5):
            time = level * generator.lognormal(0.0, noise)
            found.append(launch(time, day=day, number=number, environment=environment, **more))
    return found


def of(folder, records, **options):
    stored(folder, records)
    return series(side(str(folder), folder), **options)


def test_a_change_and_what_changed(tmp_path):
    (found,) = of(tmp_path, days(20, change=12))
    (change,) = found.changes
    assert change.moment == change.near == "2026-03-13" and change.index == 12
    assert change.ratio.low < 1.2 < change.ratio.high and change.probability <= 0.01
    assert [str(text) for text in change.differences] == ["compiler: g++ 12 -> g++ 13"]
    assert [round(level, 1) for _, _, level in found.levels] == [1.0, 1.2]


def test_no_change_is_shown_where_there_is_none(tmp_path):
    (found,) = of(tmp_path, days(20))
    assert found.changes == [] and found.long_enough and len(found.points) == 20
    assert all(point.time.count == 5 for point in found.points)


def test_nine_dates_are_too_few(tmp_path):
    (found,) = of(tmp_path, days(9, change=4, factor=3.0))
    assert not found.long_enough and found.changes == []


def test_a_reason_one_date_beside_is_found(tmp_path):
    records = days(20, change=12)
    late = [changed(one, environment=noted_late(one)) for one in records]
    (found,) = of(tmp_path, late)
    assert found.changes[0].moment == "2026-03-13" and found.changes[0].near == "2026-03-14"


def noted_late(one):
    """The environment in which the new compiler is noted a day late."""
    day = int(one.started[8:10])
    return ENVIRONMENT | {"compiler": "g++ 13" if day >= 14 else "g++ 12"}


def test_days_that_differ_are_no_changes_but_launches_taken_alone_would_be(tmp_path):
    """Launches of a day share its conditions: only dates may be exchanged, and alarms stay as rare as stated."""
    alarms = {"date": 0, LAUNCH: 0}
    for seed in range(30):
        records = days(14, noise=0.01, between=0.05, seed=seed)
        for by in alarms:
            (found,) = of(tmp_path / f"{seed}{by}", records, by=by)
            alarms[by] += bool(found.changes)
    assert alarms["date"] <= 2 and alarms[LAUNCH] > 15


def test_a_phase_has_a_history(tmp_path):
    (found,) = of(tmp_path, days(12), phase="halo")
    assert found.points[0].time.value == pytest.approx(0.2, rel=0.05)
    assert series(side(str(tmp_path), tmp_path), phase="none") == []


def test_dates_in_the_future_are_left_out(tmp_path):
    later = changed(
        launch(9.0, number=3), started="2999-01-01T00:00:00.000Z", finished="2999-01-01T00:00:01.000Z"
    )
    (found,) = of(tmp_path, [*days(3), changed(later, id="later")])
    assert [point.moment for point in found.points] == ["2026-03-01", "2026-03-02", "2026-03-03"]


def test_problems_and_layouts_are_series_of_their_own(tmp_path):
    found = of(
        tmp_path,
        [launch(1.0), launch(1.0, number=1, ranks=4), launch(1.0, number=2, parameters={"n": 65})],
    )
    assert [one.name for one in found] == [
        "heat n=64, 2 ranks × 1 thread",
        "heat n=64, 4 ranks × 1 thread",
        "heat n=65, 2 ranks × 1 thread",
    ]


def test_a_phase_without_time_has_a_ratio(tmp_path):
    records = days(12, change=6)
    for at, one in enumerate(records[:30]):
        data = one.as_dict()
        for repetition in data["repetitions"]:
            repetition["phases"]["halo"] = [0.0, 0.0]
        records[at] = type(one).of(data)
    (found,) = of(tmp_path, records, phase="halo")
    assert found.changes[0].ratio.value > 1e6
