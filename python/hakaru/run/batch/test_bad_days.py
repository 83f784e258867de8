"""What goes wrong around jobs, with batch systems that stand in for real ones (stand_ins/): nothing is lost, and there is a clear word."""

import json
import os
import time

import msgspec
import pytest

from hakaru.base.errors import UserError
from hakaru.facts.records import RecordStore
from hakaru.run.batch import executor, following, submission, submitting
from hakaru.run.batch.testing import (
    ONE_POINT_A_TASK,
    PBS,
    complete,
    settled,
    small_plan,
    small_site,
    submitted_folder,
)
from hakaru.run.batch.work import work


def test_a_campaign_as_an_array(system, store):
    site = small_site(system, **ONE_POINT_A_TASK)
    plan = small_plan()
    [job] = submitting.submit(plan, site, store, print).jobs
    assert len(job.tasks) == 2
    assert [state.mark.end for state in settled(store, plan)] == ["complete", "complete"]
    assert complete(store, plan) and len(store.all()) == 2
    assert submitting.submit(plan, site, store, print).jobs == []


def test_a_campaign_as_one_job(system, store):
    plan = small_plan()
    [job] = submitting.submit(plan, small_site(system, name="cluster"), store, print).jobs
    assert len(job.tasks) == 1
    settled(store, plan)
    assert complete(store, plan)
    assert {record.setting.host for record in store.all()} == {"cluster"}, "whichever node it was"


def test_the_queue_refuses(queue, store):
    (queue / "refuse").touch()
    plan = small_plan()
    with pytest.raises(
        UserError, match="PBS refuses a job of 1 node .*violates queue.*nothing was submitted"
    ):
        submitting.submit(plan, PBS, store, print)
    (queue / "refuse").unlink()
    assert len(submitting.submit(plan, PBS, store, print).jobs) == 1
    settled(store, plan)
    assert complete(store, plan)


def test_a_queue_that_does_not_answer_starts_nothing_again(queue, store):
    plan = small_plan()
    (queue / "hold").touch()
    submitting.submit(plan, PBS, store, print)
    (queue / "silent").touch()
    for ask in (
        lambda: following.follow(store, plan.campaign, 0.0),
        lambda: submitting.submit(plan, PBS, store, print),
    ):
        with pytest.raises(UserError, match="PBS does not answer 'qstat' .*cannot connect"):
            ask()
    (queue / "silent").unlink()
    (queue / "hold").unlink()
    settled(store, plan)
    assert len(list(queue.glob("*.job"))) == 1 and complete(store, plan)


def test_a_job_that_waits_for_ever_is_told_and_cancelled(queue, store):
    plan = small_plan()
    (queue / "hold").touch()
    submitting.submit(plan, PBS, store, print)
    [state] = following.follow(store, plan.campaign, 0.0)
    assert state.words() == "waiting (Not Running: Insufficient amount of resource)"
    time.sleep(0.1)
    assert submitting.submit(plan, PBS, store, print).waiting == 2
    assert submitting.cancel(plan, PBS, store) == [state.submission.id]
    assert settled(store, plan)[0].words() == "never began (ended by signal 15)"
    (queue / "hold").unlink()
    submitting.submit(plan, PBS, store, print)
    settled(store, plan)
    assert complete(store, plan)


def test_a_job_that_was_thought_gone_is_not_given_up(queue, store):
    """A batch system that has just been started again may not know its jobs yet."""
    plan = small_plan()
    folder = submitted_folder(queue, store, plan)
    [job] = queue.glob("*.job")
    hidden = job.rename(queue / "hidden")
    assert following.follow(store, plan.campaign, 3600.0)[0].status.state == "ended"
    hidden.rename(job)
    assert following.follow(store, plan.campaign, 0.0)[0].status.state == "waiting"
    assert not (folder / "ended-0").exists()
    submitting.cancel(plan, PBS, store)


