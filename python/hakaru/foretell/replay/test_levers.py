"""Runs replayed with facts multiplied, against replays of the same machine set by hand."""

import itertools
import time

import pytest

from hakaru.facts.machines import Machine
from hakaru.facts.records import RecordStore
from hakaru.facts.records.fixtures import changed
from hakaru.foretell.forecast.fixtures import campaign
from hakaru.foretell.replay import levers
from hakaru.foretell.replay.engine import engine
from hakaru.foretell.replay.test_forecast import folder  # noqa: F401  (a results folder with runs, and the stand-in)

NOISE = """
[[noise.detours]]
length_s = 1e-5
value = 100.0
unit = "1/s"
source = "probe c"
"""


@pytest.fixture
def talking(folder):  # noqa: F811
    """The solver sends messages."""
    solver = folder.parent / "build" / "solver"
    solver.write_text(
        solver.read_text().replace(
            '"streams": []', '"streams": [], "fake": {"messages": 1000, "bytes": 100000}'
        )
    )
    return folder


def asked(place, limit_s=60.0, records=None):
    machine = Machine.load(place / "machine.toml")
    records = RecordStore(place).all() if records is None else records
    return levers.what_ifs(records, machine, engine(None), limit_s)


def test_the_largest_run_on_most_ranks_is_replayed_with_every_combination(talking):
    (found,), missing = asked(talking)
    assert missing == [] and (found.label, found.ranks, found.threads) == ("solver n=80", 2, 1)
    assert [lever.name for lever in found.levers] == ["message start", "bandwidth", "computing speed"]
    assert set(found.times_s) == set(itertools.product(range(5), repeat=3)) and found.combinations == 125
    assert "noise of this machine was not measured" in found.notes[0]


def test_each_lever_multiplies_its_own_part_of_the_time(talking):
    (found,), _ = asked(talking)
    of = found.times_s
    start_s, bytes_s = 1000 * 1e-6, 1000 * 100000 * 1e-10
    computing_s = of[2, 2, 2] - start_s - bytes_s
    assert computing_s == pytest.approx(found.took_s, rel=0.5) and computing_s > 0.0
    for (start, band, speed), took_s in of.items():
        factor = levers.FACTORS
        expected_s = start_s * factor[start] + bytes_s / factor[band] + computing_s / factor[speed]
        assert took_s == pytest.approx(expected_s, rel=1e-6)
    assert levers.told(found, (2, 2, 4)).startswith("With computing speed × 4: ")
    assert levers.told(found, (2, 2, 2)).startswith("As it is: ")


def test_without_messages_the_network_is_no_lever(folder):  # noqa: F811
    (found,), _ = asked(folder)
    assert [lever.name for lever in found.levers] == ["computing speed"]
    assert found.notes[0] == "It sends no message, so the network changes nothing."


def test_measured_noise_is_a_lever(folder):  # noqa: F811
    machine = folder / "machine.toml"
    machine.write_text(machine.read_text() + NOISE)
    (found,), _ = asked(folder)
    assert [lever.name for lever in found.levers] == ["computing speed", "noise"]
    changed_noise = found.levers[-1].change(Machine.load(machine), 4.0)
    assert changed_noise.values("noise", "detours")[0].value == 400.0


def test_when_time_is_up_the_run_as_it_is_stays(talking):
    run = levers.chosen_runs(RecordStore(talking).all())[0]
    found = levers.what_if_of(
        run,
        RecordStore(talking).all(),
        Machine.load(talking / "machine.toml"),
        engine(None),
        time.monotonic() - 1,
    )
    assert list(found.times_s) == [found.as_it_is]
    assert "not replayed" in levers.told(found, (2, 2, 4))


def test_a_program_that_says_no_schedule_is_named(folder):  # noqa: F811
    others = [changed(one, program="unknown") for one in campaign()]
    found, missing = asked(folder, records=others)
    assert found == [] and len(missing) == 1 and missing[0].startswith("unknown: there is no program")


def test_failed_runs_and_probes_are_not_replayed():
    records = campaign()
    assert levers.chosen_runs([changed(one, verdict="failed") for one in records]) == []
    assert levers.chosen_runs([changed(one, kind="probe") for one in records]) == []
