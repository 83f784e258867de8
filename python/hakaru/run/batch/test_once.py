"""Nothing is run twice: submitters that are killed, records that appear late, two people in one folder."""

import fcntl
import os
import subprocess
import sys
import threading

import msgspec
import pytest

from hakaru.run.batch import following, submission, submitting
from hakaru.run.batch.stand_ins import batch_queue
from hakaru.run.batch.submission import Mark
from hakaru.run.batch.testing import (
    LIMIT_S,
    PBS,
    complete,
    settled,
    small_plan,
    small_site,
    submitted_folder,
)
from hakaru.run.batch.work import work
from hakaru.run.campaign.runner import states_of
from hakaru.run.campaign.turns import FOLDER
from hakaru.run.lab.system import wait_until

KILLED = """
import os, sys
from pathlib import Path
from hakaru.facts.records import RecordStore
from hakaru.run.batch import executor, submitting
from hakaru.run.batch.testing import small_plan, small_site
ask = executor.submit
def killed(*words):
    if sys.argv[2] == "after":
        ask(*words)
    os._exit(137)
executor.submit = killed
submitting.submit(small_plan(), small_site("pbs"), RecordStore(sys.argv[1]), print)
"""


@pytest.mark.parametrize(("moment", "jobs"), [("before", 1), ("after", 1)])
def test_the_submitter_is_killed(queue, store, moment, jobs):
    """Before the batch system was asked, the job is submitted later; after, it is found and waited for: one job either way."""
    died = subprocess.run([sys.executable, "-c", KILLED, str(store.folder), moment])
    assert died.returncode == 137
    plan = small_plan()
    assert [one.id for _, one in submission.all_of(store, plan.campaign)] == [None]
    patient = small_site("pbs", late_s=3600.0)
    assert submitting.submit(plan, patient, store, print).jobs == [], (
        "it may have been submitted a moment ago"
    )
    states = settled(store, plan)
    if moment == "before":
        assert states[0].words() == "never began"
        submitting.submit(plan, PBS, store, print)
        settled(store, plan)
    assert complete(store, plan) and len(store.all()) == 2
    assert len(list(queue.glob("*.job"))) == jobs


def test_records_that_appear_late(queue, store, monkeypatch):
    """The task says which records it has published; until they are all here, nobody runs their points again."""
    plan = small_plan()
    submitting.submit(plan, PBS, store, print)
    settled(store, plan)
    [(folder, _)] = submission.all_of(store, plan.campaign)
    mark = submission.read_mark(folder, 0)
    late = store.path(mark.records[0])
    hidden = late.rename(late.with_suffix(".hidden"))
    [state] = following.follow(store, plan.campaign, late_s=3600.0)
    assert not state.settled and "may still be on their way" in state.words()
    patient = msgspec.structs.replace(PBS, late_s=3600.0)
    assert submitting.submit(plan, patient, store, print).jobs == []
    hidden.rename(late)
    assert following.follow(store, plan.campaign, late_s=3600.0)[0].settled
    assert complete(store, plan)


def test_a_record_that_never_appears_is_run_again(queue, store):
    plan = small_plan()
    submitting.submit(plan, PBS, store, print)
    settled(store, plan)
    [(folder, _)] = submission.all_of(store, plan.campaign)
    store.path(submission.read_mark(folder, 0).records[0]).unlink()
    assert wait_until(lambda: following.follow(store, plan.campaign, 0.2)[0].settled, LIMIT_S)
    submitting.submit(plan, small_site("pbs", late_s=0.2), store, print)
    assert wait_until(lambda: complete(store, plan), LIMIT_S)
    assert len(store.all()) == 2


def test_two_jobs_with_the_same_points_run_them_once(queue, store):
    """The second finds the points locked, and says so."""
    plan = small_plan(parameters={"cells": 1000, "steps": 10})
    folder = submitted_folder(queue, store, plan)
    [state] = states_of(plan, store, plan.campaign)
    lock = store.records / FOLDER / f"{plan.campaign}.{state.point.digest}.lock"
    lock.parent.mkdir(parents=True, exist_ok=True)
    with open(lock, "a+") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        assert work(folder, 0, "7") != 0
    mark = submission.read_mark(folder, 0)
    assert mark.end == "failed" and "another job runs 1 of its points" in mark.why and store.all() == []
    assert work(folder, 0, "7") == 0 and len(store.all()) == 1
    assert work(folder, 0, "8") == 0 and len(store.all()) == 1, "what has a record is not run again"
    submitting.cancel(plan, PBS, store)


def test_two_people_share_a_folder(queue, store):
    """The second finds the first one's job in the queue, and submits nothing."""
    plan = small_plan()
    folder = submitted_folder(queue, store, plan)
    known = submission.read(folder)
    submission.write(folder, msgspec.structs.replace(known, user="somebody-else", host="login2"))
    done = submitting.submit(plan, PBS, store, print)
    assert done.jobs == [] and done.waiting == 2
    (queue / "hold").unlink()
    settled(store, plan)
    assert complete(store, plan)


def test_a_mark_whose_clock_is_wrong_changes_nothing(queue, store):
    """When a task ended is told by the clock of the host that asks."""
    plan = small_plan()
    folder = submitted_folder(queue, store, plan)
    submission.write_mark(folder, 0, Mark(job="101.head", host="node", started="2199-01-01T00:00:00.000Z"))
    assert following.follow(store, plan.campaign, 0.0)[0].status.state == "waiting"
    submitting.cancel(plan, PBS, store)
    assert settled(store, plan)[0].words().startswith("broke off")


def test_a_state_is_never_seen_half_written(tmp_path):
    state, rewritten = tmp_path / "101.0", threading.Event()
    batch_queue.put(state, "waiting")

    def rewrite():
        for number in range(2000):
            batch_queue.put(state, f"ended {number}")
        rewritten.set()

    thread = threading.Thread(target=rewrite)
    thread.start()
    seen = set()
    while not rewritten.is_set():
        seen.add(state.read_text().split(" ")[0])
    thread.join()
    assert seen <= {"waiting", "ended"} and os.listdir(tmp_path) == ["101.0"]
