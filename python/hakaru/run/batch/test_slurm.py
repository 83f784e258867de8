"""A real Slurm of this machine, with two nodes in network namespaces, real sbatch, srun and squeue. Needs root, slurm-wlm and munge."""

import os
import shutil
import subprocess
import sys
import time
import tomllib
from pathlib import Path

import msgspec
import pages
import pytest

from hakaru.base.errors import UserError
from hakaru.base.paths import root
from hakaru.facts.records import RecordStore
from hakaru.run.batch import executor, following, submission, submitting
from hakaru.run.batch.job import Job
from hakaru.run.batch.slurm_here import NETWORK, SlurmHere, why_not
from hakaru.run.batch.systems.known import batch_system
from hakaru.run.batch.testing import LIMIT_S, ONE_POINT_A_TASK, settled, small_plan, small_site
from hakaru.run.lab.system import wait_until

REASON = why_not()
pytestmark = pytest.mark.skipif(REASON is not None, reason=REASON or "")
SLURM = batch_system("slurm")
# Messages between the nodes go over their network, and not through memory that they share because they are one machine.
OPEN_MPI = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_pml": "ob1",
    "OMPI_MCA_btl": "self,vader,tcp",
    "OMPI_MCA_osc": "^rdma,ucx",
    "OMPI_MCA_btl_tcp_if_include": f"{NETWORK}.0/24",
    "OMPI_MCA_mpi_yield_when_idle": "1",
}
SITE = small_site("slurm", launcher="srun", partition="main", environment=OPEN_MPI)
DISTURBED = 4  # `hakaru probe` refused facts, as on a machine that tests keep busy


@pytest.fixture(scope="module")
def slurm(tmp_path_factory):
    with SlurmHere(tmp_path_factory.mktemp("slurm")) as made:
        yield made
    assert why_not() is None, "something was left"


@pytest.fixture
def store(tmp_path, slurm):
    store = RecordStore(tmp_path / "results")
    yield store
    slurm.told("scancel", "--user=root")
    assert wait_until(lambda: not slurm.told("squeue", "--noheader", "--states=R,PD,CG"), LIMIT_S)


def job(folder: Path, script: str, **more) -> Job:
    folder.mkdir(parents=True, exist_ok=True)
    return Job("htest", folder, ("sh", "-c", script), **more)


def ended(ids: list[str]) -> dict:
    told = {}

    def done() -> bool:
        told.clear()
        told.update(executor.statuses(SLURM, ids))
        return all(one.state == "ended" for one in told.values())

    assert wait_until(done, LIMIT_S), told
    return told


def test_a_campaign_on_two_nodes(store):
    """One layout on one node, and one that only two nodes hold: two jobs, and each launch where it belongs."""
    plan = small_plan(layouts=["2x1"], nodes=[1, 2], repeats=2, most_repeats=2)
    done = submitting.submit(plan, SITE, store, print)
    assert [job.nodes for job in done.jobs] == [1, 2] and all(job.id.isdigit() for job in done.jobs)
    states = settled(store, plan)
    assert [state.mark.end for state in states] == ["complete", "complete"], [s.words() for s in states]
    records = store.all(campaign=plan.campaign)
    assert len(records) == 8 and all(record.ok and record.verdict == "passed" for record in records)
    hosts = {record.nodes: set() for record in records}
    for record in records:
        hosts[record.nodes].add(len(record.layout.hosts))
    assert hosts == {1: {1}, 2: {2}}
    assert all("srun" in record.launch_line for record in records)
    assert submitting.submit(plan, SITE, store, print).jobs == [], "nothing is run twice"


def test_arrays_run_every_task_once(store):
    site = msgspec.structs.replace(SITE, **ONE_POINT_A_TASK)
    plan = small_plan(parameters={"cells": [1000, 1100, 1200], "steps": 10})
    done = submitting.submit(plan, site, store, print)
    assert [len(job.tasks) for job in done.jobs] == [3]
    states = settled(store, plan)
    assert [state.mark.end for state in states] == ["complete"] * 3, [state.words() for state in states]
    assert len({record.point for record in store.all()}) == len(store.all()) == 3


def test_a_job_that_waits_for_another(tmp_path, slurm):
    log = tmp_path / "log"
    first = executor.submit(SLURM, SITE, job(tmp_path / "1", f"sleep 1; echo first >> {log}; exit 3"))
    second = executor.submit(SLURM, SITE, job(tmp_path / "2", f"echo second >> {log}", after=(first,)))
    told = ended([first, second])
    assert log.read_text().split() == ["first", "second"]
    assert told[first, None].why == "FAILED" and told[second, None].why == ""


