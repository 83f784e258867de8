"""Submitting a campaign: the jobs for what is missing, each written down before the batch system is asked."""

import getpass
import os
import platform
import secrets
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import msgspec

from hakaru.base.errors import UserError
from hakaru.base.files import write_atomically
from hakaru.base.paths import build_folder
from hakaru.facts import programs
from hakaru.facts.records import RecordStore
from hakaru.facts.records.provenance import PLACE
from hakaru.run.batch import executor, following, submission
from hakaru.run.batch.allocations import Allocation, allocations
from hakaru.run.batch.job import Job
from hakaru.run.batch.site import PLAIN, Site
from hakaru.run.batch.submission import Grant, Submission
from hakaru.run.batch.systems.known import batch_system
from hakaru.run.batch.systems.system import BatchSystem
from hakaru.run.campaign.estimate import Estimator
from hakaru.run.campaign.plan import Plan
from hakaru.run.campaign.runner import states_of
from hakaru.run.campaign.turns import alone
from hakaru.run.launchers.allocated import Granted, launch_granted
from hakaru.run.power.command import VARIABLE

MOST_TRIES = 3  # jobs that may break off before a point is given up


@dataclass(frozen=True)
class Prepared:
    """A job that was not submitted: its name, script, the line that submits it, and what it is to run."""

    job: Job
    script: str
    line: list[str]
    submission: Submission

    @property
    def folder(self) -> Path:
        return self.job.folder


def prepare(plan: Plan, site: Site, store: RecordStore, points: set[str] | None = None) -> list[Prepared]:
    """The jobs for what is missing of a plan, of these points only where they are given. Nothing is written or started. Raises UserError for
    what the site cannot hold."""
    system = batch_system(site.system)
    require_plain(store.folder.resolve())
    states = [
        state
        for state in states_of(plan, store, plan.campaign)
        if len(state.good) < state.point.repeats and (points is None or state.point.digest in points)
    ]
    for state in states:
        _require_launch(state.point, site, system)
    estimator = Estimator(store.all())
    return [
        _prepared(plan, site, store, system, one) for one in allocations(states, estimator, site) if one.tasks
    ]


def require_plain(folder: Path) -> None:
    """Directives of scripts hold the path, and % and spaces mean something in them."""
    if not PLAIN.fullmatch(str(folder)) or "%" in str(folder):
        raise UserError(
            f"jobs cannot write into {folder}",
            "batch systems take a space or a % in a path for more",
            "choose another results folder with --results DIR",
        )


def _require_launch(point, site: Site, system: BatchSystem) -> None:
    """Refuses on the login node what would fail in every job."""
    if not programs.named(point.program).brings_launcher:
        granted = Granted(
            launcher_of(site, system), point.layout.nodes, site.cores, site.threads_of_core, (), site.bound
        )
        launch_granted(granted, point.layout.ranks, point.layout.threads, point.layout.nodes)


def launcher_of(site: Site, system: BatchSystem) -> str:
    return site.launcher or system.launcher


def _prepared(
    plan: Plan, site: Site, store: RecordStore, system: BatchSystem, allocation: Allocation
) -> Prepared:
    name = f"h{secrets.token_hex(3)}-{plan.name}"[: system.longest_name]
    folder = (submission.folder_of(store, plan.campaign) / name).resolve()
    words = (sys.executable, "-P", "-m", "hakaru", "job", str(folder))
    job = Job(
        name,
        folder,
        words,
        allocation.nodes,
        allocation.ranks_of_node,
        allocation.threads,
        allocation.time_s,
        len(allocation.tasks),
        site.at_once,
        variables=tuple(sorted((own_variables(store.folder.resolve(), site) | site.environment).items())),
    )
    known = Submission(
        name=name,
        campaign=plan.campaign,
        results=str(store.folder.resolve()),
        system=site.system,
        user=getpass.getuser(),
        host=platform.node(),
        written_s=time.time(),
        nodes=allocation.nodes,
        time_s=allocation.time_s,
        margin_s=site.margin_s,
        grant=Grant(
            launcher=launcher_of(site, system),
            cores=site.cores,
            threads_of_core=site.threads_of_core,
            bound=site.bound,
            hosts_variable=system.hosts_variable,
        ),
        plan=plan.as_dict(),
        tasks=allocation.tasks,
    )
    return Prepared(job, system.script(job, site), system.submit_command(folder / "script", job), known)


def own_variables(results: Path, site: Site) -> dict[str, str]:
    """What hakaru itself looks at, since not every batch system hands variables on."""
    own = {name: value for name, value in os.environ.items() if name in ("HAKARU_MPI", VARIABLE)}
    own |= {VARIABLE: site.meter} if site.meter else {}
    own |= {PLACE: site.name or platform.node()}
    return own | {"HAKARU_BUILD": str(build_folder().resolve()), "HAKARU_RESULTS": str(results)}


@dataclass(frozen=True)
class Submitted:
    """``waiting``: points that jobs have in hand already. ``given_up``: points whose jobs broke off too often."""

    jobs: list[Submission]
    waiting: int
    given_up: list[str]


def submit(
    plan: Plan, site: Site, store: RecordStore, say: Callable[[str], None], again: bool = False
) -> Submitted:
    """Submits jobs for what is missing and in nobody's hands; ``again``: also for points that were given up. Raises UserError when the batch
    system refuses or does not answer; what it took before that is known."""
    executor.require_commands(batch_system(site.system))
    store.prepare()
    with alone(store, f"{plan.campaign}.submit", say):
        states = following.follow(store, plan.campaign, site.late_s)
        missing = [s.point for s in states_of(plan, store, plan.campaign) if len(s.good) < s.point.repeats]
        taken = following.covered(states)
        free = [point for point in missing if point.digest not in taken]
        given_up = [p for p in free if not again and following.tries(states, p.digest) >= MOST_TRIES]
        wanted = {point.digest for point in free if point not in given_up}
        jobs = [_submit(one, site) for one in prepare(plan, site, store, wanted)] if wanted else []
    return Submitted(jobs, len(missing) - len(free), [point.label for point in given_up])


def _submit(one: Prepared, site: Site) -> Submission:
    """Written down first: should this process end before the answer is, the job is found by its name."""
    write_atomically(one.folder / "script", lambda file: file.write(one.script.encode()))
    submission.write(one.folder, one.submission)
    try:
        id = executor.submit(batch_system(site.system), site, one.job)
    except UserError as error:
        if "refuses" in error.problem:
            (one.folder / submission.FILE).rename(one.folder / "refused.json")
        raise
    known = msgspec.structs.replace(one.submission, id=id)
    submission.write(one.folder, known)
    return known


def cancel(plan: Plan, site: Site, store: RecordStore) -> list[str]:
    """Cancels the jobs of a campaign that have not ended; their ids."""
    states = following.follow(store, plan.campaign, site.late_s)
    alive = {s.submission.id: s for s in states if s.status.state != "ended" and s.submission.id}
    for id, state in alive.items():
        executor.cancel(batch_system(state.submission.system), id, state.folder)
    return list(alive)
