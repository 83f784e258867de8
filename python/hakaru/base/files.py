"""Files: written so that a reader sees the old one or the new one, never half of it; read with errors in words."""

import errno
import importlib.util
import json
import os
import sys
import threading
import tomllib
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import ModuleType
from typing import IO, Any

from hakaru.base.errors import ENVIRONMENT, UserError


def write_atomically(path: Path, write: Callable[[IO[bytes]], None]) -> None:
    """Lets ``write`` fill a temporary file beside ``path``, syncs it and renames it.

    Raises UserError when the folder cannot be written or the disk is full; nothing is left then.
    """
    temporary = path.with_name(f"{path.name}.{os.getpid()}.{threading.get_native_id()}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with open(temporary, "wb") as file:
            write(file)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except OSError as error:
        with suppress(OSError):
            temporary.unlink()
        raise cannot_write(path, error) from None


def cannot_write(path: Path, error: OSError) -> UserError:
    """What is said of a file that could not be written."""
    full = error.errno == errno.ENOSPC
    todo = "free some space" if full else "choose a folder that you may write to with --results DIR"
    return UserError(f"cannot write {path}", os.strerror(error.errno or 0), todo, ENVIRONMENT)


def write_json_atomically(path: Path, data: Any) -> None:
    """``write_atomically`` of one JSON document; numbers that are not finite raise ValueError."""
    text = json.dumps(data, allow_nan=False).encode()
    write_atomically(path, lambda file: file.write(text))


def read_toml(path: Path, what: str = "", where_from: str = "check the file's name") -> dict[str, Any]:
    """The content of a TOML file; ``what`` names its kind and ``where_from`` how to get one.

    Raises UserError when it cannot be read or is not TOML.
    """
    try:
        return tomllib.loads(path.read_text())
    except OSError as error:
        named = f"the {what} {path}" if what else str(path)
        raise UserError(f"cannot read {named}", str(error.strerror), where_from, ENVIRONMENT) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UserError(f"{path} is not valid TOML", str(error), "mend the file") from None


def load_module(path: Path) -> ModuleType:
    """The Python file of a leaf as a module (leaves are folders, not packages), executed anew at each call."""
    name = f"hakaru_{path.parent.name}_{path.stem}"
    specification = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(specification)
    sys.modules[name] = module
    specification.loader.exec_module(module)
    return module
