"""Runs one step of the set-up: its output goes to a log, progress and the end of a failure to the screen."""

import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import ClassVar

from hakaru.base import processes
from hakaru.base.errors import ENVIRONMENT, UserError

TAIL_LINES = 20
QUIET_REPORT_S = 15.0  # without a terminal, one line at most this often

_ADDRESS = re.compile(r"(?<=://)[^\s/'\"<>]+")
_NAMED_HOST = re.compile(
    r"(host=|resolve |connect to |connection to |Host: )(['\"]?)[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)+",
    re.IGNORECASE,
)


def without_hosts(line: str) -> str:
    """The line without network addresses: which host serves packages is the user's own affair."""
    return _NAMED_HOST.sub(r"\1\2...", _ADDRESS.sub("...", line))


class Display:
    """One line that is rewritten on a terminal, by the oldest of those at work; elsewhere a line now and then."""

    at_work: ClassVar[list["Display"]] = []

    def __init__(self, title: str, stream=None):
        self.title = title
        self.stream_ = stream or sys.stderr
        self.terminal_ = self.stream_.isatty()
        self.begin_ = self.last_report_ = time.monotonic()
        self.state_ = ""
        Display.at_work.append(self)
        self.ended_ = threading.Event()
        self.write(f"hakaru: {title} ...", final=not self.terminal_)
        self.ticker_ = threading.Thread(target=self.tick, daemon=True)
        self.ticker_.start()

    def elapsed(self) -> str:
        seconds = time.monotonic() - self.begin_
        return f"{seconds:.0f} s" if seconds < 120 else f"{int(seconds) // 60} min {int(seconds) % 60} s"

    def write(self, text: str, final: bool = False) -> None:
        if self.terminal_:
            if not final and Display.at_work[0] is not self:
                return
            columns = os.get_terminal_size(self.stream_.fileno()).columns or 80
            self.stream_.write("\r\x1b[K" + text[: columns - 1] + ("\n" if final else ""))
        else:
            self.stream_.write(text + "\n")
        self.stream_.flush()

    def show(self, state: str) -> None:
        self.state_ = state

    def tick(self) -> None:
        """Shows the state and the elapsed time, also while the step says nothing."""
        while not self.ended_.wait(0.2):
            if self.terminal_ or time.monotonic() - self.last_report_ > QUIET_REPORT_S:
                self.last_report_ = time.monotonic()
                self.write(f"hakaru: {self.title} {self.state_} ({self.elapsed()})")

    def end(self, word: str) -> None:
        self.ended_.set()
        self.ticker_.join()
        self.write(f"hakaru: {self.title} {word} ({self.elapsed()})", final=True)
        Display.at_work.remove(self)


def say(text: str) -> None:
    print(f"hakaru: {text}", file=sys.stderr, flush=True)


def tail(output: str, first: str | None = None) -> str:
    """Last lines of an output; from the first line that contains ``first`` when there is one."""
    lines = output.splitlines()
    begin = max(len(lines) - TAIL_LINES, 0)
    if first:
        begin = next((number for number, line in enumerate(lines) if first in line), begin)
    chosen = lines[begin : begin + 2 * TAIL_LINES]
    return "\n".join("  " + without_hosts(line) for line in chosen)


def run_step(
    title: str,
    command: Sequence[str],
    log: Path,
    variables: Mapping[str, str] | None = None,
    state: Callable[[str], str | None] = lambda line: None,
    explain: Callable[[str], tuple[str, str]] | None = None,
    first_line: str | None = None,
) -> None:
    """Runs ``command``, appending its output to ``log``; ``state`` makes the progress shown out of a line.

    Raises UserError (exit code 4) when it fails; ``explain`` turns the output into (why, what to do).
    """
    display = Display(title)
    mark = 0
    try:
        with open(log, "a", errors="replace") as handle:
            handle.write(f"\n==== {time.strftime('%Y-%m-%d %H:%M:%S')} {' '.join(command)}\n")
            mark = handle.tell()
            process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                errors="replace",
                env={**os.environ, **(variables or {})},
            )
            try:
                for line in process.stdout:
                    handle.write(line)
                    if shown := state(line.rstrip("\n")):
                        display.show(shown)
                code = process.wait()
            except BaseException:
                processes.end(process, group=False)
                raise
    except BaseException as error:
        display.end("interrupted" if isinstance(error, KeyboardInterrupt) else "failed")
        if isinstance(error, OSError):
            raise UserError(
                f"{title} failed", str(error), "see that the command can be started", ENVIRONMENT
            ) from error
        raise
    if code == 0:
        display.end("done")
        return
    display.end("failed")
    output = log.read_bytes()[mark:].decode(errors="replace")
    why, what_to_do = explain(output) if explain else (f"{command[0]} ended with exit code {code}", "")
    print(tail(output, first_line), file=sys.stderr)
    advice = f"{what_to_do}; " if what_to_do else ""
    raise UserError(f"{title} failed", why, f"{advice}the whole output is in {log}", ENVIRONMENT)
