"""The launchers there are: every file of this folder with a ``launcher``; and which of them a typed line uses."""

import functools
import importlib
import pkgutil
import shutil
import subprocess
from collections.abc import Sequence

from hakaru.base.errors import ENVIRONMENT, UserError
from hakaru.run import launchers
from hakaru.run.launchers.launch import Launch
from hakaru.run.launchers.launcher import Launcher

DIRECT = "direct"


def known() -> dict[str, Launcher]:
    """Name -> launcher."""
    return dict(_scanned(tuple(launchers.__path__)))


@functools.cache
def _scanned(folders: tuple[str, ...]) -> dict[str, Launcher]:
    modules = [
        importlib.import_module(f"{launchers.__name__}.{entry.name}")
        for entry in pkgutil.iter_modules(folders)
        if not entry.name.startswith("test_")
    ]
    found = [getattr(module, "launcher", None) for module in modules]
    return {one.name: one for one in found if isinstance(one, Launcher)}


def launcher(name: str) -> Launcher:
    """The launcher of that name. Raises UserError naming the known ones."""
    if found := known().get(name):
        return found
    raise UserError(
        f"there is no launcher {name}", f"known are: {', '.join(sorted(known()))}", "add a file for it"
    )


def title(name: str) -> str:
    """What people call the MPI library ``name``; the name itself where no launcher is its own."""
    found = known().get(name)
    return found.title if found and found.library else name


def said_by(command: str) -> str:
    """What a launcher says of its version; empty when it cannot be started."""
    try:
        done = subprocess.run(
            [command, "--version"], capture_output=True, text=True, errors="replace", timeout=30, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout + done.stderr


def recognise(words: Sequence[str]) -> tuple[Launch, list[str]]:
    """How a line that somebody typed starts its ranks, and the words of its program.

    Raises UserError when its first word cannot be started, is a launcher of nobody known, or starts no program."""
    if not shutil.which(words[0]):
        raise UserError(
            f"'{words[0]}' was not found",
            "it is neither in PATH nor an executable file",
            "install the launcher (sudo apt-get install openmpi-bin, or mpich) or give the program's path",
            ENVIRONMENT,
        )
    called_so = [one for one in known().values() if one.is_called(words[0])]
    if not called_so:
        return launcher(DIRECT).recognised(words)
    said = said_by(words[0]) if any(one.says for one in called_so) else ""
    for one in called_so:
        if not one.says or any(mark in said for mark in one.says):
            return one.recognised(words)
    raise UserError(
        f"{words[0]} is a launcher that hakaru does not know",
        f"it is none of {', '.join(sorted(one.title for one in known().values() if one.name != DIRECT))}: the tracer cannot be passed on",
        "use one of those, or start the ranks yourself with LD_PRELOAD",
        ENVIRONMENT,
    )
