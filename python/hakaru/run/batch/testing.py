"""For tests: a campaign of seconds, sites, and batch systems that stand in for those that are not here."""

import os
import stat
import sys
import time
from pathlib import Path

from hakaru.facts.records import RecordStore
from hakaru.run.batch import following, submission, submitting
from hakaru.run.batch.following import TaskState
from hakaru.run.batch.site import Site
from hakaru.run.batch.systems.known import batch_system
from hakaru.run.campaign.plan import Plan, make_plan
from hakaru.run.campaign.runner import states_of
from hakaru.run.lab.system import wait_until

STAND_INS = Path(__file__).with_name("stand_ins")
LIMIT_S = 60.0
LOOK_S = 0.2  # between two questions to a batch system
ONE_POINT_A_TASK = {"longest_s": 101.5, "margin_s": 100.0}


def small_plan(**changes) -> Plan:
    runs = {
        "program": "template_app",
        "parameters": {"cells": [1000, 2000], "steps": 10},
        "layouts": ["1x1"],
        "repetitions": 2,
    }
    own = {name: changes.pop(name) for name in list(changes) if name in ("parameters", "layouts", "nodes")}
    return make_plan(
        {"name": "small", "repeats": 1, "most_repeats": 1, "runs": [runs | own]} | changes, "test"
    )


def small_site(system: str, **changes) -> Site:
    usual = {
        "launcher": "openmpi",
        "longest_s": 600.0,
        "margin_s": 10.0,
        "late_s": 0.5,
        "bound": False,
        "most_nodes": 2,
    }
    return Site(system=system, cores=2, **(usual | changes))


def stand_in(name: str, folder: Path, monkeypatch) -> Path:
    """Puts the commands of a batch system that answers as its manual says in front of PATH; the folder of its queue."""
    queue, commands = folder / "queue", folder / "commands"
    queue.mkdir()
    commands.mkdir()
    for command in batch_system(name).commands:
        path = commands / command
        path.write_text(
            f'#!/bin/sh\nexec {sys.executable} {STAND_INS}/batch_queue.py {name} {command} "$@"\n'
        )
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{commands}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("HAKARU_STAND_IN", str(queue))
    return queue


def settled(store: RecordStore, plan: Plan, late_s: float = 0.5, limit_s: float = LIMIT_S) -> list[TaskState]:
    """How the tasks stand when all have settled."""
    states: list[TaskState] = []

    def done() -> bool:
        time.sleep(LOOK_S)
        states[:] = following.follow(store, plan.campaign, late_s)
        return bool(states) and all(state.settled for state in states)

    assert wait_until(done, limit_s), [state.words() for state in states]
    return states


PBS = small_site("pbs")


def complete(store: RecordStore, plan: Plan) -> bool:
    return all(len(state.good) >= state.point.repeats for state in states_of(plan, store, plan.campaign))


def submitted_folder(queue: Path, store: RecordStore, plan: Plan) -> Path:
    """Of a job that is held in the queue of the stand-in for PBS."""
    (queue / "hold").touch()
    submitting.submit(plan, PBS, store, print)
    [(folder, _)] = submission.all_of(store, plan.campaign)
    return folder
