"""What was submitted, as files that outlive the login: one folder a submission, below the results.

``results/jobs/CAMPAIGN/NAME/`` holds ``submission.json`` (before the batch system is asked, without an id; then with it), the script, what the
job prints, and a mark ``task-K.json`` of each task, written by the task itself: that it began, which records it has published, how it ended."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import msgspec

from hakaru.base.errors import ENVIRONMENT, UserError
from hakaru.base.files import write_json_atomically
from hakaru.facts.records import RecordStore
from hakaru.facts.strict import Strict

SCHEMA = "hakaru/submission/1"
FILE = "submission.json"


class Task(Strict):
    """Points by their digests, and the time in s that they are expected to take."""

    points: tuple[str, ...]
    expected_s: float


class Grant(Strict):
    """How ranks are started in the job, as ``Granted`` takes it."""

    launcher: str
    cores: int
    threads_of_core: int
    bound: bool
    hosts_variable: str


class Submission(Strict):
    """``id``: what the batch system calls it; None until it has said so. ``written_s``: when, by the clock of the host that submitted."""

    name: str
    campaign: str
    results: str
    system: str
    user: str
    host: str
    written_s: float
    nodes: int
    time_s: float
    margin_s: float
    grant: Grant
    plan: dict[str, Any]
    tasks: tuple[Task, ...]
    id: str | None = None
    schema: Literal["hakaru/submission/1"] = SCHEMA


class Mark(Strict):
    """What a task says of itself. ``end``: None while it works; else ``complete``, ``out of time``, ``told to end``, ``failed``."""

    job: str
    host: str
    started: str
    end: str | None = None
    why: str = ""
    records: tuple[str, ...] = ()


def folder_of(store: RecordStore, campaign: str) -> Path:
    return store.folder / "jobs" / campaign


def write(folder: Path, submission: Submission) -> None:
    write_json_atomically(folder / FILE, submission.as_dict())


def read(folder: Path) -> Submission:
    """Raises UserError for what is none."""
    return _read(folder / FILE, Submission)


def all_of(store: RecordStore, campaign: str) -> Iterator[tuple[Path, Submission]]:
    """In the order in which they were submitted."""
    found = [(path.parent, read(path.parent)) for path in folder_of(store, campaign).glob(f"*/{FILE}")]
    yield from sorted(found, key=lambda one: one[1].written_s)


def mark_file(folder: Path, task: int) -> Path:
    return folder / f"task-{task}.json"


def write_mark(folder: Path, task: int, mark: Mark) -> None:
    write_json_atomically(mark_file(folder, task), mark.as_dict())


def read_mark(folder: Path, task: int) -> Mark | None:
    """None where there is none, or none yet."""
    path = mark_file(folder, task)
    return _read(path, Mark) if path.is_file() else None


def _read(path: Path, kind: type) -> Any:
    try:
        return msgspec.json.decode(path.read_bytes(), type=kind)
    except (OSError, msgspec.MsgspecError) as error:
        raise UserError(
            f"{path} cannot be read",
            str(error),
            "move its folder away when its job has ended; records are kept elsewhere",
            ENVIRONMENT,
        ) from None
