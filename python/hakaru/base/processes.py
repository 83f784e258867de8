"""Programs that are started, waited for and ended with everything that they started: each has a process group of its own."""

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

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
) -> Finished:
    """Runs a command without input, ``variables`` added to the environment. Late or interrupted, it is
    ended with its whole process group.

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
        start_new_session=True,
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
