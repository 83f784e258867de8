"""Whether short runs and the wanted run are served alike by the caches, and which short runs are made where they are not."""

import dataclasses

import pytest

from hakaru.base.errors import UserError
from hakaru.facts.machines.machine import UNKNOWN, Machine
from hakaru.foretell.advise import calibrating, predict, ranking
from hakaru.foretell.advise.caches import WorkingSet, changing
from hakaru.foretell.advise.candidates import Candidate
from hakaru.foretell.advise.predict import Adviser
from hakaru.foretell.advise.test_advise import machine as published
from hakaru.foretell.advise.test_advise import record
from hakaru.foretell.replay.engine import engine

MIB = 1 << 20


def level(name, capacity):
    return {"name": name, "capacity": {"value": float(capacity), "unit": "B", "source": "test"}}


def machine(*levels):
    return Machine.of({"name": "m", "memory": {"levels": [level(*one) for one in levels]}})


HERE = machine(("L1", 48 << 10), ("L2", 2 * MIB), ("L3", 32 * MIB))


def of_core(size):
    """Many cores: only what is a core's own can matter."""
    return WorkingSet(1e12, size)


@pytest.mark.parametrize(
    ("one", "other", "cache"),
    [
        (4 * MIB, 16 * MIB, "L2 (2 MiB)"),
        (16 * MIB, 4 * MIB, "L2 (2 MiB)"),
        (9 * MIB, 64 * MIB, None),
        (0.25 * MIB, 0.9 * MIB, None),
        (0.1 * MIB, 0.9 * MIB, "L1 (48 KiB)"),
        (4 * MIB, 4.2 * MIB, None),
    ],
)
def test_a_cache_changes_from_half_its_capacity_to_four_times(one, other, cache):
    assert changing(of_core(one), of_core(other), HERE) == cache


def test_the_last_cache_is_of_the_node():
    alike = WorkingSet(64 * MIB, 16 * MIB), WorkingSet(256 * MIB, 64 * MIB)
    assert changing(*alike, HERE) == "L3 (32 MiB)"
    assert changing(WorkingSet(160 * MIB, 16 * MIB), WorkingSet(640 * MIB, 64 * MIB), HERE) is None
    assert changing(None, alike[0], HERE) is None and changing(*alike, UNKNOWN) is None


def test_the_parameter_that_repeats_the_work_is_found():
    assert calibrating.repeats("heat", {"n": "64", "steps": "40"}) == {"steps": 8}
    assert calibrating.repeats("turbulence", {"n": "32", "steps": "3"}) == {"steps": 1}
    assert calibrating.repeats("heat", {"n": "64", "steps": "1"}) is None


def test_a_run_that_is_short_already_is_not_made_shorter(monkeypatch):
    given = {"n": "64", "steps": "40"}
    for bound_s, steps in ((0.04, 40), (0.1, 20), (10.0, 8), (None, 8)):
        monkeypatch.setattr(calibrating, "_bound_s", lambda *_, bound_s=bound_s: bound_s)
        assert calibrating.repeats("heat", given, HERE) == {"steps": steps}


def test_short_runs_keep_the_size_where_a_cache_lies_between():
    told = []
    given = {"n": "1024", "steps": "40"}
    kept = calibrating.short_runs("heat", given, ["n=512"], HERE, told.append)
    assert kept == {"n": "1024", "steps": 8}
    assert "L2 (2 MiB) serves n=512 (4 MiB) unlike the run asked for (16 MiB)" in told[0]
    asked = calibrating.short_runs("heat", given, ["steps=2"], HERE, told.append)
    assert asked == {"n": "1024", "steps": "2"} and len(told) == 1
    unknown = calibrating.short_runs("heat", given, ["n=512"], None, told.append)
    assert unknown["n"] == "512" and len(told) == 1
    single = calibrating.short_runs("heat", given | {"steps": "1"}, ["n=512"], HERE, told.append)
    assert single["n"] == "512" and "no parameter for a shorter run" in told[1]


def test_short_runs_are_found_by_themselves():
    found = calibrating.short_runs("heat", {"n": "64", "steps": "40"}, ["auto"], None, print)
    assert found == {"n": "64", "steps": 8}
    with pytest.raises(UserError, match="no parameter of heat makes its work shorter"):
        calibrating.short_runs("heat", {"n": "64", "steps": "1"}, ["auto"], None, print)


def test_advice_from_another_size_says_so(tmp_path, monkeypatch):
    monkeypatch.setattr(
        "hakaru.foretell.models.relevance.launch_phases", lambda one, **_: {"fft": one.wall_s}
    )
    known = published().tree
    here = Machine.of(known | {"memory": known["memory"] | {"levels": HERE.tree["memory"]["levels"]}})
    adviser = Adviser(engine(None), here, tmp_path, [record(2, 0.2)], here)
    small, same = (
        adviser.predict_all("turbulence", {"n": n, "steps": "2"}, [Candidate(1, 1, 1)])[0]
        for n in ("64", "32")
    )
    assert "L2 (2 MiB) served otherwise" in small.carried and same.carried is None
    assert "--calibrate auto" in ranking.rank("p", "m", [small]).reasons[-1]
    unaware = dataclasses.replace(adviser, records=())
    assert (
        unaware.predict_all("turbulence", {"n": "64", "steps": "2"}, [Candidate(1, 1, 1)])[0].carried is None
    )
    assert predict.AUTOMATIC == "auto"
