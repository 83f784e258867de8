"""Where set-up keeps its state: .hakaru/ of a checkout, or the cache folder of an installed package."""

import fcntl
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hakaru.base.errors import ENVIRONMENT, UserError
from hakaru.base.paths import build_folder, is_installed, root


def state_folder() -> Path:
    """Logs and stamps; made on demand."""
    folder = build_folder().parent / "state" if is_installed() else root() / ".hakaru"
    try:
        (folder / "log").mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(
            f"cannot write in {folder}",
            error.strerror or str(error),
            "make that folder writable, or copy hakaru to a folder of your own",
            ENVIRONMENT,
        ) from error
    return folder


def log_file(step: str) -> Path:
    return state_folder() / "log" / f"{step}.log"


@contextmanager
def one_at_a_time() -> Iterator[None]:
    """Holds the set-up lock of this checkout; a second set-up waits here. The lock ends with the process."""
    path = state_folder() / "lock"
    with open(path, "w") as handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print(
                "hakaru: another set-up is at work here; waiting for it to end", file=sys.stderr, flush=True
            )
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
