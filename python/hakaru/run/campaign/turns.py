"""One at a time: who comes second waits, and finds what the first has finished."""

import contextlib
import fcntl
import os
import platform
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TextIO

from hakaru.facts.records import RecordStore

FOLDER = ".running"


@contextlib.contextmanager
def alone(store: RecordStore, name: str, say: Callable[[str], None]) -> Iterator[None]:
    """Holds the lock ``name`` of a results folder. The kernel gives it back when its process ends, however that happens.

    Where the file system has no locks this is said, and nothing is locked."""
    path = store.records / FOLDER / f"{name}.lock"
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "a+") as file:
        _take(file, path, name, say)
        file.truncate(0)
        file.write(f"process {os.getpid()} on {platform.node()}")
        file.flush()
        yield


@contextlib.contextmanager
def sharing(store: RecordStore, name: str, say: Callable[[str], None]) -> Iterator[None]:
    """Holds the lock ``name`` together with others that share it: they run parts of the same, and who wants it alone waits for all."""
    path = store.records / FOLDER / f"{name}.lock"
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "a+") as file:
        _take(file, path, name, say, fcntl.LOCK_SH)
        yield


def _take(file: TextIO, path: Path, name: str, say: Callable[[str], None], how: int = fcntl.LOCK_EX) -> None:
    try:
        fcntl.flock(file, how | fcntl.LOCK_NB)
    except BlockingIOError:
        holder = path.read_text().strip() or "another process"
        say(
            f"{holder} runs {name} in this folder; waiting until it has ended: nothing is run twice (Ctrl-C leaves it alone)"
        )
        fcntl.flock(file, how)
    except OSError as error:
        say(f"{path.parent} cannot be locked ({error.strerror}): do not run {name} twice at once")
