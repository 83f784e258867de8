"""Writing a file so that a reader sees the old one or the new one, never half of it."""

import errno
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

from hakaru.errors import ENVIRONMENT, UserError


def write_atomically(path: Path, write: Callable[[IO[bytes]], None]) -> None:
    """Lets ``write`` fill a temporary file beside ``path``, syncs it and renames it.

    Raises UserError when the folder cannot be written or the disk is full; nothing is left then.
    """
    temporary = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with open(temporary, "wb") as file:
            write(file)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        todo = (
            "free some space"
            if error.errno == errno.ENOSPC
            else "choose a folder that you may write to with --results DIR"
        )
        raise UserError(f"cannot write {path}", os.strerror(error.errno or 0), todo, ENVIRONMENT) from None


def write_json_atomically(path: Path, data: Any) -> None:
    """``write_atomically`` of one JSON document; numbers that are not finite raise ValueError."""
    text = json.dumps(data, allow_nan=False).encode()
    write_atomically(path, lambda file: file.write(text))
