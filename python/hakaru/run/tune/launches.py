"""One launch of a person's program under a setting: timed from outside, or by what it prints."""

import contextlib
import os
import re
import signal
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass

from hakaru.base.errors import UserError
from hakaru.run.tune.settings import Setting

SHOWN = 200  # characters of what a failing launch said


class LaunchFailed(Exception):
    """What went wrong, in words."""


@dataclass(frozen=True)
class Launcher:
    """``pattern``: the first group is a time in any unit, of the last line that matches; None: the wall time of the launch counts."""

    command: Sequence[str]
    pattern: str | None = None

    def __call__(self, setting: Setting, limit_s: float | None) -> float:
        """Raises LaunchFailed for a launch that fails, says no time, or takes longer than ``limit_s``."""
        began = time.monotonic()
        process = subprocess.Popen(
            list(self.command),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            env=os.environ | dict(setting.environment),
            start_new_session=True,
        )
        try:
            output, errors = process.communicate(timeout=limit_s)
        except subprocess.TimeoutExpired:
            _end(process)
            raise LaunchFailed(f"took longer than {limit_s:.3g} s and was ended") from None
        except BaseException:
            _end(process)
            raise
        took = time.monotonic() - began
        if process.returncode != 0:
            raise LaunchFailed(f"ended with status {process.returncode}: {last_words(errors or output)}")
        return took if self.pattern is None else _told(self.pattern, output + errors)


def _told(pattern: str, output: str) -> float:
    matches = re.findall(pattern, output)
    if not matches:
        raise LaunchFailed(f"printed nothing that matches '{pattern}'")
    try:
        value = float(matches[-1])
    except (TypeError, ValueError):
        raise LaunchFailed(f"printed '{matches[-1]}' where a time was expected") from None
    if not 0.0 < value < float("inf"):
        raise LaunchFailed(f"printed {value:g} where a time was expected")
    return value


def check_pattern(pattern: str | None) -> None:
    """Raises UserError unless it is a regular expression with one group."""
    if pattern is None:
        return
    try:
        groups = re.compile(pattern).groups
    except re.error as error:
        raise UserError(
            f"'{pattern}' is no regular expression", str(error), "write --time 'step: ([0-9.]+)'"
        ) from None
    if groups != 1:
        raise UserError(
            f"'{pattern}' has {groups} groups", "one of them is the time", "write --time 'step: ([0-9.]+)'"
        )


def last_words(text: str) -> str:
    """The last line before a launcher's frame of dashes; where nothing stands before it, the first paragraph in the frame."""
    own, *frame = re.split(r"^-{10,}\s*$", text, maxsplit=2, flags=re.MULTILINE)
    if lines := [line.strip() for line in own.splitlines() if re.search(r"\w", line)]:
        return lines[-1][:SHOWN]
    if frame and (told := frame[0].strip()):
        return " ".join(re.split(r"\n\s*\n", told)[0].split())[:SHOWN]
    return "it said nothing"


def _end(process: subprocess.Popen) -> None:
    """Ends the launch's own process group, gently first."""
    for sent, patience_s in ((signal.SIGTERM, 5.0), (signal.SIGKILL, 5.0)):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, sent)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.communicate(timeout=patience_s)
            return
