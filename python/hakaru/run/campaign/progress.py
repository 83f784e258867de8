"""Progress for people: a bar in a terminal, a line a launch elsewhere."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Protocol


class Progress(Protocol):
    """What the runner tells while it works. Times are seconds."""

    def start(self, launches: int, estimate_s: float) -> None: ...
    def launching(self, label: str, estimate_s: float) -> None: ...
    def finished(self, text: str, remaining_launches: int, remaining_s: float) -> None: ...
    def say(self, text: str) -> None: ...
    def stop(self) -> None: ...


def duration(seconds: float) -> str:
    """``45 s``, ``3 min 05 s``, ``2 h 10 min``."""
    whole = int(round(seconds))
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02d} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02d} min"


class PlainProgress:
    """One line for each launch, for logs and pipes."""

    def __init__(self, stream=None):
        self._stream = stream or sys.stderr
        self._done = self._launches = 0

    def start(self, launches: int, estimate_s: float) -> None:
        self._launches, self._done = launches, 0
        self.say(f"{launches} launches, about {duration(estimate_s)}")

    def launching(self, label: str, estimate_s: float) -> None:
        self._label = label

    def finished(self, text: str, remaining_launches: int, remaining_s: float) -> None:
        self._done += 1
        self._launches = self._done + remaining_launches
        self.say(f"[{self._done}/{self._launches}] {self._label}: {text}; {duration(remaining_s)} left")

    def say(self, text: str) -> None:
        print(text, file=self._stream, flush=True)

    def stop(self) -> None:
        pass


class BarProgress:
    """A bar by estimated time, what runs now, what is left."""

    def __init__(self):
        from rich.console import Console
        from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

        self._progress = Progress(
            SpinnerColumn(),
            TextColumn("{task.description}"),
            BarColumn(bar_width=24),
            TextColumn("{task.fields[left]}"),
            TimeElapsedColumn(),
            console=Console(stderr=True),
            transient=True,
        )
        self._task = None
        self._spent_s = 0.0

    def start(self, launches: int, estimate_s: float) -> None:
        self._progress.start()
        self._launches = launches
        self._begin = time.monotonic()
        self._task = self._progress.add_task(
            "starting", total=max(estimate_s, 0.1), left=f"about {duration(estimate_s)} left"
        )

    def launching(self, label: str, estimate_s: float) -> None:
        self._label = label
        self._progress.update(self._task, description=label)

    def finished(self, text: str, remaining_launches: int, remaining_s: float) -> None:
        spent_s = time.monotonic() - self._begin
        self._progress.update(
            self._task,
            completed=spent_s,
            total=max(spent_s + remaining_s, 0.1),
            left=f"{remaining_launches} launches, {duration(remaining_s)} left",
        )

    def say(self, text: str) -> None:
        self._progress.console.print(text, highlight=False)

    def stop(self) -> None:
        self._progress.stop()


def progress_for_terminal() -> Progress:
    """A bar when standard error is a terminal, lines otherwise."""
    return BarProgress() if sys.stderr.isatty() else PlainProgress()


@contextmanager
def counting(noun: str) -> Iterator[Callable[[int, int], None]]:
    """Of many short things: what it gives is told how many are done, of how many. A bar in a terminal, else a line at each tenth."""
    if not sys.stderr.isatty():
        yield lambda done, total: _tenths(noun, done, total)
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    columns = TextColumn(noun), BarColumn(bar_width=24), MofNCompleteColumn()
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(noun, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def _tenths(noun: str, done: int, total: int) -> None:
    if done == total or done % max(1, total // 10) == 0:
        print(f"{noun} {done} of {total}", file=sys.stderr, flush=True)
