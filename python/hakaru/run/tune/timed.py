"""One launch of a person's program under a setting: timed from outside, or by what it prints."""

import re
from dataclasses import dataclass

from hakaru.base import processes
from hakaru.base.errors import UserError
from hakaru.base.last_words import last_words
from hakaru.run.launchers.command_line import CommandLine
from hakaru.run.tune.settings import Setting

NOTHING = "it said nothing"


class LaunchFailed(Exception):
    """What went wrong, in words."""


@dataclass(frozen=True)
class Timed:
    """``pattern``: the first group is a time in any unit, of the last line that matches; None: the wall time of the launch counts."""

    line: CommandLine
    pattern: str | None = None

    def __call__(self, setting: Setting, limit_s: float | None) -> float:
        """Raises LaunchFailed for a launch that fails, says no time, or takes longer than ``limit_s``."""
        line = self.line.setting(dict(setting.environment))
        ended = processes.run(line.words, line.variables, limit_s)
        if ended.timed_out:
            raise LaunchFailed(f"took longer than {limit_s:.3g} s and was ended")
        if ended.status != 0:
            raise LaunchFailed(
                f"ended with status {ended.status}: {last_words(ended.errors or ended.output) or NOTHING}"
            )
        return ended.took_s if self.pattern is None else _told(self.pattern, ended.output + ended.errors)


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
