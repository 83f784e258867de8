"""What a task of a job does: the launches of its points that have no record, within its time."""

import contextlib
import fcntl
import os
import platform
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec

from hakaru.base.errors import ENVIRONMENT, UserError
from hakaru.facts.programs import Program
from hakaru.facts.records import RecordStore
from hakaru.facts.records.provenance import now_text
from hakaru.run.batch import submission
from hakaru.run.batch.submission import Mark, Submission
from hakaru.run.campaign.plan import Plan, Point, make_plan
from hakaru.run.campaign.progress import PlainProgress
from hakaru.run.campaign.runner import PointState, Runner, states_of
from hakaru.run.campaign.turns import FOLDER, sharing
from hakaru.run.launchers import Launch
from hakaru.run.launchers.allocated import Granted, launch_granted
from hakaru.run.launchers.known import DIRECT

END_S = 0.5  # share of the margin that is kept for ending


def work(folder: Path, task: int, job: str) -> int:
    """Exit status of the task. ``job``: what the batch system calls it."""
    began = time.monotonic()
    own = submission.read(folder)
    if not 0 <= task < len(own.tasks):
        raise UserError(f"there is no task {task} in {folder}", f"it has {len(own.tasks)}", "", ENVIRONMENT)
    mark = Mark(job=job, host=platform.node(), started=now_text())
    submission.write_mark(folder, task, mark)
    until = began + own.time_s - END_S * own.margin_s
    done: list[str] = []

    def note(end: str | None, why: str = "") -> None:
        records = tuple(done)
        submission.write_mark(folder, task, msgspec.structs.replace(mark, end=end, why=why, records=records))

    with _ended_by_signals():
        try:
            end, why = _launches(own, task, until, done, lambda: note(None))
        except KeyboardInterrupt:
            note("told to end", "time limit, cancelled, or the node was needed")
            return 128 + signal.SIGTERM
        except UserError as error:
            note("failed", str(error))
            raise
    note(end, why)
    return 0 if end == "complete" else ENVIRONMENT


@contextlib.contextmanager
def _ended_by_signals() -> Iterator[None]:
    """A batch system that ends a job says so with SIGTERM, to all of it at once; it becomes a KeyboardInterrupt."""

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _launches(
    own: Submission, task: int, until: float, done: list[str], note: Callable[[], None]
) -> tuple[str, str]:
    plan: Plan = make_plan(own.plan, own.name)
    store = RecordStore(own.results)
    store.prepare()
    progress = PlainProgress()
    wanted = set(own.tasks[task].points)
    with sharing(store, own.campaign, progress.say), contextlib.ExitStack() as locks:
        points = {s.point.digest: s for s in states_of(plan, store, own.campaign) if s.point.digest in wanted}
        mine = [s for digest, s in points.items() if _taken(locks, store, f"{own.campaign}.{digest}")]
        # read again: who held a lock may have published since
        now = {s.point.digest: s for s in states_of(plan, store, own.campaign)}
        states = [now[state.point.digest] for state in mine]
        runner = Noting(plan, store, own.campaign, states, progress, starter_of(own), until)
        runner.done, runner.note = done, note
        runner.run()
    return _end(points, states, runner)


class Noting(Runner):
    """Tells of each record as soon as it is published, so that who collects knows what has to appear on the shared disk."""

    done: list[str]
    note: Callable[[], None]

    def _launch(self, state: PointState) -> None:
        super()._launch(state)
        if self.published != self.done:
            self.done[:] = self.published
            self.note()


def _end(points: dict[str, PointState], states: list[PointState], runner: Runner) -> tuple[str, str]:
    short = [state for state in states if len(state.good) < state.point.repeats]
    if len(states) < len(points):
        return "failed", f"another job runs {len(points) - len(states)} of its points"
    if not short:
        return "complete", ""
    if runner.failures:
        return "failed", runner.failures[-1].failure.reason
    return "out of time", f"{len(short)} points want more launches than the job's time allows"


def _taken(locks: contextlib.ExitStack, store: RecordStore, name: str) -> bool:
    """Takes a lock for the length of the task; False when another holds it. Where there are no locks, nothing is locked."""
    path = store.records / FOLDER / f"{name}.lock"
    path.parent.mkdir(parents=True, exist_ok=True)
    file = locks.enter_context(open(path, "a+"))
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return True
    return True


def starter_of(own: Submission) -> Callable[[Program, Point], Launch]:
    """How ranks are started with what the batch system has granted."""
    grant = own.grant
    granted = Granted(
        grant.launcher,
        own.nodes,
        grant.cores,
        grant.threads_of_core,
        _hosts(grant.hosts_variable),
        grant.bound,
    )

    def start(program: Program, point: Point) -> Launch:
        if not program.needs_mpi:
            return launch_granted(
                Granted(DIRECT, 1, grant.cores, grant.threads_of_core, (), False), 1, point.layout.threads, 1
            )
        layout = point.layout
        return launch_granted(granted, layout.ranks, layout.threads, layout.nodes)

    return start


def _hosts(variable: str) -> tuple[str, ...]:
    """The nodes that a batch system lists in a file."""
    path = os.environ.get(variable) if variable else None
    if not path:
        return ()
    return tuple(dict.fromkeys(Path(path).read_text().split()))
