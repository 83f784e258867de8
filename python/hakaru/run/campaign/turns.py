"""One at a time: who comes second waits, and finds what the first has finished."""

import contextlib
import fcntl
import os
import platform
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TextIO

from hakaru.base.files import cannot_write
from hakaru.facts.records import RecordStore

FOLDER = ".running"


@contextlib.contextmanager
def alone(store: RecordStore, name: str, say: Callable[[str], None]) -> Iterator[None]:
    """Holds the lock ``name`` of a results folder. The kernel gives it back when its process ends, however that happens.

    Where the file system has no locks this is said, and nothing is locked."""
    with _opened(store, name) as (file, path):
        _take(file, path, name, say)
        with contextlib.suppress(OSError):  # no room for it, and the lock holds
            os.truncate(path, 0)
            os.write(file.fileno(), f"process {os.getpid()} on {platform.node()}".encode())
        yield


@contextlib.contextmanager
def sharing(store: RecordStore, name: str, say: Callable[[str], None]) -> Iterator[None]:
    """Holds the lock ``name`` together with others that share it: they run parts of the same, and who wants it alone waits for all."""
    with _opened(store, name) as (file, path):
        _take(file, path, name, say, fcntl.LOCK_SH)
        yield


@contextlib.contextmanager
def _opened(store: RecordStore, name: str) -> Iterator[tuple[TextIO, Path]]:
    """Raises UserError where there is no room for it."""
    path = store.records / FOLDER / f"{name}.lock"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        file = open(path, "a+")
    except OSError as error:
        raise cannot_write(path, error) from None
    with file:
        yield file, path


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
