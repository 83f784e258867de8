"""The energy of jobs by accounting: what sacct and pjstat print, by their manuals; batch systems without it; what is kept."""

import os

import msgspec
import pytest

from hakaru.base.errors import UserError
from hakaru.facts.machines import Machine
from hakaru.facts.records import RecordStore
from hakaru.facts.records.fixtures import record
from hakaru.facts.records.power import Power, Reading
from hakaru.run.batch import energy, submission, submitting
from hakaru.run.batch.energy import Accounted, of_tasks
from hakaru.run.batch.following import TaskState
from hakaru.run.batch.submission import Mark
from hakaru.run.batch.systems.known import batch_system
from hakaru.run.batch.systems.system import Status
from hakaru.run.batch.testing import (
    ONE_POINT_A_TASK,
    complete,
    settled,
    small_plan,
    small_site,
    stand_in,
    submitted_folder,
)
from hakaru.tell.job_energy import machine_of, told_energies

SLURM, PJM = batch_system("slurm"), batch_system("pjm")
SACCT = "77|4580000\n77.batch|4580000\n77.extern|4580000\n77.0|4570000\n"  # steps overlap, as on ARCHER2
NO_VALUE = 2**64 - 2


@pytest.mark.parametrize(
    ("printed", "joules"),
    [
        (SACCT, {("77", None): 4.58e6}),
        ("77|\n77.batch|100\n77.extern|900\n77.0|300\n77.1|200\n", {("77", None): 900.0}),
        ("77|\n77.batch|100\n77.0|300\n77.1|200\n", {("77", None): 500.0}),
        ("77_0|50\n77_0.batch|50\n77_1|70\n", {("77", 0): 50.0, ("77", 1): 70.0}),
        ("77|0\n77.batch|0\n", {}),
        (f"77|{NO_VALUE}\n77.batch|{NO_VALUE}\n", {}),
        ("", {}),
    ],
)
def test_what_sacct_says(printed, joules):
    assert SLURM.energies(0, printed, "") == joules


def test_steps_that_were_added_up_would_be_seen():
    wrong = sum(float(line.split("|")[1]) for line in SACCT.splitlines())
    assert SLURM.energies(0, SACCT, "")["77", None] != wrong


def test_a_slurm_without_accounting_is_no_energy_of_nothing():
    with pytest.raises(ValueError, match="storage is disabled"):
        SLURM.energies(1, "", "Slurm accounting storage is disabled\n")


@pytest.mark.parametrize(
    ("printed", "joules"),
    [
        ("H,JOB_ID,ECON\n,77,2.5\n", {("77", None): 9000.0}),
        ("H,JOB_ID,ECON\n,77,1 Wh\n", {("77", None): 3600.0}),
        ("H,JOB_ID,ECON\n,77[0],1\n,77[1],2\n", {("77", 0): 3600.0, ("77", 1): 7200.0}),
        ("H,JOB_ID,ECON\n,77,-\n", {}),
    ],
)
def test_what_pjstat_says(printed, joules):
    assert PJM.energies(0, printed, "") == joules


def test_a_pjm_that_does_not_answer():
    with pytest.raises(ValueError, match="cannot connect"):
        PJM.energies(255, "", "cannot connect to server")


def test_jobs_of_pjm_as_an_array(tmp_path, monkeypatch):
    """Asked once they have ended, and kept: batch systems forget."""
    queue = stand_in("pjm", tmp_path, monkeypatch)
    store, plan = RecordStore(tmp_path / "results"), small_plan()
    submitting.submit(plan, small_site("pjm", **ONE_POINT_A_TASK), store, print)
    states = settled(store, plan)
    assert complete(store, plan)
    assert [one.accounted.joules for one in of_tasks(store, states)] == [1800.0, 3600.0]
    (queue / "silent").touch()
    assert [one.accounted.joules for one in of_tasks(store, states)] == [1800.0, 3600.0]
    (states[0].folder / "energy-0.json").unlink()
    first, second = of_tasks(store, states)
    assert "PJM does not answer 'pjstat'" in first.accounted and second.accounted.joules == 3600.0


