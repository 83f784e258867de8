"""What ``hakaru campaign --submit``, ``--collect`` and ``--cancel`` do and say."""

import sys
import time
from dataclasses import dataclass
from pathlib import Path

from hakaru.base.errors import ENVIRONMENT, UserError
from hakaru.base.output import print_json
from hakaru.base.paths import results_folder
from hakaru.base.tables import print_table
from hakaru.facts.records import RecordStore
from hakaru.run.batch import following, submitting
from hakaru.run.batch.following import TaskState
from hakaru.run.batch.site import Site, site_file
from hakaru.run.campaign import Plan, load_plan
from hakaru.run.campaign.progress import duration
from hakaru.run.campaign.runner import Outcome, outcome, states_of
from hakaru.tell.job_energy import JobEnergy, machine_of, told_energies
from hakaru.tell.outcome import outcome_dict, show_outcome

FIRST_LOOK_S, LONGEST_LOOK_S = 2.0, 30.0  # between two questions to the batch system


@dataclass(frozen=True)
class Asked:
    """The words of the command."""

    file: Path | None
    results: Path | None
    site: Path | None
    submit: bool = False
    collect: bool = False
    cancel: bool = False
    dry_run: bool = False
    wait: bool = False
    again: bool = False
    as_json: bool = False


def answer(asked: Asked) -> int:
    """Exit status of the command."""
    if asked.submit + asked.collect + asked.cancel > 1:
        raise UserError("--submit, --collect and --cancel are three commands", "", "give one of them")
    store = RecordStore(results_folder(asked.results))
    return answer_for(load_plan(asked.file), Site.read(site_file(asked.site)), store, asked)


def answer_for(plan: Plan, site: Site, store: RecordStore, asked: Asked) -> int:
    """The same for a plan that stands in no file."""
    if plan.cold:
        raise UserError(
            f"campaign {plan.name} cannot be submitted",
            "caches are emptied before every phase (cold), which is done here only",
            "leave --submit away, or cold",
        )
    machine_of(store, site)  # refused before anything is waited for
    if asked.submit and asked.dry_run:
        return show_scripts(plan, site, store, asked.as_json)
    if asked.cancel:
        ids = submitting.cancel(plan, site, store)
        print(f"cancelled {', '.join(ids)}" if ids else "no job of this campaign waits or runs")
        return 0
    if asked.submit:
        submit(plan, site, store, asked.again)
        if not asked.wait:
            return 0
    return collect(plan, site, store, asked)


def show_scripts(plan: Plan, site: Site, store: RecordStore, as_json: bool) -> int:
    """Every script as it would be submitted, and the line that does so."""
    prepared = submitting.prepare(plan, site, store)
    if as_json:
        print_json([{"line": one.line, "script": one.script, "tasks": one.job.tasks} for one in prepared])
        return 0
    for one in prepared:
        print(one.script)
        each = "" if one.job.tasks == 1 else f", {one.job.tasks} tasks"
        print(f"# {' '.join(one.line)}   # {one.job.nodes} nodes, {duration(one.job.time_s)}{each}\n")
    print(f"{sum(one.job.tasks for one in prepared)} jobs; nothing was submitted")
    return 0


def submit(plan: Plan, site: Site, store: RecordStore, again: bool) -> None:
    done = submitting.submit(plan, site, store, _say, again)
    for job in done.jobs:
        tasks = f", {len(job.tasks)} tasks" if len(job.tasks) > 1 else ""
        print(f"submitted {job.id}: {job.nodes} nodes, at most {duration(job.time_s)}{tasks}")
    if done.waiting:
        print(f"{done.waiting} runs are in the hands of jobs that were submitted before")
    for label in done.given_up:
        print(
            f"{label}: {submitting.MOST_TRIES} jobs broke off; --collect says why, --submit --again tries again"
        )
    if not (done.jobs or done.waiting or done.given_up):
        print("every run has its record; nothing was submitted")
    elif done.jobs:
        print("you may log out; the same command with --collect instead of --submit says how they stand")


def collect(plan: Plan, site: Site, store: RecordStore, asked: Asked) -> int:
    states, found = _now(plan, site, store)
    look_s = FIRST_LOOK_S
    while asked.wait and any(not state.settled for state in states):
        time.sleep(look_s)
        look_s = min(LONGEST_LOOK_S, 1.5 * look_s)
        before, (states, found) = [state.words() for state in states], _now(plan, site, store)
        if [state.words() for state in states] != before:
            _say(_summary(states, found))
        if asked.submit and not found.complete and all(state.settled for state in states):
            if not submitting.submit(plan, site, store, _say).jobs:
                break
            states, found = _now(plan, site, store)
    show(states, found, asked.as_json, told_energies(store, states, site))
    return 0 if found.complete else ENVIRONMENT


def _now(plan: Plan, site: Site, store: RecordStore) -> tuple[list[TaskState], Outcome]:
    states = following.follow(store, plan.campaign, site.late_s)
    failed = store.all(campaign=plan.campaign, status="failed")
    return states, outcome(plan.campaign, states_of(plan, store, plan.campaign), failed)


def _summary(states: list[TaskState], found: Outcome) -> str:
    counts = {word: sum(state.status.state == word for state in states) for word in ("waiting", "running")}
    wanted = sum(state.point.repeats for state in found.states)
    here = sum(min(len(state.good), state.point.repeats) for state in found.states)
    return (
        f"{here} of {wanted} launches have records; {counts['waiting']} tasks wait, {counts['running']} run"
    )


def show(states: list[TaskState], found: Outcome, as_json: bool, energies: list[JobEnergy]) -> None:
    jobs = [_job(state) for state in states]
    if as_json:
        told = [job | {"energy": one.as_dict()} for job, one in zip(jobs, energies, strict=True)]
        print_json(outcome_dict(found) | {"jobs": told})
        return
    rows = [
        [job["id"], str(job["task"]), str(job["runs"]), job["state"], one.words]
        for job, one in zip(jobs, energies, strict=True)
    ]
    print_table("Jobs", ["job", "task", "runs", "state", "energy"], rows)
    for why in dict.fromkeys(one.why for one in energies if one.why):
        print(f"energy of jobs: {why}")
    show_outcome(found, False)
    alive = [state for state in states if not state.settled]
    if not found.complete and not alive:
        print("some launches are missing and no job has them in hand; submit again with --submit")


def _job(state: TaskState) -> dict[str, object]:
    return {
        "id": state.submission.id or state.submission.name,
        "task": state.task,
        "runs": len(state.points),
        "state": state.words(),
        "settled": state.settled,
        "output": str(state.folder),
    }


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