def test_a_launch_that_would_not_fit_is_not_begun(queue, store):
    """The task ends by itself in time, and what is missing is for the next job."""
    plan = small_plan()
    folder = submitted_folder(queue, store, plan)
    known = submission.read(folder)
    submission.write(folder, msgspec.structs.replace(known, time_s=1.0, margin_s=1.0))
    assert work(folder, 0, "7") == 4
    mark = submission.read_mark(folder, 0)
    assert mark.end == "out of time" and store.all() == []
    submitting.cancel(plan, PBS, store)


def test_points_whose_jobs_break_off_are_given_up_until_asked_again(queue, store):
    plan = small_plan(parameters={"cells": 1000, "steps": 10})
    for _ in range(submitting.MOST_TRIES):
        (queue / "hold").touch()
        assert len(submitting.submit(plan, PBS, store, print).jobs) == 1
        submitting.cancel(plan, PBS, store)
        settled(store, plan)
    done = submitting.submit(plan, PBS, store, print)
    assert done.jobs == [] and len(done.given_up) == 1
    (queue / "hold").unlink()
    assert len(submitting.submit(plan, PBS, store, print, again=True).jobs) == 1
    settled(store, plan)
    assert complete(store, plan)


def test_a_damaged_file_is_named(queue, store):
    plan = small_plan()
    folder = submitted_folder(queue, store, plan)
    (folder / submission.FILE).write_text('{"name": "half')
    with pytest.raises(UserError, match="submission.json cannot be read .*records are kept elsewhere"):
        following.follow(store, plan.campaign, 0.0)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"nodes": 3, "layouts": ["3x1"]}, "needs 3 nodes .*site.toml allows 2"),
        (
            {"parameters": {"cells": 10_000_000, "steps": 1_000_000}},
            "may take .*site.toml allows jobs of 600 s",
        ),
    ],
)
def test_what_the_site_cannot_hold_is_told_before_anything_is_submitted(queue, store, change, said):
    with pytest.raises(UserError, match=said):
        submitting.submit(small_plan(**change), PBS, store, print)
    assert not list(queue.glob("*.job"))


@pytest.mark.parametrize("disk", [256], indirect=True)  # KiB; a campaign of one point needs 60
def test_the_shared_disk_is_full(queue, disk):
    """The job says so and ends; what it could not write is run again when there is room."""
    store, plan = RecordStore(disk / "results"), small_plan(parameters={"cells": 1000, "steps": 10})
    folder = submitted_folder(queue, store, plan)
    ballast = disk / "ballast"
    with pytest.raises(OSError), open(ballast, "wb", buffering=0) as file:
        while True:
            file.write(bytes(512))
    with pytest.raises(UserError, match="No space left"):
        work(folder, 0, "7")
    assert store.all() == [] and submission.read(folder).id, "what was written before is whole"
    with pytest.raises(UserError, match="No space left"):
        submitting.submit(small_plan(), PBS, store, print)
    ballast.unlink()
    submitting.cancel(plan, PBS, store)
    settled(store, plan)
    (queue / "hold").unlink()
    submitting.submit(plan, PBS, store, print)
    settled(store, plan)
    assert complete(store, plan) and len(store.all()) == 1


def test_a_folder_that_directives_cannot_hold(queue, tmp_path):
    with pytest.raises(UserError, match="a space or a % in a path"):
        submitting.submit(small_plan(), PBS, RecordStore(tmp_path / "my results"), print)
    assert not list(queue.glob("*.job"))


def test_a_dry_run_writes_nothing(queue, store):
    [prepared] = submitting.prepare(small_plan(), PBS, store)
    assert prepared.script.startswith("#!/bin/bash\n#PBS -N h") and prepared.line[0] == "qsub"
    assert not store.folder.exists() and not list(queue.iterdir())
    assert os.environ["HAKARU_STAND_IN"] == str(queue)
    json.dumps(prepared.submission.as_dict())


def test_without_the_batch_system_it_says_so(store, monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UserError, match="PBS cannot be reached from here .*no qsub on PATH"):
        submitting.submit(small_plan(), PBS, store, print)
    assert executor.ANSWER_LIMIT_S > 0