@pytest.fixture
def job(queue, store):
    """The state of a task of a job that has ended and published two records; ``changes`` of its submission."""

    def made(power: Power | None, settled: bool = True, **changes) -> TaskState:
        folder = submitted_folder(queue, store, small_plan())
        known = msgspec.structs.replace(submission.read(folder), **({"id": "77"} | changes))
        rows = [{"wall_s": 1.0, "rank_s": [1.0], "phases": {}}]
        names = [store.write(record("heat", 30 * at, rows).with_power(power)).id for at in (0, 1)]
        mark = Mark(job="77", host="node1", started="", end="complete", records=tuple(names))
        return TaskState(known, folder, 0, Status("ended"), mark, settled)

    yield made
    for state in queue.glob("*.0"):
        state.write_text("ended 271")  # what was held in the queue


def power(joules):
    reading = Reading(scope="node", source="cray energy", joules=joules, watts=joules / 4.0)
    return Power(seconds=4.0, readings=(reading,))


def sacct(tmp_path, monkeypatch, script):
    folder = tmp_path / "sacct"
    folder.mkdir()
    (folder / "sacct").write_text(f"#!/bin/sh\n{script}\n")
    (folder / "sacct").chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")


NOTHING = small_site("slurm")


def test_accounting_and_the_meters_of_the_node(job, store, tmp_path, monkeypatch):
    """Both are told: launches are less than the job."""
    sacct(tmp_path, monkeypatch, f"printf '{SACCT}'".replace("\n", "\\n"))
    state = job(power(40.0), system="slurm")
    [found] = of_tasks(store, [state])
    assert found.accounted == Accounted(joules=4.58e6, source="sacct") and found.launches_j == 80.0
    [told] = told_energies(store, [state], NOTHING)
    assert told.words == "4.58 MJ (sacct)" and told.why == ""
    assert told.as_dict()["launches_j"] == 80.0 and told.as_dict()["estimate"] is None


def test_the_meters_of_the_node_where_there_is_no_accounting(job, store, tmp_path, monkeypatch):
    sacct(tmp_path, monkeypatch, "echo 'Slurm accounting storage is disabled' >&2; exit 1")
    [told] = told_energies(store, [job(power(40.0), system="slurm")], NOTHING)
    assert told.words == "80.0 J in launches (node, cray)" and "storage is disabled" in told.why


def test_an_estimate_is_marked_and_has_an_interval(job, store):
    """By the power of the machine that the site names, over the 30 s between its launches."""
    site = small_site("pbs", machine="archer2")
    [told] = told_energies(store, [job(None, nodes=2)], site)
    watts = sorted(fact.value for fact in machine_of(store, site).facts("power.node_application"))
    joules = told.estimate.joules
    assert (joules.low, joules.high) == (2 * 30 * watts[0], 2 * 30 * watts[-1])
    assert told.words.startswith("estimate ") and "power.node_application of archer2" in told.why
    assert told.as_dict()["estimate"]["joules"]["value"] == joules.value


def test_nothing_at_all_says_why(job, store):
    [told] = told_energies(store, [job(Power(seconds=1.0, unavailable="no meter"))], NOTHING)
    assert told.words == "not available"
    assert "PBS tells no energies" in told.why and "nodes: not available (no meter)" in told.why


def test_a_job_that_runs_has_no_energy_yet(job, store):
    [told] = told_energies(store, [job(None, settled=False)], NOTHING)
    assert told.measured.accounted == energy.NOT_ENDED and (told.words, told.why) == ("", "")


def test_a_launch_without_a_meter_is_not_left_out_silently(job, store):
    state = job(power(40.0))
    name = store.write(record("heat", 90, [{"wall_s": 1.0, "rank_s": [1.0], "phases": {}}])).id
    more = msgspec.structs.replace(state.mark, records=(*state.mark.records, name))
    changed = TaskState(state.submission, state.folder, 0, state.status, more, True)
    assert of_tasks(store, [changed])[0].launches_j is None


def test_a_machine_that_is_none_is_told(store):
    with pytest.raises(UserError, match="there is no machine 'nowhere'"):
        machine_of(store, small_site("pbs", machine="nowhere"))
    assert machine_of(store, small_site("pbs")) is None
    assert isinstance(machine_of(store, small_site("pbs", machine="fugaku")), Machine)


def test_the_meter_of_the_site_reaches_the_job(queue, store):
    site = small_site("pbs", meter="/opt/meter --node")
    [prepared] = submitting.prepare(small_plan(), site, store)
    assert "export HAKARU_METER='/opt/meter --node'" in prepared.script