def test_a_cancelled_job_leaves_its_points_for_the_next(store, slurm):
    plan = small_plan()
    holding = executor.submit(SLURM, SITE, job(store.folder / "x", "sleep 60", nodes=2))
    submitting.submit(plan, SITE, store, print)
    states = following.follow(store, plan.campaign, 0.5)
    assert {state.status.state for state in states} == {"waiting"}
    again = submitting.submit(plan, SITE, store, print)
    assert again.jobs == [] and again.waiting == 2
    assert submitting.cancel(plan, SITE, store) == [states[0].submission.id]
    executor.cancel(SLURM, holding, store.folder)
    states = settled(store, plan)
    assert "never began (CANCELLED)" in states[0].words()
    assert len(submitting.submit(plan, SITE, store, print).jobs) == 1
    assert [state.mark.end for state in settled(store, plan)[1:]] == ["complete"]
    assert len(store.all(campaign=plan.campaign)) == 2


def test_slurm_refuses_and_nothing_is_left_in_doubt(store):
    plan, site = small_plan(), msgspec.structs.replace(SITE, partition="nowhere")
    with pytest.raises(UserError, match=r"Slurm refuses a job .*nvalid partition.*change site.toml"):
        submitting.submit(plan, site, store, print)
    assert following.follow(store, plan.campaign, 0.5) == []
    assert len(submitting.submit(plan, SITE, store, print).jobs) == 1
    settled(store, plan)


def test_the_submitter_is_killed_before_it_has_the_id(store, monkeypatch):
    """Slurm has the job, nobody wrote its id down: it is found by its name, and nothing is submitted again."""

    class Killed(BaseException):
        pass

    ask = executor.submit

    def killed(*words):
        ask(*words)
        raise Killed

    plan = small_plan()
    monkeypatch.setattr(executor, "submit", killed)
    with pytest.raises(Killed):
        submitting.submit(plan, SITE, store, print)
    monkeypatch.setattr(executor, "submit", ask)
    [(_, written)] = submission.all_of(store, plan.campaign)
    assert written.id is None
    assert submitting.submit(plan, SITE, store, print).jobs == []
    assert [state.mark.end for state in settled(store, plan)] == ["complete"]
    assert len(store.all(campaign=plan.campaign)) == 2


def running(store, plan) -> bool:
    states = following.follow(store, plan.campaign, 0.5)
    return any(state.mark and state.status.state == "running" for state in states)


def long_plan(steps: int = 30_000_000):
    """One launch that takes longer than any test waits for."""
    return small_plan(parameters={"cells": 1000, "steps": steps}, timeout_s=500.0)


def test_a_node_dies_in_the_middle_of_a_launch(store, slurm):
    plan = long_plan()
    submitting.submit(plan, SITE, store, print)
    assert wait_until(lambda: running(store, plan), LIMIT_S)
    node = slurm.told("squeue", "--noheader", "--format=%N").strip()
    slurm.kill_node(node)
    slurm.told("scontrol", "update", f"nodename={node}", "state=down", "reason=power")
    try:
        [state] = settled(store, plan)
        assert "broke off (NODE_FAIL) after 0 launches" in state.words()
        assert state.broke_off and following.tries([state], state.points[0]) == 1
        assert store.all(campaign=plan.campaign, status="ok") == []
    finally:
        slurm.start_node(node)
        assert wait_until(slurm.all_idle, LIMIT_S)


def test_a_job_is_preempted_and_its_launches_are_for_the_next(store, slurm):
    plan = long_plan()
    submitting.submit(plan, SITE, store, print)
    assert wait_until(lambda: running(store, plan), LIMIT_S)
    urgent = msgspec.structs.replace(SITE, partition="urgent")
    executor.submit(SLURM, urgent, job(store.folder / "x", "sleep 1", nodes=2))
    [state] = settled(store, plan)
    assert state.status.why == "PREEMPTED" and state.broke_off, state.words()
    assert store.all(campaign=plan.campaign) == []
    assert len(submitting.submit(plan, SITE, store, print).jobs) == 1


def test_a_running_job_is_told_to_end(store, slurm):
    plan = long_plan()
    submitting.submit(plan, SITE, store, print)
    assert wait_until(lambda: running(store, plan), LIMIT_S)
    time.sleep(0.5)
    submitting.cancel(plan, SITE, store)
    [state] = settled(store, plan)
    assert state.status.why == "CANCELLED" and state.broke_off
    assert not list(store.incoming.glob("*.json")), "no half of a launch is left"


