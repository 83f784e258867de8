"""How the jobs of a campaign stand: what the batch system says, what their tasks have left, and which points are still in good hands."""

import os
import re
import time
from dataclasses import dataclass
from pathlib import Path

import msgspec

from hakaru.facts.records import RecordStore
from hakaru.run.batch import executor, submission
from hakaru.run.batch.submission import Mark, Submission
from hakaru.run.batch.systems.known import batch_system
from hakaru.run.batch.systems.system import Key, Status

ARRAY_TASK = re.compile(r"\[\d+\]")  # PBS and NQSV name a task 12[3].server and the array 12[].server
GONE = Status("ended")


@dataclass(frozen=True)
class TaskState:
    """``settled``: it has ended, and nothing of it can still appear."""

    submission: Submission
    folder: Path
    task: int
    status: Status
    mark: Mark | None
    settled: bool

    @property
    def points(self) -> tuple[str, ...]:
        return self.submission.tasks[self.task].points

    @property
    def broke_off(self) -> bool:
        """It ended without finishing what it was given."""
        return self.settled and (self.mark is None or self.mark.end != "complete")

    def words(self) -> str:
        """What became of it, for people."""
        reason = f" ({self.status.why})" if self.status.why else ""
        if self.status.state != "ended":
            return f"{self.status.state}{reason}"
        if not self.settled:
            return f"has ended{reason}; its records may still be on their way"
        if self.mark is None:
            return f"never began{reason}"
        if self.mark.end is None:
            return f"broke off{reason} after {len(self.mark.records)} launches on {self.mark.host}"
        why = f": {self.mark.why}" if self.mark.why else ""
        return f"{self.mark.end}{reason} after {len(self.mark.records)} launches{why}"


def follow(store: RecordStore, campaign: str, late_s: float) -> list[TaskState]:
    """Every task that was ever submitted. Raises UserError when a batch system does not answer: nothing is known then."""
    known = [(folder, _adopted(folder, one)) for folder, one in submission.all_of(store, campaign)]
    states: list[TaskState] = []
    told: dict[str, dict[Key, Status]] = {}
    for name in {one.system for _, one in known}:
        ids = [
            one.id for folder, one in known if one.system == name and one.id and not _all_ended(folder, one)
        ]
        told[name] = executor.statuses(batch_system(name), ids)
    for folder, one in known:
        for task in range(len(one.tasks)):
            status = _status(one, task, told[one.system])
            states.append(_state(store, folder, one, task, status, late_s))
    return states


def _adopted(folder: Path, one: Submission) -> Submission:
    """With its id: its submitter may have ended between the batch system's answer and writing it down. The job's own mark knows it, or the
    queue knows the name."""
    if one.id is not None:
        return one
    marks = [submission.read_mark(folder, task) for task in range(len(one.tasks))]
    ids = [mark.job for mark in marks if mark] or executor.named(batch_system(one.system), one.name)
    if not ids:
        return one
    found = msgspec.structs.replace(one, id=ARRAY_TASK.sub("[]", ids[0]))
    submission.write(folder, found)
    return found


def _all_ended(folder: Path, one: Submission) -> bool:
    """All tasks have said so themselves, and the batch system need not be asked: it may have forgotten the job."""
    marks = [submission.read_mark(folder, task) for task in range(len(one.tasks))]
    return all(mark is not None and mark.end is not None for mark in marks) and all(
        (folder / f"ended-{task}").exists() for task in range(len(one.tasks))
    )


def _status(one: Submission, task: int, told: dict[Key, Status]) -> Status:
    if one.id is None:
        return GONE
    return told.get((one.id, task)) or told.get((one.id, None)) or GONE


def _state(
    store: RecordStore, folder: Path, one: Submission, task: int, status: Status, late_s: float
) -> TaskState:
    mark = submission.read_mark(folder, task)
    if status.state != "ended":
        (folder / f"ended-{task}").unlink(
            missing_ok=True
        )  # a batch system that had just begun may have said otherwise
        return TaskState(one, folder, task, status, mark, False)
    since, why = _ended_since(folder, one, task, status.why)
    done = mark is not None and mark.end is not None
    here = mark is not None and all(store.path(record).is_file() for record in mark.records)
    settled = (done and here) or time.time() - since > late_s
    return TaskState(one, folder, task, Status("ended", why), mark, settled)


def _ended_since(folder: Path, one: Submission, task: int, why: str) -> tuple[float, str]:
    """When this host first saw that the task had ended, and the reason given then: batch systems forget, and clocks of hosts differ."""
    path = folder / f"ended-{task}"
    if not path.exists():
        temporary = folder / f".ended-{task}-{os.getpid()}"
        temporary.write_text(why)
        os.replace(temporary, path)
    return (path.stat().st_mtime if one.id is not None else one.written_s), path.read_text()


def covered(states: list[TaskState]) -> set[str]:
    """Points that a job has or will have in hand."""
    return {point for state in states if not state.settled for point in state.points}


def tries(states: list[TaskState], point: str) -> int:
    """Tasks that ended without having finished this point's share."""
    return sum(state.broke_off and point in state.points for state in states)
