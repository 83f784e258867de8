"""One launch: start it, wait, publish its record, whatever happened."""

import contextlib
import json
import os
import signal
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hakaru.base.paths import mpi_flavour
from hakaru.facts import native
from hakaru.facts.records import Record, RecordStore, new_id
from hakaru.facts.records.record import Failure
from hakaru.run.campaign.plan import Point
from hakaru.run.launchers import launch

STANDARD_ERROR_KEPT = 4000  # characters


@dataclass(frozen=True)
class PreparedLaunch:
    """Everything needed to start one launch; ``line`` is what a person would type."""

    id: str
    command: list[str]
    environment: dict[str, str]
    line: str


def prepare(point: Point, store: RecordStore, campaign: str | None, context_file: str = "") -> PreparedLaunch:
    """The launch line of a point."""
    program = native.program(point.program)
    needs_mpi = native.describe(point.program).needs_mpi
    launcher = launch(mpi_flavour(), program.path, needs_mpi, point.layout.ranks, point.layout.threads)
    record_id = new_id(point.program)
    words = [
        point.command,
        *native.assignments(dict(point.parameters)),
        "--threads",
        str(point.layout.threads),
    ]
    if point.command == "run" and point.repetitions is not None:
        words += ["--repetitions", str(point.repetitions)]
    if point.command == "run" and point.warmup is not None:
        words += ["--warmup", str(point.warmup)]
    if campaign:
        words += ["--campaign", campaign]
    line = launcher.line(words)
    files = ["--record", str(store.incoming.resolve() / f"{record_id}.json")]
    if context_file:
        files += ["--context", context_file]
    return PreparedLaunch(record_id, [*launcher.command, *words, *files], launcher.environment, line)


def perform(
    point: Point, store: RecordStore, campaign: str | None, context: dict[str, Any], timeout_s: float
) -> Record:
    """Launches a point and publishes its record, also when it failed. A KeyboardInterrupt ends the launch and leaves no record."""
    with _context_file(store) as file:
        prepared = prepare(point, store, campaign, str(file))
        file.write_text(json.dumps(context | {"launch_line": prepared.line}))
        incoming = store.incoming / f"{prepared.id}.json"
        try:
            status, errors, timed_out = _wait(prepared, timeout_s)
        except BaseException:
            incoming.unlink(missing_ok=True)
            raise
    return _publish(
        point, store, prepared, incoming, campaign, status, errors, timeout_s if timed_out else None
    )


@contextlib.contextmanager
def _context_file(store: RecordStore) -> Iterator[Path]:
    """A name for the context in the incoming folder, removed afterwards."""
    path = store.incoming.resolve() / f".context-{os.getpid()}.json"
    try:
        yield path
    finally:
        path.unlink(missing_ok=True)


def _wait(prepared: PreparedLaunch, timeout_s: float) -> tuple[int, str, bool]:
    """Exit status, standard error, and whether the time limit ended it. The launch runs in a process group of its own."""
    process = subprocess.Popen(
        prepared.command,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        stdin=subprocess.DEVNULL,
        text=True,
        errors="replace",
        env=os.environ | prepared.environment,
        start_new_session=True,
    )
    try:
        _, errors = process.communicate(timeout=timeout_s)
        return process.returncode, errors, False
    except subprocess.TimeoutExpired:
        return process.returncode or -1, _end(process), True
    except BaseException:
        _end(process)
        raise


def _end(process: subprocess.Popen) -> str:
    """Ends the whole process group, gently first; returns what was on standard error."""
    for sent, patience_s in ((signal.SIGTERM, 5.0), (signal.SIGKILL, 5.0)):
        try:
            os.killpg(process.pid, sent)
        except ProcessLookupError:
            pass
        try:
            return process.communicate(timeout=patience_s)[1] or ""
        except subprocess.TimeoutExpired:
            continue
    return ""


def _publish(
    point: Point,
    store: RecordStore,
    prepared: PreparedLaunch,
    incoming: Path,
    campaign: str | None,
    status: int,
    errors: str,
    time_limit_s: float | None,
) -> Record:
    try:
        record = Record.read(incoming)
    except (OSError, ValueError):
        record = _missing_record(point, prepared, campaign, status)
    if status != 0 or time_limit_s is not None or not record.ok:
        reason = record.failure.reason if record.failure else f"ended with status {status}"
        if time_limit_s is not None:
            reason = f"took longer than {time_limit_s:g} s and was ended"
        record = record.failed(reason, status, errors.strip()[-STANDARD_ERROR_KEPT:])
    store.write(record)
    incoming.unlink(missing_ok=True)
    return record


def _missing_record(point: Point, prepared: PreparedLaunch, campaign: str | None, status: int) -> Record:
    """A record for a launch that left none (a rank killed outright, a launcher that could not start)."""
    return Record.without_run(
        id=prepared.id,
        program=point.program,
        kind=native.program(point.program).kind,
        command=point.command,
        campaign=campaign,
        parameters=dict(point.parameters),
        work=point.work(),
        layout=(point.layout.ranks, point.layout.threads),
        context={"launch_line": prepared.line},
        failure=Failure(reason=f"ended with status {status}", exit_code=status, standard_error=""),
    )