@pytest.mark.long
def test_the_how_to_runs_as_it_is_written(tmp_path, slurm, monkeypatch):
    """Every command line of docs/how-to/clusters.md, also those that other hosts cannot run."""
    text = (root() / "docs" / "how-to" / "clusters.md").read_text()
    for name, content in pages.files_of(text).items():
        (tmp_path / name).write_text(content)
    for name, value in OPEN_MPI.items():
        monkeypatch.setenv(name, value)
    launcher = tmp_path / "hakaru"
    launcher.write_text(f'#!/bin/sh\nexec {sys.executable} -m hakaru "$@"\n')
    launcher.chmod(0o755)
    said = {}
    for line in pages.lines_of(text):
        done = subprocess.run(
            line.text, shell=True, cwd=tmp_path, capture_output=True, text=True, timeout=300
        )
        allowed = (0, DISTURBED) if line.text.startswith("./hakaru probe") else (0,)
        assert done.returncode in allowed, f"{line.text}\n{done.stdout}{done.stderr}"
        said[line.text] = done.stdout
    assert "submitted" in said["./hakaru campaign cluster.toml --submit"]
    assert "every run has its record" in said["./hakaru campaign cluster.toml --submit --wait"]
    machine = tomllib.loads((tmp_path / "hakaru-results" / "machine.toml").read_text())
    assert machine["network"]["node"] and machine["network"]["core"], "between nodes, and within one"
    assert wait_until(lambda: not slurm.told("squeue", "--noheader", "--states=R,PD,CG"), LIMIT_S)
    parts = [one.read_text() for one in tmp_path.glob("hakaru-results/jobs/replays/*/out-task-*.txt")]
    assert sorted(line[:11] for text in parts for line in text.splitlines() if line.startswith("part")) == [
        f"part {number} of 3" for number in (1, 2, 3)
    ]


@pytest.fixture
def shared(tmp_path):
    """A folder behind a file system in user space, which both nodes see."""
    if shutil.which("bindfs") is None:
        pytest.skip("bindfs is not installed here")
    seen, behind = tmp_path / "shared", tmp_path / "behind"
    seen.mkdir()
    behind.mkdir()
    subprocess.run(["bindfs", str(behind), str(seen)], check=True)
    yield seen
    subprocess.run(["umount", "-l", str(seen)], check=True)


@pytest.mark.long
def test_probes_tell_nodes_switches_and_the_shared_disk(shared, slurm, monkeypatch):
    """The site claims that its two nodes hang on different switches; without that claim nothing is said of switches."""
    nodes = ",".join(slurm.names)
    site = f'system = "slurm"\nname = "lab"\ncores = 2\nmost_nodes = 2\nlate_s = 1\nbound = false\nacross = ["--nodelist={nodes}"]\n'
    (shared / "site.toml").write_text(site)
    for name, value in OPEN_MPI.items():
        monkeypatch.setenv(name, value)
    words = [
        sys.executable,
        "-P",
        "-m",
        "hakaru",
        "probe",
        "messages",
        "files",
        "--small",
        "--nodes",
        "2",
        "--submit",
        "--wait",
    ]
    done = subprocess.run(words, cwd=shared, capture_output=True, text=True, timeout=400)
    assert done.returncode in (0, DISTURBED), done.stdout + done.stderr
    machine = tomllib.loads((shared / "hakaru-results" / "machine.toml").read_text())
    assert machine["name"] == "lab"
    assert {"core", "node", "switch"} <= set(machine["network"])
    assert machine["storage"]["shared"]["write_bandwidth"]["value"] > 0.0 and "local" in machine["storage"]
    assert machine["network"]["node"] != machine["network"]["switch"]
    print(
        {
            level: facts["latency"]["value"]
            for level, facts in machine["network"].items()
            if "latency" in facts
        }
    )


@pytest.mark.long
def test_the_time_limit_hits_a_launch(store, slurm):
    """Slurm counts in minutes: the job believes to have longer than it is given, and is ended in the middle of a launch."""
    plan = long_plan(steps=150_000_000)
    submitting.submit(plan, msgspec.structs.replace(SITE, longest_s=3600.0), store, print)
    assert wait_until(lambda: running(store, plan), LIMIT_S)
    id = following.follow(store, plan.campaign, 0.5)[0].submission.id
    slurm.told("scontrol", "update", f"jobid={id}", "timelimit=1")
    assert wait_until(lambda: not running(store, plan), 240.0)
    [state] = settled(store, plan)
    assert state.status.why == "TIMEOUT" and state.broke_off, state.words()
    assert store.all(campaign=plan.campaign, status="ok") == []
    assert "SLURM_CONF" in os.environ
