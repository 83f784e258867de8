"""Programs that are started, waited for and ended with everything that they started: each has a process group of its own."""

import contextlib
import itertools
import os
import select
import shutil
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

PATIENCE_S = 5.0  # after asking, before forcing


@dataclass(frozen=True)
class Finished:
    """``status`` is the exit status, negative for a signal. ``timed_out``: the time limit ended it."""

    status: int
    output: str
    errors: str
    took_s: float
    timed_out: bool = False


def run(
    command: Sequence[str],
    variables: Mapping[str, str] | None = None,
    limit_s: float | None = None,
    keep_output: bool = True,
    own_session: bool = True,
) -> Finished:
    """Runs a command without input, ``variables`` added to the environment. Late or interrupted, it is
    ended with its whole process group. ``own_session``: without a terminal; among sessions the kernel
    shares processors out evenly (sched(7), autogroup).

    Raises OSError when it cannot be started."""
    began = time.monotonic()
    process = subprocess.Popen(
        list(command),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE if keep_output else subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        env=os.environ | dict(variables or {}),
        start_new_session=own_session,
        process_group=None if own_session else 0,
    )
    timed_out = False
    try:
        output, errors = process.communicate(timeout=limit_s)
    except subprocess.TimeoutExpired:
        timed_out = True
        output, errors = end(process)
    except BaseException:
        end(process)
        raise
    return Finished(process.returncode, output or "", errors or "", time.monotonic() - began, timed_out)


def attend(command: Sequence[str], variables: Mapping[str, str], place: str | Path | None = None) -> int:
    """Exit status of a command in the user's terminal, 128 and its signal where one ended it; its output goes where ours goes. After Ctrl-C,
    which it gets too, it is waited for; the third ends it by force.

    Raises OSError when it cannot be started."""
    child = subprocess.Popen(list(command), env=os.environ | dict(variables), cwd=place)
    signal.signal(signal.SIGTERM, lambda *_: child.terminate())
    interrupts = itertools.count(1)

    def interrupted(*_: object) -> None:
        if next(interrupts) >= 3:
            child.send_signal(signal.SIGKILL)

    # No KeyboardInterrupt: raised between the system's answer and its reading, it would lose the status.
    before = signal.signal(signal.SIGINT, interrupted)
    status = child.wait()
    signal.signal(signal.SIGINT, before)
    return status if status >= 0 else 128 - status


WATCH_S = 0.1  # between two looks at a program that writes into files
FREE_BYTES = 256 << 20  # that it has to leave on the disk
MOST_OUTPUT = 256 << 20  # bytes that it may print


@dataclass(frozen=True)
class Watched:
    """``stopped``: why it was ended before it ended itself, or None. Its output stands in the files."""

    status: int
    took_s: float
    stopped: str | None = None


def watch(
    command: Sequence[str],
    variables: Mapping[str, str],
    place: Path,
    outputs: tuple[Path, Path],
    limit_s: float,
) -> Watched:
    """Runs a command in the folder ``place``, its standard output and error going to files, and ends it with its whole process group when
    it is late, prints more than MOST_OUTPUT or fills the disk.

    Raises OSError when it cannot be started."""
    with open(outputs[0], "wb") as out, open(outputs[1], "wb") as errors:
        began = time.monotonic()
        process = subprocess.Popen(
            list(command),
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=errors,
            cwd=place,
            env=os.environ | dict(variables),
            start_new_session=True,
        )
        stopped = None
        try:
            while stopped is None and not _ended(
                process, min(WATCH_S, max(began + limit_s - time.monotonic(), 0.001))
            ):
                stopped = _must_end(time.monotonic() - began, limit_s, place, outputs)
        except BaseException:
            end(process)
            raise
        took_s = time.monotonic() - began
        if stopped:
            end(process)
        else:
            _force(process.pid)
    return Watched(process.returncode, took_s, stopped)


def _ended(process: subprocess.Popen, patience_s: float) -> bool:
    """Waits at most so long, and wakes at once when it ends (Popen.wait looks every 50 ms)."""
    try:
        descriptor = os.pidfd_open(process.pid)
    except ProcessLookupError:
        return process.wait() is not None
    try:
        ready, _, _ = select.select([descriptor], [], [], patience_s)
    finally:
        os.close(descriptor)
    return bool(ready) and process.wait() is not None


def _must_end(took_s: float, limit_s: float, place: Path, outputs: tuple[Path, Path]) -> str | None:
    if took_s >= limit_s:
        return f"took longer than {limit_s:g} s and was ended"
    if sum(path.stat().st_size for path in outputs) > MOST_OUTPUT:
        return f"printed more than {MOST_OUTPUT >> 20} MiB and was ended"
    for folder in {place, outputs[0].parent}:
        if shutil.disk_usage(folder).free < FREE_BYTES:
            return f"left less than {FREE_BYTES >> 20} MiB on the disk of {folder} and was ended"
    return None


def end(process: subprocess.Popen, group: bool = True, patience_s: float = PATIENCE_S) -> tuple[str, str]:
    """Ends a process, with its whole group unless it shares ours: asks first, forces what has not gone. What it had written is returned."""
    for sent in (signal.SIGTERM, signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, sent) if group else process.send_signal(sent)
        with contextlib.suppress(subprocess.TimeoutExpired):
            if not group:  # others may hold its pipes open
                process.wait(patience_s)
                return "", ""
            output, errors = process.communicate(timeout=patience_s)
            _force(process.pid)
            return output or "", errors or ""
    return "", ""


def _force(group: int) -> None:
    """What stays of a group whose first process has gone."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(group, signal.SIGKILL)
